/// How urgent a response is (RFC 9218): what a server that sends several at once may go by.
///
/// Counterpart of `NSURLRequest.networkServiceType`.
public struct RequestPriority: Sendable, Hashable, CustomStringConvertible {
    /// From 0, first, to 7, last. Default: 3.
    public let urgency: Int

    /// Whether the response is of use before it is complete, so that it may share the connection with others of its urgency.
    /// Default: false.
    public let isIncremental: Bool

    /// Makes a priority.
    ///
    /// - Parameters:
    ///   - urgency: From 0, first, to 7, last; other numbers count as the nearest. Default: 3.
    ///   - isIncremental: Whether the response is of use before it is complete. Default: false.
    public init(urgency: Int = 3, isIncremental: Bool = false) {
        self.urgency = min(max(urgency, 0), 7)
        self.isIncremental = isIncremental
    }

    /// What a user waits for. Urgency 1.
    public static let responsive = RequestPriority(urgency: 1)
    /// The priority of a request that says nothing. Urgency 3.
    public static let normal = RequestPriority()
    /// What nobody waits for. Urgency 7, which RFC 9218 §4.1 keeps for background work.
    public static let background = RequestPriority(urgency: 7)

    /// The value of the header field (RFC 9218 §4): `u=1, i`, without what is the default; empty for ``normal``.
    public var description: String {
        let urgency = urgency == 3 ? nil : "u=\(urgency)"
        return [urgency, isIncremental ? "i" : nil].compactMap(\.self).joined(separator: ", ")
    }
}
