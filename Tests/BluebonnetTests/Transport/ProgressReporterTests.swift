import BluebonnetTesting
import Foundation
import LocalServer
import NIOCore
import Testing

@testable import Bluebonnet

/// How often a progress is given, by a clock that the test moves, and what its closures can rely
/// on.
@Suite(.timeLimit(.minutes(5)))
struct ProgressReporterTests {
    private static func at(_ milliseconds: Int64) -> NIODeadline {
        .uptimeNanoseconds(1_000_000_000) + .milliseconds(milliseconds)
    }

    private static func received(_ count: Int, of length: Int? = 1000, speed: Double? = nil) -> Call.Counts {
        var counts = Call.Counts()
        counts.add(Call.Arrival(count: count, expected: length))
        counts.receivingSpeed = speed
        return counts
    }

    // MARK: The pace

    /// A pace that expectations can ask.
    private final class Pace {
        private var pace = ProgressPace()

        func isDue(_ counts: Call.Counts, at milliseconds: Int64) -> Bool {
            pace.isDue(counts, at: ProgressReporterTests.at(milliseconds))
        }

        func isDueAtTick(_ counts: Call.Counts, at milliseconds: Int64) -> Bool {
            pace.isDueAtTick(counts, at: ProgressReporterTests.at(milliseconds))
        }

        func isNew(_ counts: Call.Counts) -> Bool { pace.isNew(counts) }
    }

    @Test func `the first bytes are given at once, and the next after a tenth of a second`() {
        let pace = Pace()
        let given = [(1, 0), (2, 1), (3, 99), (4, 100), (5, 150), (6, 199), (7, 200)].filter { count, time in
            pace.isDue(Self.received(count), at: Int64(time))
        }
        #expect(given.map(\.0) == [1, 4, 7])
    }

    @Test func `a direction that is complete is given at once`() {
        let pace = Pace()
        let steps: [(Call.Counts, Int64)] = [
            (Self.received(1), 0), (Self.received(999), 1), (Self.received(1000), 2), (Self.received(1000), 3),
        ]
        #expect(steps.map { pace.isDue($0.0, at: $0.1) } == [true, false, true, false])
    }

    @Test func `the first bytes after the beginning of a hop are given at once`() {
        let pace = Pace()
        #expect(pace.isDue(Self.received(0), at: 0))
        #expect(pace.isDue(Self.received(5), at: 1))
        #expect(!pace.isDue(Self.received(6), at: 2))
    }

    @Test func `a hop that begins again at zero is given at once`() {
        let pace = Pace()
        #expect(pace.isDue(Self.received(500), at: 0))
        #expect(pace.isDue(Self.received(0), at: 1))
        #expect(pace.isDue(Self.received(10), at: 2))
        #expect(!pace.isDue(Self.received(20), at: 3))
    }

    @Test func `a tick gives what came since, and nothing new twice`() {
        let pace = Pace()
        #expect(pace.isDue(Self.received(1), at: 0))
        #expect(!pace.isDue(Self.received(2), at: 10))
        #expect(!pace.isDueAtTick(Self.received(2), at: 99))
        #expect(pace.isDueAtTick(Self.received(2), at: 100))
        #expect(!pace.isDueAtTick(Self.received(2), at: 1000))
    }

    @Test func `a speed that falls while no bytes come is given twice a second`() {
        let pace = Pace()
        #expect(pace.isDue(Self.received(500, speed: 1000), at: 0))
        var given: [Int64] = []
        for time in stride(from: Int64(100), through: 1500, by: 100) {
            let counts = Self.received(500, speed: 1000 - Double(time) / 2)
            if pace.isDueAtTick(counts, at: time) { given.append(time) }
        }
        #expect(given == [500, 1000, 1500])
    }

    @Test func `the counts at the end are given once`() {
        let pace = Pace()
        #expect(!pace.isNew(Call.Counts()))
        #expect(pace.isDue(Self.received(1), at: 0))
        #expect(!pace.isNew(Self.received(1)))
        #expect(pace.isNew(Self.received(2)))
    }

    // MARK: Over sockets

