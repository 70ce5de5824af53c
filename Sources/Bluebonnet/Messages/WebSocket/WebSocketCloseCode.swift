/// The reason for which a WebSocket was closed, as a number (RFC 6455 §7.4).
///
/// A struct, because servers have codes of their own: 3000 to 3999 are registered with IANA, and
/// 4000 to 4999 are for private use.
///
/// Counterpart of `URLSessionWebSocketTask.CloseCode`.
public struct WebSocketCloseCode: RawRepresentable, Sendable, Hashable, ExpressibleByIntegerLiteral {
    /// The number.
    public let rawValue: UInt16

    /// Makes a code of any number.
    ///
    /// - Parameter rawValue: The number.
    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// Makes a code of a number.
    public init(integerLiteral value: UInt16) {
        rawValue = value
    }

    /// The purpose of the connection is fulfilled.
    public static let normalClosure: Self = 1000
    /// The server is going down, or the client leaves.
    public static let goingAway: Self = 1001
    /// The other side has broken the protocol.
    public static let protocolError: Self = 1002
    /// A kind of message that this side cannot take.
    public static let unsupportedData: Self = 1003
    /// The peer has closed without a code. Never sent.
    public static let noStatus: Self = 1005
    /// The connection was lost without a close. Never sent.
    public static let abnormalClosure: Self = 1006
    /// A message whose content is not of its type, such as text that is not UTF-8.
    public static let invalidPayload: Self = 1007
    /// A message that breaks a rule of the application.
    public static let policyViolation: Self = 1008
    /// A message that is too big.
    public static let messageTooBig: Self = 1009
    /// The server did not agree to an extension that the client needs.
    public static let mandatoryExtension: Self = 1010
    /// The server has met with an unexpected condition.
    public static let internalError: Self = 1011
    /// The service restarts; the client may come back.
    public static let serviceRestart: Self = 1012
    /// The server is overloaded; the client may come back later.
    public static let tryAgainLater: Self = 1013
    /// A gateway had an invalid response from the server behind it.
    public static let badGateway: Self = 1014

    /// Whether a Close frame may have it. RFC 6455 §7.4.1 and §7.4.2, with the codes that IANA has
    /// registered since.
    var isAllowedInFrame: Bool {
        switch rawValue {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }

    /// Whether a close with it is an end that was to be expected, and no error.
    var isExpected: Bool { self == .normalClosure || self == .goingAway || self == .noStatus }
}

extension WebSocketCloseCode: CustomStringConvertible {
    /// The number and, of the registered codes, the name: `1001 (going away)`.
    public var description: String {
        let name: String? =
            switch rawValue {
            case 1000: "normal closure"
            case 1001: "going away"
            case 1002: "protocol error"
            case 1003: "unsupported data"
            case 1005: "no status"
            case 1006: "abnormal closure"
            case 1007: "invalid payload"
            case 1008: "policy violation"
            case 1009: "message too big"
            case 1010: "mandatory extension"
            case 1011: "internal error"
            case 1012: "service restart"
            case 1013: "try again later"
            case 1014: "bad gateway"
            default: nil
            }
        return name.map { "\(rawValue) (\($0))" } ?? "\(rawValue)"
    }
}

/// The end of a WebSocket: its code, and the reason that came with it.
///
/// ``NetworkingError/webSocketClosure`` has it where the end was an error. Counterpart of
/// `closeCode` and `closeReason` of `URLSessionWebSocketTask`; AFNetworking has no WebSockets.
public struct WebSocketClosure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The code: that of the peer's Close frame; ``WebSocketCloseCode/noStatus`` for one without a
    /// code, and ``WebSocketCloseCode/abnormalClosure`` where the connection ended without one
    /// (RFC 6455 §7.1.5).
    public let code: WebSocketCloseCode
    /// The reason that the peer gave, for people who look for a fault; empty for none (RFC 6455
    /// §7.1.6).
    public let reason: String

    /// Makes an end.
    ///
    /// - Parameters:
    ///   - code: The code.
    ///   - reason: The reason. Default: none.
    public init(code: WebSocketCloseCode, reason: String = "") {
        self.code = code
        self.reason = reason
    }

    /// Code and reason: `1008 (policy violation): too many messages`.
    public var description: String { reason.isEmpty ? "\(code)" : "\(code): \(ASCII.escaped(reason.utf8, limit: 123))" }
}

extension NetworkingError {
    /// The end of the WebSocket, where the error is that: of
    /// ``NetworkingError/Code/webSocketClosed``, and of the other errors that ended one.
    public var webSocketClosure: WebSocketClosure? { underlying as? WebSocketClosure }
}
