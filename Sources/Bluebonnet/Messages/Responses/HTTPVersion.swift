/// The version of HTTP that a response was received in.
///
/// Counterpart of `networkProtocolName` of `NSURLSessionTaskTransactionMetrics`.
public struct HTTPVersion: Sendable, Hashable, Comparable {
    // Bytes, because each head of a response has a version.
    private let majorNumber: UInt8
    private let minorNumber: UInt8

    /// The first number of the version.
    public var major: Int { Int(majorNumber) }
    /// The number after the dot; 0 for versions that are written without one.
    public var minor: Int { Int(minorNumber) }

    private init(major: UInt8, minor: UInt8) {
        majorNumber = major
        minorNumber = minor
    }

    /// HTTP/1.0 (RFC 1945).
    public static let http1_0 = Self(major: 1, minor: 0)
    /// HTTP/1.1 (RFC 9112).
    public static let http1_1 = Self(major: 1, minor: 1)
    /// HTTP/2 (RFC 9113).
    public static let http2 = Self(major: 2, minor: 0)

    /// Whether `lhs` is the older version.
    public static func < (lhs: Self, rhs: Self) -> Bool {
        (lhs.major, lhs.minor) < (rhs.major, rhs.minor)
    }
}

extension HTTPVersion: CustomStringConvertible {
    /// The version as it is usually written: "1.0", "1.1" or "2".
    public var description: String {
        // Nearly all are this one, for which nothing is put together.
        if self == .http1_1 { return "1.1" }
        return major < 2 ? "\(major).\(minor)" : "\(major)"
    }
}