    @Test func `the speed falls for the reader while the server is silent`() async throws {
        let gate = FaultGate()
        let script: FaultServer.Script = [
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 3000001\r\n\r\n"), .fill(0x78, count: 1_000_000),
            .wait(.milliseconds(150)), .fill(0x78, count: 1_000_000), .wait(.milliseconds(150)),
            .fill(0x78, count: 1_000_000), .hold(gate), .send("x"),
        ]
        try await FaultServer.run(script) { server in
            try await withSession { session in
                let task = session.dataTask(for: try Request(to: server.baseURL))
                let progress = task.progress
                task.resume()
                var stalled: [Double] = []
                for await step in progress where step.download.completed == 3_000_000 {
                    if let speed = step.download.bytesPerSecond { stalled.append(speed) }
                    if stalled.count == 3 { gate.open() }
                }
                #expect(stalled.count >= 3 && stalled == stalled.sorted(by: >), "\(stalled)")
                _ = try await task.value
                #expect(task.currentProgress.download.completed == 3_000_001)
            }
        }
    }

    @Test func `a body in many small pieces gives few steps, and the last one is the whole`() async throws {
        // Each piece is a read of its own.
        let pieces = (0..<300).flatMap { _ -> [FaultStep] in [.send("x"), .wait(.milliseconds(2))] }
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 300\r\n\r\n"
        try await FaultServer.run(.steps([.readRequest, .send(head)] + pieces)) { server in
            try await withSession { session in
                let task = session.dataTask(for: try Request(to: server.baseURL))
                let steps = EventLog<Int>()
                let changes = Counter()
                task.core.call.observe { _ in changes.increment() }
                task.onProgress { step in steps.append(step.download.completed) }
                let start = ContinuousClock.now
                let body = try await task.value
                let tenths = Int((ContinuousClock.now - start) / .milliseconds(100))
                let given = steps.events
                #expect(body.count == 300 && given.last == 300 && given == given.sorted(), "\(given)")
                // One each tenth of a second, and those of the hop, the first bytes and the end.
                #expect(given.count <= tenths + 5 && changes.value > given.count, "\(given.count) in \(tenths)")
            }
        }
    }

    @Test func `a task is over after the last call of its progress closure, and calls do not overlap`() async throws {
        try await FaultServer.run(.requests { _ in [.respond(200, bytes: [UInt8](repeating: 7, count: 2_000_000))] }) {
            server in
            try await withSession { session in
                for _ in 0..<20 {
                    let task = session.dataTask(for: try Request(to: server.baseURL))
                    let (running, overlaps, steps) = (Counter(), Counter(), EventLog<Int>())
                    task.onProgress { step in
                        if running.increment() > 1 { overlaps.increment() }
                        usleep(3000)
                        steps.append(step.download.completed)
                        running.add(-1)
                    }
                    _ = try await task.value
                    #expect(steps.events.last == 2_000_000 && overlaps.value == 0)
                }
            }
        }
    }

    @Test func `the last speed of a transfer that failed is not higher than those before`() async throws {
        let script: FaultServer.Script = [
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 3000001\r\n\r\n"), .fill(0x78, count: 1_000_000),
            .wait(.milliseconds(150)), .fill(0x78, count: 1_000_000), .wait(.milliseconds(2000)), .close,
        ]
        try await FaultServer.run(script) { server in
            try await withSession { session in
                let task = session.dataTask(for: try Request(to: server.baseURL))
                let progress = task.progress
                task.resume()
                var speeds: [Double] = []
                for await step in progress where step.download.completed == 2_000_000 {
                    if let speed = step.download.bytesPerSecond { speeds.append(speed) }
                }
                _ = await task.result
                #expect(speeds.count >= 2 && speeds == speeds.sorted(by: >), "\(speeds)")
                #expect(task.currentProgress.download.bytesPerSecond == speeds.last)
            }
        }
    }

    @Test func `a reader of the progress who goes is forgotten`() async throws {
        try await withSession(transport: StubTransport { _ in .text("a") }) { session in
            let task = session.dataTask(for: try Request(to: "http://example.com/"))
            let reader = Task { for await _ in task.progress {} }
            try await until("it is observed") { task.core.call.observerCount == 1 }
            reader.cancel()
            await reader.value
            try await until("it is forgotten") { task.core.call.observerCount == 0 }
            _ = try await task.value
        }
    }
}
