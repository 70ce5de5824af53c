import Crypto
import FoundationEssentials
import HTTPTypes

/// A rule of the opening handshake that the server has broken (RFC 6455 §4.1).
struct WebSocketHandshakeFault: Error, Hashable {
    let sentence: String

    init(_ sentence: String) {
        self.sentence = sentence
    }
}

/// The opening handshake of a client (RFC 6455 §4.1), as a value without I/O.
struct WebSocketHandshake: Sendable {
    /// What both sides have agreed upon.
    struct Agreement: Sendable, Hashable {
        /// The subprotocol; nil for none.
        var subprotocol: String?
        /// The compression; nil for none.
        var deflate: PerMessageDeflate?
        /// The extensions as the server named them; empty for none.
        var extensions = ""
    }

    let options: WebSocketOptions

    /// The opening request; the engine adds what belongs to one connection
    /// (``ProtocolUpgrade/ask(in:)``).
    ///
    /// - Parameter request: The request of the user: a GET without a body (RFC 6455 §4.1).
    /// - Returns: The request to send.
    /// - Throws: ``NetworkingError/Code/invalidRequest``.
    func request(_ request: Request) throws(NetworkingError) -> Request {
        guard request.method == .get, request.body == nil else {
            throw invalid(request, "A WebSocket is opened by a GET without a body.")
        }
        for name in [HTTPField.Name.secWebSocketProtocol, .secWebSocketExtensions]
        where request.headerFields.contains(name) {
            throw invalid(request, "The header \(name.rawName) is made of the options of the WebSocket.")
        }
        // RFC 6455 §4.1: tokens that differ from each other.
        guard options.protocols.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(ASCII.isToken) }) else {
            throw invalid(request, "A subprotocol has a character that no token has (RFC 9110 §5.6.2).")
        }
        guard Set(options.protocols).count == options.protocols.count else {
            throw invalid(request, "A subprotocol is named twice.")
        }
        var opening = request
        opening.upgrade = .webSocket
        opening.headerFields[.secWebSocketVersion] = "13"
        if !options.protocols.isEmpty {
            opening.headerFields[.secWebSocketProtocol] = options.protocols.joined(separator: ", ")
        }
        if let compression = options.compression {
            opening.headerFields[.secWebSocketExtensions] = PerMessageDeflate.offer(compression)
        }
        return opening
    }

    private func invalid(_ request: Request, _ message: String) -> NetworkingError {
        NetworkingError(.invalidRequest, message, request: request)
    }

    /// Checks the response that has opened a tunnel.
    ///
    /// - Parameters:
    ///   - head: The head: with status 101 on HTTP/1.1, and 2xx on HTTP/2 (RFC 8441 §5).
    ///   - request: The request as it was sent, with its key.
    /// - Returns: The agreement.
    /// - Throws: The rule that the server has broken.
    func agreement(_ head: ResponseHead, to request: Request) throws(WebSocketHandshakeFault) -> Agreement {
        if head.statusCode == 101 { try checkSwitch(head, request) }
        var agreement = Agreement()
        let protocols = head.values(for: .secWebSocketProtocol)
        if let chosen = protocols.first {
            // Of the last hop: a redirect to another origin leaves the subprotocols out.
            let offered = (request.headerFields[.secWebSocketProtocol] ?? "").split(separator: ",")
            guard protocols.count == 1, offered.contains(where: { $0.trimmingBlanks == chosen }) else {
                let shown = ASCII.escaped(chosen.utf8, limit: 40)
                throw WebSocketHandshakeFault("The server chose the subprotocol “\(shown)”, which was not offered.")
            }
            agreement.subprotocol = chosen
        }
        let values = head.values(for: .secWebSocketExtensions)
        guard let extensions = WebSocketExtension.list(values) else {
            throw WebSocketHandshakeFault("The server sent extensions that cannot be read.")
        }
        agreement.deflate = try PerMessageDeflate.accepted(extensions, offered: options.compression)
        agreement.extensions = values.joined(separator: ", ")
        return agreement
    }

    /// RFC 6455 §4.1, points 2 to 4.
    private func checkSwitch(_ head: ResponseHead, _ request: Request) throws(WebSocketHandshakeFault) {
        guard ProtocolUpgrade.webSocket.isNamed(in: head) else {
            throw WebSocketHandshakeFault("The response does not switch to “websocket”.")
        }
        let connection = head.values(for: .connection).joined(separator: ",").split(separator: ",")
        guard connection.contains(where: { $0.trimmingBlanks.lowercased() == "upgrade" }) else {
            throw WebSocketHandshakeFault("The response has no “Connection: Upgrade”.")
        }
        guard let key = request.headerFields[.secWebSocketKey] else {
            throw WebSocketHandshakeFault("The request was sent without a key.")
        }
        let accepted = head.values(for: .secWebSocketAccept)
        guard accepted.count == 1, accepted[0] == Self.accept(key) else {
            throw WebSocketHandshakeFault("The Sec-WebSocket-Accept of the response does not belong to the request.")
        }
    }

    /// The value of `Sec-WebSocket-Accept` for a key. SHA-1 protects nothing here: it shows that
    /// the server knows the protocol (RFC 6455 §10.8).
    static func accept(_ key: String) -> String {
        Data(Insecure.SHA1.hash(data: Data((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8))).base64EncodedString()
    }
}

extension Substring {
    /// Without spaces and tabs around it.
    fileprivate var trimmingBlanks: Substring {
        let start = utf8.drop(while: ASCII.isBlank)
        let end = start.lastIndex { !ASCII.isBlank($0) }.map { start.index(after: $0) } ?? start.startIndex
        return self[start.startIndex..<end]
    }
}
