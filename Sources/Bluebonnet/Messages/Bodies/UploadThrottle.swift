/// How fast a body is sent: for slow networks, and to leave room for others.
///
/// Counterpart of `throttleBandwidthWithPacketSize:delay:`. Every sending of the body keeps to it, also after a redirect.
public struct UploadThrottle: Sendable, Hashable {
    enum Pace: Sendable, Hashable {
        case packets(size: Int, delay: Duration)
        case bytesPerSecond(Int)
    }

    let pace: Pace

    /// What AFNetworking suggests for 3G: packets of 16384 bytes with 0.2 seconds between them.
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
