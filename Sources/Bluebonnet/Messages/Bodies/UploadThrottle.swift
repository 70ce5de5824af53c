import NIOCore
import Synchronization

/// A limit for the speed at which a body is sent: for slow networks, and to leave room for others.
///
/// Every sending of the body keeps to it, also after a redirect.
///
/// Counterpart of `throttleBandwidthWithPacketSize:delay:` of AFNetworking.
public struct UploadThrottle: Sendable, Hashable {
    enum Pace: Sendable, Hashable {
        case packets(size: Int, delay: Duration)
        case bytesPerSecond(Int)
    }

    let pace: Pace

    /// The throttle that AFNetworking suggests for 3G: packets of 16384 bytes with 0.2 seconds
    /// between them.
    ///
    /// (`kAFUploadStream3GSuggestedPacketSize`, `kAFUploadStream3GSuggestedDelay`.)
    public static let suggestedFor3G = packets(of: 16_384, delay: .milliseconds(200))

    /// Sends packets with a pause between them.
    ///
    /// - Parameters:
    ///   - size: The size of a packet in bytes, at least 1.
    ///   - delay: The time between the end of one packet and the next. At least 0.
    /// - Returns: The throttle.
    public static func packets(of size: Int, delay: Duration) -> UploadThrottle {
        UploadThrottle(pace: .packets(size: size, delay: delay))
    }

    /// Sends so many bytes a second, evenly: twenty times a second, or more often.
    ///
    /// - Parameter count: The number of bytes a second, at least 1.
    /// - Returns: The throttle.
    public static func bytesPerSecond(_ count: Int) -> UploadThrottle {
        UploadThrottle(pace: .bytesPerSecond(count))
    }

    /// Whether anything gets through.
    var isPossible: Bool {
        switch pace {
        case .packets(let size, let delay): size > 0 && delay >= .zero
        case .bytesPerSecond(let count): count > 0
        }
    }
}

extension RequestBody {
    /// The same body, sent no faster than the throttle allows. Every sending begins anew.
    func throttled(_ throttle: UploadThrottle, clock: some Clock<Duration>) -> RequestBody {
        var body = RequestBody(
            .produced(length: length, isReplayable: isReplayable) { sink in
                let gate = ThrottleGate(throttle, clock: clock)
                try await produce(.bytes { piece in try await gate.pass(piece, to: sink) })
            },
            files: files
        )
        body.use = use
        body.trailers = trailers
        return body
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

/// Decides how much of a throttled body may be sent when. A value without a clock: its times count
/// from the beginning.
struct ThrottlePacer: Sendable {
    private let packetSize: Int
    private let interval: Duration

    /// Whether packets begin an interval apart, so that a pause that lasted too long is made up
    /// for, by one packet at most. Otherwise the interval lies between them.
    private let isRate: Bool

    /// The bytes that are left of the packet.
    private var room: Int

    /// The time at which the next packet may begin.
    private var due: Duration = .zero

    /// The throttle must be possible.
    init(_ throttle: UploadThrottle) {
        switch throttle.pace {
        case .packets(let size, let delay):
            packetSize = size
            interval = delay
            isRate = false
        case .bytesPerSecond(let count):
            packetSize = min(max(count / 20, 1), 65_536)
            interval = .nanoseconds(packetSize * 1_000_000_000 / count)
            isRate = true
        }
        room = packetSize
    }

    /// Admits the next bytes: how many of the available ones may be sent, and after which wait.
    mutating func admit(_ available: Int, after elapsed: Duration) -> (count: Int, wait: Duration) {
        var wait = Duration.zero
        if room == 0 {
            wait = max(.zero, due - elapsed)
            room = packetSize
        }
        let count = min(room, available)
        room -= count
        if room == 0 {
            let now = elapsed + wait
            due = isRate ? max(due, now - interval) + interval : now + interval
        }
        return (count, wait)
    }
}
