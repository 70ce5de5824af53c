import Testing

@testable import BluebonnetCommand

@Suite struct StatusLinesTests {
    private var lines = StatusLines()
    private var screen = Screen(columns: 40)

    /// Draws rows, and lines above them that stay.
    private mutating func show(_ rows: String..., below finished: [String] = []) {
        screen.receive(bytes(rows, below: finished))
    }

    private mutating func bytes(_ rows: [String], below finished: [String] = []) -> [UInt8] {
        let frame = StatusLines.Frame(finished: finished, rows: rows.map { StatusLines.Row($0) })
        return lines.show(frame, columns: screen.columns)
    }

    private mutating func write(_ text: String) {
        screen.receive(lines.makeWay(for: text.utf8, columns: screen.columns))
        screen.receive(text.utf8)
    }

    @Test mutating func `the status line is drawn over its last text, and removed at the end`() {
        for text in ["0 B", "1.2 MB 45 kB/s", "3 MB"] {
            show(text)
            #expect(screen.rows == [text])
        }
        screen.receive(lines.end(columns: 40))
        #expect(screen.rows == [""])
        #expect(bytes(["4 MB"]).isEmpty)
    }

    @Test mutating func `several lines are drawn over those that are there, however many there were`() {
        for rows in [["a", "bb", "ccc"], ["aaa", "b"], ["1", "2", "3", "4"], ["x"], ["y", "z"]] {
            screen.receive(bytes(rows))
            #expect(screen.rows == rows)
        }
        screen.receive(lines.clear(columns: 40))
        #expect(screen.rows == [""])
    }

    @Test mutating func `lines that stay are above the others, and are drawn in one write with them`() {
        write("$ command\n")
        show("a 10%", "b 20%", "total")
        show("b 30%", "total", below: ["a: 5 MB"])
        #expect(screen.rows == ["$ command", "a: 5 MB", "b 30%", "total"])
        show("total", below: ["b: 6 MB", "c: 7 MB", "d: 8 MB"])
        #expect(screen.rows == ["$ command", "a: 5 MB", "b: 6 MB", "c: 7 MB", "d: 8 MB", "total"])
        show(below: ["4 files"])
        #expect(screen.rows == ["$ command", "a: 5 MB", "b: 6 MB", "c: 7 MB", "d: 8 MB", "4 files", ""])
    }

    @Test mutating func `lines that stay are shown after the end, and behind other output`() {
        write("half a line")
        show("50%")
        #expect(screen.rows == ["half a line"])
        show("60%", below: ["a: 5 MB"])
        #expect(screen.rows == ["half a line", "a: 5 MB", "60%"])
        screen.receive(lines.end(columns: 40))
        show("70%", below: ["b: 6 MB"])
        #expect(screen.rows == ["half a line", "a: 5 MB", "b: 6 MB", ""])
    }

    @Test mutating func `a window that became narrower is drawn again from the first line`() {
        write("$ command\n")
        show("a 0123456789 0123456789", "b 0123456789 0123456789", "total")
        screen.resize(columns: 12)
        #expect(screen.rows == ["$ command", "a 0123456789", " 0123456789", "b 0123456789", " 0123456789", "total"])
        show("a", "b", "total")
        #expect(screen.rows == ["$ command", "a", "b", "total"])
    }

    @Test mutating func `after the shell has written, the lines are drawn anew below that`() {
        show("a 10%", "total")
        screen.receive("^Z\n[1]+ Stopped\n$ fg\n".utf8)
        lines.forget()
        show("a 20%", "total")
        #expect(screen.rows == ["a 10%", "total^Z", "[1]+ Stopped", "$ fg", "a 20%", "total"])
    }

    @Test mutating func `the status line and other output never share a line`() {
        show("10%")
        write("GET / HTTP/1.1\n")
        #expect(screen.rows == ["GET / HTTP/1.1", ""])
        show("20%")
        #expect(screen.rows == ["GET / HTTP/1.1", "20%"])
        write("half a ")
        #expect(bytes(["30%"]).isEmpty)
        write("line\n")
        show("40%")
        #expect(screen.rows == ["GET / HTTP/1.1", "half a line", "40%"])
        screen.receive(lines.clear(columns: 40))
        #expect(screen.rows == ["GET / HTTP/1.1", "half a line", ""])
    }

    @Test mutating func `the status line does not draw the same text twice, and writes no empty text`() {
        #expect(!bytes(["10%"]).isEmpty)
        #expect(bytes(["10%"]).isEmpty)
        #expect(lines.makeWay(for: [UInt8](), columns: 40).isEmpty)
        #expect(!lines.clear(columns: 40).isEmpty)
        #expect(lines.clear(columns: 40).isEmpty)
    }

    @Test(arguments: [200, 100, 62, 50, 40, 25, 12, 5, 2, 1])
    func `the status line never wraps, however narrow the window is`(columns: Int) {
        var (lines, screen) = (StatusLines(), Screen(columns: columns))
        for bar in [
            ProgressBar(done: 0, total: 20_000_000),
            ProgressBar(done: 4_000_000, total: 20_000_000, speed: 3_900_000, timeLeft: .seconds(4)),
            ProgressBar(done: 800_000, total: 123_000_000_000, speed: 601_000, timeLeft: .seconds(205_165)),
            ProgressBar(done: 9_000_000_000, speed: 601_000),
            ProgressBar(done: .max, total: .max, speed: 1e18, timeLeft: .seconds(900_000_000)),
        ] {
            let row = StatusLines.Row(bar.text(columns: columns))
            screen.receive(lines.show(StatusLines.Frame(rows: [row]), columns: columns))
            #expect(screen.rows.count == 1)
        }
        screen.receive(lines.end(columns: columns))
        #expect(screen.rows == [""])
    }
}
