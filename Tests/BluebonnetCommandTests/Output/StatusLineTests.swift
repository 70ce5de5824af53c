import Testing

@testable import BluebonnetCommand

@Suite struct StatusLineTests {
    private var line = StatusLine()
    private var screen = Screen(columns: 40)

    private mutating func write(_ text: String) {
        screen.receive(line.makeWay(for: text.utf8))
        screen.receive(text.utf8)
    }

    @Test mutating func `the status line is drawn over its last text, and removed at the end`() {
        for text in ["0 B", "1.2 MB 45 kB/s", "3 MB"] {
            screen.receive(line.show(text))
            #expect(screen.rows == [text])
        }
        screen.receive(line.end())
        #expect(screen.rows == [""])
        #expect(line.show("4 MB").isEmpty)
    }

    @Test mutating func `the status line and other output never share a line`() {
        screen.receive(line.show("10%"))
        write("GET / HTTP/1.1\n")
        #expect(screen.rows == ["GET / HTTP/1.1", ""])
        screen.receive(line.show("20%"))
        #expect(screen.rows == ["GET / HTTP/1.1", "20%"])
        write("half a ")
        #expect(line.show("30%").isEmpty)
        write("line\n")
        screen.receive(line.show("40%"))
        #expect(screen.rows == ["GET / HTTP/1.1", "half a line", "40%"])
        screen.receive(line.clear())
        #expect(screen.rows == ["GET / HTTP/1.1", "half a line", ""])
    }

    @Test mutating func `the status line does not draw the same text twice, and writes no empty text`() {
        #expect(!line.show("10%").isEmpty)
        #expect(line.show("10%").isEmpty)
        #expect(line.makeWay(for: [UInt8]()).isEmpty)
        #expect(!line.clear().isEmpty)
        #expect(line.clear().isEmpty)
    }

    @Test(arguments: [200, 100, 62, 50, 40, 25, 12, 5, 2, 1])
    func `the status line never wraps, however narrow the window is`(columns: Int) {
        var (line, screen) = (StatusLine(), Screen(columns: columns))
        for bar in [
            ProgressBar(done: 0, total: 20_000_000),
            ProgressBar(done: 4_000_000, total: 20_000_000, speed: 3_900_000, timeLeft: .seconds(4)),
            ProgressBar(done: 800_000, total: 123_000_000_000, speed: 601_000, timeLeft: .seconds(205_165)),
            ProgressBar(done: 9_000_000_000, speed: 601_000),
            ProgressBar(done: .max, total: .max, speed: 1e18, timeLeft: .seconds(900_000_000)),
        ] {
            screen.receive(line.show(bar.text(columns: columns)))
            #expect(screen.rows.count == 1)
        }
        screen.receive(line.end())
        #expect(screen.rows == [""])
    }
}
