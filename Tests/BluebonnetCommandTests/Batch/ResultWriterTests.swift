import Dispatch
import Synchronization
import Testing

@testable import BluebonnetCommand

@Suite(.timeLimit(.minutes(5))) struct ResultWriterTests {
    /// The bytes that were written.
    private final class Sink: Sendable {
        let bytes = Mutex<[UInt8]>([])
    }

    @Test(arguments: [false, true])
    func `the batch writer has written every result when it has finished`(isOrdered: Bool) async {
        let sink = Sink()
        let writer = ResultWriter(isOrdered: isOrdered) { bytes in sink.bytes.withLock { $0 += bytes } }
        await withTaskGroup { group in
            for number in 1...1000 {
                group.addTask { await writer.write(Array("\(number)\n".utf8), at: number) }
            }
        }
        await writer.finish()
        let text = String(decoding: sink.bytes.withLock { $0 }, as: UTF8.self)
        let numbers = text.split(separator: "\n").compactMap { Int($0) }
        #expect((isOrdered ? numbers : numbers.sorted()) == Array(1...1000))
    }

    @Test func `a slow reader of batch results delays only the tasks that write them`() async {
        let sink = Sink()
        let gate = DispatchSemaphore(value: 0)
        let writer = ResultWriter(isOrdered: false) { bytes in
            gate.wait()
            gate.signal()
            sink.bytes.withLock { $0 += [UInt8(clamping: bytes.count >> 20)] }
        }
        let big = [UInt8](repeating: 0, count: 48 << 20)
        await writer.write(big, at: 1)
        let second = Task { await writer.write(big, at: 2) }
        let third = Task { await writer.write(big, at: 3) }
        gate.signal()
        await second.value
        await third.value
        await writer.finish()
        #expect(sink.bytes.withLock { $0.reduce(0) { $0 + Int($1) } } == 144)
    }

    @Test func `the batch writer ends at once when nothing was written`() async {
        let writer = ResultWriter(isOrdered: true) { _ in Issue.record("nothing to write") }
        await writer.finish()
    }
}
