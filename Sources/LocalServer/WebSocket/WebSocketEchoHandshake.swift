import Crypto
import HTTPTypes

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The opening handshake of a WebSocket that sends back what it receives (RFC 6455 §4.2), as a
/// value without I/O.
enum WebSocketEchoHandshake {
    /// The fields of the response with status 101; nil for a request that opens no WebSocket.
    static func fields(for request: HTTPRequest) -> HTTPFields? {
        let fields = request.headerFields
        // RFC 6455 §4.2.1.
        guard request.method == .get, list(fields[.upgrade]).contains("websocket"),
            list(fields[.connection]).contains("upgrade"), fields[.secWebSocketVersion] == "13",
            let key = fields[.secWebSocketKey], Data(base64Encoded: key)?.count == 16
        else { return nil }
        var response: HTTPFields = [
            .upgrade: "websocket", .connection: "Upgrade", .secWebSocketAccept: accept(key),
        ]
        // The first one is the preferred one (§4.1).
        let protocols = (fields[.secWebSocketProtocol] ?? "").split(separator: ",").map { trimmed($0) }
        if let first = protocols.first(where: { !$0.isEmpty }) { response[.secWebSocketProtocol] = first }
        response[.secWebSocketExtensions] = compression(offers: fields[.secWebSocketExtensions] ?? "")
        return response
    }

    /// The value of `Sec-WebSocket-Accept` that belongs to a key (RFC 6455 §4.2.2).
    static func accept(_ key: String) -> String {
        Data(Insecure.SHA1.hash(data: Data((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8))).base64EncodedString()
    }

    /// The agreement to the first offer of permessage-deflate (RFC 7692 §7) under which compressed
    /// messages can be sent back as they came; nil for none.
    ///
    /// The window of the client then is not larger than that of the server, and both directions
    /// keep theirs, or do not, alike.
    static func compression(offers: String) -> String? {
        for offer in offers.split(separator: ",") {
            var parameters = offer.split(separator: ";").map { trimmed($0).lowercased() }[...]
            guard parameters.popFirst() == "permessage-deflate", let agreed = agreement(to: Array(parameters)) else {
                continue
            }
            return agreed
        }
        return nil
    }

    private static func agreement(to parameters: [String]) -> String? {
        var agreed = "permessage-deflate"
        var isWithoutContext = false
        var serverBits: Int?
        // The largest window that the client can be told; nil where it can be told none.
        var clientBits: Int?
        for parameter in parameters {
            let parts = parameter.split(separator: "=", maxSplits: 1).map { trimmed($0) }
            let value = parts.count == 2 ? Int(parts[1].filter { $0 != "\"" }) : nil
            switch (parts.first, value, parts.count) {
            case ("server_no_context_takeover", _, 1), ("client_no_context_takeover", _, 1): isWithoutContext = true
            case ("server_max_window_bits", let bits?, 2) where 8...15 ~= bits: serverBits = bits
            case ("client_max_window_bits", _, 1): clientBits = 15
            case ("client_max_window_bits", let bits?, 2) where 8...15 ~= bits: clientBits = bits
            // §7.1: an offer with a parameter that is not known is declined.
            default: return nil
            }
        }
        if isWithoutContext { agreed += "; server_no_context_takeover; client_no_context_takeover" }
        if let serverBits {
            // §7.1.2.2: only a client that has named its window can be told how large it is, and
            // no larger one than that.
            guard clientBits != nil || serverBits == 15 else { return nil }
            agreed += "; server_max_window_bits=\(serverBits)"
            if let clientBits { agreed += "; client_max_window_bits=\(min(clientBits, serverBits))" }
        }
        return agreed
    }

    /// The members of a list in lower case.
    private static func list(_ value: String?) -> [String] {
        (value ?? "").split(separator: ",").map { trimmed($0).lowercased() }
    }

    private static func trimmed(_ text: Substring) -> String {
        String(text.drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
    }
}
