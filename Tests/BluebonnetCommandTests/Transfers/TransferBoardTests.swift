import Bluebonnet
import NIOCore
import Testing

@testable import BluebonnetCommand

struct TransferBoardTests {
    private let start = NIODeadline.uptimeNanoseconds(1_000_000_000)

    private func rows(_ board: TransferBoard, columns: Int = 80, rows: Int = 24) -> [String] {
        board.rows(in: Terminal.Size(columns: columns, rows: rows)).map(\.text)
    }

    @Test func `one transfer has one line, and several have one for all of them`() {
        var one = TransferBoard(count: 1, at: start)
        #expect(rows(one).isEmpty)
        one.begin(0, name: "a", at: start)
        #expect(rows(one).count == 1)
        var two = TransferBoard(count: 2, at: start)
        two.begin(0, name: "a", at: start)
        two.update(0, TransferProgress(completed: 5, total: 10), isWaiting: false)
        #expect(rows(two).count == 2)
        #expect(rows(two)[1].hasPrefix("0/2 ▕███           ▏  25%           5 B"))
    }

    @Test func `the total is that of the bytes as soon as all lengths are known`() {
        var board = TransferBoard(count: 3, at: start)
        for number in 0..<3 { board.begin(number, name: "\(number)", at: start) }
        _ = board.end(0, size: 1_000, at: start)
        board.update(1, TransferProgress(completed: 500, total: 1_000), isWaiting: false)
        #expect(board.total.total == nil)
        #expect(board.total.fraction == 0.5)
        board.update(2, TransferProgress(completed: 0, total: 8_000), isWaiting: false)
        #expect(board.total.total == 10_000)
        #expect(board.total.done == 1_500)
        #expect(board.total.fraction == 0.15)
    }

    @Test func `a transfer with bytes of a response does not wait for it`() {
        var board = TransferBoard(count: 1, at: start)
        board.begin(0, name: "a", from: 5, at: start)
        board.update(0, TransferProgress(completed: 5, total: 10), isWaiting: true)
        #expect(rows(board)[0].contains("waiting"))
        board.update(0, TransferProgress(completed: 6, total: 10), isWaiting: true)
        #expect(rows(board)[0].contains(" 6 B/10 B"), "\(rows(board))")
    }

    @Test func `lengths that no disk has are no overflow`() {
        var board = TransferBoard(count: 2, at: start)
        for number in 0..<2 {
            board.begin(number, name: "\(number)", at: start)
            board.update(number, TransferProgress(completed: 0, total: .max), isWaiting: false)
        }
        #expect(board.total.total == .max && board.total.fraction == 0)
    }

    @Test func `a failed transfer counts, and the total says so`() {
        var board = TransferBoard(count: 2, at: start)
        board.begin(0, name: "a", at: start)
        board.begin(1, name: "b", at: start)
        _ = board.end(0, size: nil, at: start)
        board.update(1, TransferProgress(completed: 1, total: 4), isWaiting: false)
        #expect(board.total.name == "0/2, 1 failed")
        #expect(board.total.fraction == 0.25)
        _ = board.end(1, size: 4, at: start)
        #expect(board.succeeded == 1)
        #expect(board.failed == 1)
    }

    @Test func `a thousand transfers take no more lines than the window has`() {
        var board = TransferBoard(count: 1_000, at: start)
        for number in 0..<1_000 { board.begin(number, name: "\(number)", at: start) }
        for height in 1...30 {
            let rows = rows(board, rows: height)
            #expect(rows.count <= max(1, height - 1))
            #expect(rows.last?.hasPrefix("0/1000") == true)
        }
        #expect(rows(board, rows: 10).count == 9)
        #expect(rows(board, rows: 10)[7] == "… and 993 more")
    }

    @Test func `names of all lines stand in one column, and are harmless`() {
        var board = TransferBoard(count: 2, at: start)
        board.begin(0, name: "a\u{1B}[31m", at: start)
        board.begin(1, name: "a longer name", at: start)
        let rows = rows(board, columns: 100)
        #expect(Set(rows.map { $0.prefix { $0 != "▕" }.count }).count == 1)
        #expect(rows.allSatisfy { !$0.unicodeScalars.contains("\u{1B}") })
        board.rename(0, to: "b")
        #expect(self.rows(board)[0].hasPrefix("b "))
    }

    @Test func `the speed is that of the bytes of this run`() {
        var board = TransferBoard(count: 2, at: start)
        board.begin(0, name: "a", from: 1_000_000, at: start)
        board.begin(1, name: "b", at: start)
        for tenth in 0...100 {
            let now = start + .milliseconds(100 * Int64(tenth))
            board.update(
                0,
                TransferProgress(completed: 1_000_000 + 100 * tenth, total: 2_000_000),
                isWaiting: false
            )
            board.update(1, TransferProgress(completed: 300 * tenth, total: 2_000_000), isWaiting: false)
            board.measure(at: now)
        }
        #expect(board.total.speed.map { Int($0.rounded()) } == 4_000)
        let end = start + .seconds(20)
        let sum = board.end(0, size: 2_000_000, at: end)
        #expect(sum == TransferBoard.Sum(size: 2_000_000, transferred: 1_000_000, duration: .seconds(20)))
        #expect(sum.text == "2.0 MB, of which 1.0 MB in 20.0 s (50 kB/s)")
        #expect(board.sum(at: end).size == 2_000_000)
    }

    @Test func `a server that begins again does not make a transfer negative`() {
        var board = TransferBoard(count: 1, at: start)
        board.begin(0, name: "a", from: 1_000, at: start)
        board.update(0, TransferProgress(), isWaiting: true)
        board.update(0, TransferProgress(completed: 10, total: 500), isWaiting: false)
        let sum = board.end(0, size: 500, at: start + .seconds(1))
        #expect(sum.transferred == 500)
        #expect(sum.text == "500 B in 1.0 s (500 B/s)")
    }

    @Test func `a file that was there is no traffic`() {
        var board = TransferBoard(count: 1, at: start)
        board.begin(0, name: "a", at: start)
        #expect(board.end(0, size: 500, wasThere: true, at: start).transferred == 0)
        #expect(board.sum(at: start).size == 500)
    }
}
