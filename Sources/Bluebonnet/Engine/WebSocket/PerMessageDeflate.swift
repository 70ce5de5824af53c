/// The parameters of permessage-deflate that were agreed upon (RFC 7692 §7.1), and their
/// negotiation.
struct PerMessageDeflate: Sendable, Hashable {
    static let name = "permessage-deflate"

    /// Whether each message of the server is compressed by itself (§7.1.1.1).
    var hasServerNoContext = false
    /// Whether each message of the client is (§7.1.1.2).
    var hasClientNoContext = false
    /// The size of the window of the server as a power of 2 (§7.1.2.1).
    var serverWindowBits = 15
    /// That of the client (§7.1.2.2).
    var clientWindowBits = 15
    /// The choices of the client that the server does not hear of.
    var level = 6
    var minimumSize = 0

    /// The extension as it is offered (§7.1). `client_max_window_bits` says that the server may
    /// choose the window of the client.
    static func offer(_ options: WebSocketCompression) -> String {
        var offer = name
        if !options.usesServerContext { offer += "; server_no_context_takeover" }
        if !options.usesClientContext { offer += "; client_no_context_takeover" }
        let bits = windowBits(options)
        if bits < 15 { offer += "; server_max_window_bits=\(bits)" }
        return offer + "; client_max_window_bits"
    }

    private static func windowBits(_ options: WebSocketCompression) -> Int { min(max(options.serverWindowBits, 8), 15) }

    /// Reads what the server has agreed to.
    ///
    /// - Parameters:
    ///   - extensions: The extensions of the response: none, or this one.
    ///   - options: What was offered; nil for nothing.
    /// - Returns: The parameters; nil where the server has agreed to no extension.
    /// - Throws: A sentence that says which rule of RFC 6455 §4.1 or RFC 7692 §7 is broken. The
    ///   client then fails the connection.
    static func accepted(
        _ extensions: [WebSocketExtension],
        offered options: WebSocketCompression?
    ) throws(WebSocketHandshakeFault) -> PerMessageDeflate? {
        guard let accepted = extensions.first else { return nil }
        guard let options, accepted.name == name else {
            throw WebSocketHandshakeFault(
                "The server agreed to the extension \(accepted.shownName), which was not offered."
            )
        }
        guard extensions.count == 1 else {
            throw WebSocketHandshakeFault("The server agreed to \(name) more than once.")
        }
        var deflate = PerMessageDeflate()
        deflate.level = min(max(options.level, 1), 9)
        deflate.minimumSize = options.minimumSize
        // §7.1.1.2: the client may do without what it was not asked to do without.
        deflate.hasClientNoContext = !options.usesClientContext
        var seen: Set<String> = []
        for parameter in accepted.parameters {
            guard seen.insert(parameter.name).inserted else {
                throw WebSocketHandshakeFault("The server sent the parameter \(parameter.name) of \(name) twice.")
            }
            try deflate.accept(parameter.name, parameter.value)
        }
        // §7.1.1.1 and §7.1.2.1: what was demanded must be in the response.
        guard options.usesServerContext || deflate.hasServerNoContext else {
            throw WebSocketHandshakeFault("The server did not agree to server_no_context_takeover.")
        }
        guard deflate.serverWindowBits <= windowBits(options) else {
            throw WebSocketHandshakeFault("The server did not agree to server_max_window_bits=\(windowBits(options)).")
        }
        return deflate
    }

    private mutating func accept(_ name: String, _ value: String?) throws(WebSocketHandshakeFault) {
        switch (name, value) {
        case ("server_no_context_takeover", nil): hasServerNoContext = true
        case ("client_no_context_takeover", nil): hasClientNoContext = true
        case ("server_max_window_bits", let value?): serverWindowBits = try Self.bits(value, of: name)
        case ("client_max_window_bits", let value?): clientWindowBits = try Self.bits(value, of: name)
        default:
            let shown = ASCII.escaped("\(name)\(value.map { "=\($0)" } ?? "")".utf8, limit: 60)
            throw WebSocketHandshakeFault("The server sent the parameter \(shown) of \(Self.name).")
        }
    }

    /// §7.1.2: 8 to 15, without leading zeros.
    private static func bits(_ value: String, of name: String) throws(WebSocketHandshakeFault) -> Int {
        guard let bits = Int(value), 8...15 ~= bits, String(bits) == value else {
            let shown = ASCII.escaped(value.utf8, limit: 20)
            throw WebSocketHandshakeFault("The server sent \(name)=\(shown), which is not between 8 and 15.")
        }
        return bits
    }
}

/// One extension of a `Sec-WebSocket-Extensions` field (RFC 6455 §9.1).
struct WebSocketExtension: Hashable {
    let name: String
    /// The parameters in their order; a value is nil where there is none.
    let parameters: [Parameter]

    struct Parameter: Hashable {
        let name: String
        let value: String?
    }

    var shownName: String { "“\(ASCII.escaped(name.utf8, limit: 40))”" }

    /// Reads the values of all fields; nil where they break the grammar of RFC 6455 §9.1.
    static func list(_ values: [String]) -> [WebSocketExtension]? {
        var extensions: [WebSocketExtension] = []
        for value in values {
            var scanner = Scanner(value)
            repeat {
                // RFC 9110 §5.6.1.2: empty elements of a list are passed over.
                scanner.skipBlanks()
                if scanner.isAtEnd || scanner.next == UInt8(ascii: ",") { continue }
                guard let found = scanner.readExtension() else { return nil }
                extensions.append(found)
            } while scanner.take(UInt8(ascii: ","))
            guard scanner.isAtEnd else { return nil }
        }
        return extensions
    }
}

extension WebSocketExtension {
    private struct Scanner {
        private var bytes: Substring.UTF8View

        init(_ text: String) {
            bytes = text[...].utf8
        }

        var next: UInt8? { bytes.first }
        var isAtEnd: Bool { bytes.isEmpty }

        mutating func skipBlanks() {
            bytes = bytes.drop(while: ASCII.isBlank)
        }

        /// Takes a byte, if it is next, with the blanks around it.
        mutating func take(_ byte: UInt8) -> Bool {
            skipBlanks()
            guard bytes.first == byte else { return false }
            bytes = bytes.dropFirst()
            skipBlanks()
            return true
        }

        mutating func readExtension() -> WebSocketExtension? {
            guard let name = readToken() else { return nil }
            var parameters: [Parameter] = []
            while take(UInt8(ascii: ";")) {
                guard let name = readToken() else { return nil }
                var value: String?
                if take(UInt8(ascii: "=")) {
                    guard let read = next == UInt8(ascii: "\"") ? readQuoted() : readToken() else { return nil }
                    value = read
                }
                parameters.append(Parameter(name: name.lowercased(), value: value))
            }
            return WebSocketExtension(name: name.lowercased(), parameters: parameters)
        }

        private mutating func readToken() -> String? {
            let token = bytes.prefix(while: ASCII.isToken)
            guard !token.isEmpty else { return nil }
            bytes = bytes.dropFirst(token.count)
            return String(token)
        }

        /// RFC 6455 §9.1: what is quoted is a token when the quotes are removed.
        private mutating func readQuoted() -> String? {
            bytes = bytes.dropFirst()
            guard let token = readToken(), bytes.first == UInt8(ascii: "\"") else { return nil }
            bytes = bytes.dropFirst()
            return token
        }
    }
}
