import NIOCore
import Synchronization

extension RequestBody {
    /// The same body, sent no faster than the throttle allows. Every sending begins anew.
    func throttled(_ throttle: UploadThrottle, clock: some Clock<Duration>) -> RequestBody {
        RequestBody(
            .produced(length: length, isReplayable: isReplayable) { sink in
                let gate = ThrottleGate(throttle, clock: clock)
                try await produce(.bytes { piece in try await gate.pass(piece, to: sink) })
            }
        )
    }
}

/// Lets one sending of a body through, packet by packet.
private final class ThrottleGate<Time: Clock<Duration>>: Sendable {
    private let pacer: Mutex<ThrottlePacer>
    private let clock: Time
    private let start: Time.Instant

    init(_ throttle: UploadThrottle, clock: Time) {
        pacer = Mutex(ThrottlePacer(throttle))
        self.clock = clock
        start = clock.now
    }

    func pass(_ piece: ByteBuffer, to sink: RequestBody.Sink) async throws {
        var rest = piece
        while rest.readableBytes > 0 {
            let elapsed = start.duration(to: clock.now)
            let (count, wait) = pacer.withLock { $0.admit(rest.readableBytes, after: elapsed) }
            if wait > .zero { try await clock.sleep(for: wait) }
            if let packet = rest.readSlice(length: count) { try await sink(packet) }
        }
    }
}
