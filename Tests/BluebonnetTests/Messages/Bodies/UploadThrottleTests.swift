import Foundation
import NIOCore
import Testing

@testable import Bluebonnet

/// The speed of throttled bodies, on a clock that moves only during a wait.
struct UploadThrottleTests {
    private func form(_ count: Int, _ throttle: UploadThrottle?) throws -> MultipartFormData {
        var form = try MultipartFormData(boundary: "B")
        form.append(Data(repeating: 1, count: count), name: "n")
        form.throttle = throttle
        return form
    }

    @Test func `throttled packets have their size, with a pause between them`() async throws {
        let clock = SteppingClock()
        let form = try form(100_000, .packets(of: 16_384, delay: .milliseconds(200)))
        let body = try form.makeBody(clock: clock)
        let pieces = try await body.pieces()
        let length = try #require(form.contentLength)
        #expect(body.length == length && body.isReplayable)
        #expect(pieces.map(\.count) == Array(repeating: 16_384, count: 6) + [length - 6 * 16_384])
        #expect(clock.sleeps == Array(repeating: .milliseconds(200), count: 6))
        var plain = form
        plain.throttle = nil
        #expect(try await plain.makeBody().bytes() == pieces.reduce(into: []) { $0 += $1 })
    }

    @Test func `small pieces fill a throttled packet before a pause`() async throws {
        let clock = SteppingClock()
        var form = try MultipartFormData(boundary: "B")
        form.append(stream: Pieces(Array(repeating: "x", count: 100)), name: "s", length: 100)
        form.throttle = .packets(of: 50, delay: .seconds(1))
        let bytes = try await form.makeBody(clock: clock).bytes()
        #expect(clock.sleeps == Array(repeating: .seconds(1), count: (bytes.count - 1) / 50))
    }

    @Test(arguments: [1, 1000, 100_000, 2_000_000]) func `a throttle sends its number of bytes a second`(rate: Int)
        async throws
    {
        let clock = SteppingClock()
        let form = try form(rate * 3, .bytesPerSecond(rate))
        let pieces = try await form.makeBody(clock: clock).pieces()
        let length = try #require(form.contentLength)
        #expect(pieces.reduce(0) { $0 + $1.count } == length)
        // The first packet is sent at once.
        let packet = min(max(rate / 20, 1), 65_536)
        let expected = Double(length - packet) / Double(rate)
        let taken = Double(clock.now.offset.components.seconds) + Double(clock.now.offset.components.attoseconds) / 1e18
        #expect(abs(taken - expected) <= Double(packet) / Double(rate) + 0.001)
    }

    @Test func `a throttle makes up for lost time by one packet at most`() {
        var pacer = ThrottlePacer(.bytesPerSecond(1000))
        #expect(pacer.admit(50, after: .zero) == (50, .zero))
        #expect(pacer.admit(50, after: .zero) == (50, .milliseconds(50)))
        // Ten seconds late.
        #expect(pacer.admit(50, after: .seconds(10)) == (50, .zero))
        #expect(pacer.admit(50, after: .seconds(10)) == (50, .zero))
        #expect(pacer.admit(50, after: .seconds(10)) == (50, .milliseconds(50)))
    }

    @Test func `the pause of a throttle has its full length however late it begins`() {
        var pacer = ThrottlePacer(.packets(of: 10, delay: .seconds(1)))
        #expect(pacer.admit(4, after: .zero) == (4, .zero))
        #expect(pacer.admit(10, after: .seconds(5)) == (6, .zero))
        #expect(pacer.admit(10, after: .seconds(5)) == (10, .seconds(1)))
        #expect(pacer.admit(10, after: .seconds(20)) == (10, .zero))
    }

    @Test func `copies of a throttled form and every sending of it are throttled`() async throws {
        let form = try form(1000, .packets(of: 100, delay: .seconds(1)))
        let copy = form
        let clock = SteppingClock()
        let body = try copy.makeBody(clock: clock)
        _ = try await body.bytes()
        let once = clock.sleeps.count
        #expect(once == 10)
        _ = try await body.bytes()
        #expect(clock.sleeps.count == 2 * once)
    }

    @Test func `a throttled form in a file is throttled when it is sent, not when it is written`() async throws {
        try await withDirectory { directory in
            let clock = SteppingClock()
            let form = try form(1000, .packets(of: 100, delay: .seconds(1)))
            let file = directory.appending(path: "form")
            let body = try await form.write(to: file, overwrites: false, clock: clock)
            #expect(clock.sleeps.isEmpty)
            #expect(try await Data(body.bytes()) == Data(contentsOf: file))
            #expect(clock.sleeps.count == 10)
        }
    }

    @Test(arguments: [
        UploadThrottle.packets(of: 0, delay: .zero), .packets(of: 1, delay: .milliseconds(-1)), .bytesPerSecond(0),
        .bytesPerSecond(-5),
    ]) func `a throttle that lets no byte pass is refused`(throttle: UploadThrottle) throws {
        #expect(throws: NetworkingError(.requestSerializationFailed, "")) { try form(1, throttle).makeBody() }
    }

    @Test func `the pause of a throttle ends when the sending is cancelled`() async throws {
        let body = try form(1000, .packets(of: 1, delay: .seconds(3600))).makeBody()
        let (sent, signal) = AsyncStream<Void>.makeStream()
        guard case .produced(_, _, let produce) = body.storage else {
            Issue.record("a throttled body is produced")
            return
        }
        let task = Task { try await produce(.bytes { _ in signal.yield() }) }
        for await _ in sent.prefix(1) {}
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `the throttle suggested for 3G is AFNetworking's`() {
        #expect(UploadThrottle.suggestedFor3G == .packets(of: 16_384, delay: .milliseconds(200)))
    }
}
