import FoundationEssentials
import HTTPTypes

/// A protocol that a request asks its server to go on with in place of HTTP: by `Upgrade` on
/// HTTP/1.1 (RFC 9110 §7.8), by `:protocol` on HTTP/2 (RFC 8441 §4).
///
/// The response that agrees opens a ``ByteTunnel``.
enum ProtocolUpgrade: Sendable, Hashable {
    /// RFC 6455.
    case webSocket

    /// The name of the protocol in `Upgrade` and `:protocol`, which compares without case.
    var token: String {
        switch self {
        case .webSocket: "websocket"
        }
    }

    /// The fields that ask for the protocol on HTTP/1.1. A connection of HTTP/2 sends none of them,
    /// and `:protocol` instead (RFC 8441 §5).
    static let fieldNames: [HTTPField.Name] = [.connection, .upgrade, .secWebSocketKey]

    /// Replaces the fields that ask for the protocol on HTTP/1.1 by new ones.
    ///
    /// RFC 6455 §4.1: the key is 16 random bytes, made anew for each connection.
    func ask(in fields: inout HTTPFields) {
        fields[.connection] = "Upgrade"
        fields[.upgrade] = token
        switch self {
        case .webSocket:
            var generator = SystemRandomNumberGenerator()
            let key = Data((0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
            fields[.secWebSocketKey] = key.base64EncodedString()
        }
    }

    /// Whether the head of a response with status 101 names this protocol, and no other.
    ///
    /// RFC 9110 §7.8: a server that switches sends the protocol in `Upgrade`.
    func isNamed(in head: ResponseHead) -> Bool {
        let names = head.values(for: .upgrade)
        return names.count == 1 && names[0].lowercased() == token
    }
}
