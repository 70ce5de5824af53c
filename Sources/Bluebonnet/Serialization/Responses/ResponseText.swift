import FoundationEssentials
import HTTPTypes

/// Reads the text of response bodies by their charset.
struct ResponseText {
    /// The charset that a serializer sets for every response; nil for that of the response.
    var charset: Charset?
    /// The charset of a response that names none.
    var defaultCharset = Charset.utf8
    var fallback = Charset.Fallback.fail

    /// The text of a body.
    func string(_ body: Data, head: ResponseHead) throws(NetworkingError) -> String {
        let label = charset == nil ? head[.contentType].flatMap(Charset.label(ofContentType:)) : nil
        var named = charset
        if let label { named = try Self.charset(label) }
        let charset = named ?? Charset.marked(body)?.charset ?? defaultCharset
        do throws(CharsetError) {
            return try charset.decode(body, fallback: fallback)
        } catch {
            let source = named == nil ? ", and its Content-Type names no charset" : ""
            let message = "The response is not valid \(charset.name)\(source)."
            throw NetworkingError(.responseSerializationFailed, message, underlying: error)
        }
    }

    /// A body of JSON in an encoding that JSON parsers know; unchanged when it names such a charset
    /// or none.
    ///
    /// The `charset` parameter has no meaning for JSON (RFC 8259 §11), but servers send JSON in
    /// other charsets and name them. ISO-8859-1, windows-1252 and US-ASCII are ignored where the
    /// bytes are valid UTF-8: they are then only the default of a framework.
    static func json(_ body: Data, head: ResponseHead, charset: Charset? = nil) throws(NetworkingError) -> Data {
        var declared = charset
        if declared == nil { declared = try declaredCharset(head) }
        guard let charset = declared else { return body }
        switch charset.scheme {
        case .utf8, .utf16, .utf32: return body
        case .ascii, .latin1, .system("CP1252"):
            if String(validating: body, as: UTF8.self) != nil { return body }
        case .big5, .system: break
        }
        guard Charset.marked(body) == nil else { return body }
        do throws(CharsetError) {
            return Data(try charset.decode(body).utf8)
        } catch {
            let message = "The response is not valid \(charset.name), the charset that its Content-Type names."
            throw NetworkingError(.responseSerializationFailed, message, underlying: error)
        }
    }

    /// The body of an error as a ``JSONValue``; nil when it is empty or not JSON.
    static func errorBody(_ body: Data, head: ResponseHead) -> (any Sendable)? {
        guard !body.isBlankForJSON, let text = try? json(body, head: head) else { return nil }
        return try? JSONValue(parsing: text)
    }

    /// The charset that the `Content-Type` names; nil when it names none.
    static func declaredCharset(_ head: ResponseHead) throws(NetworkingError) -> Charset? {
        // Almost every `Content-Type` of JSON has no parameters.
        guard let contentType = head[.contentType], contentType.utf8.contains(UInt8(ascii: ";")),
            let label = Charset.label(ofContentType: contentType)
        else { return nil }
        return try Self.charset(label)
    }

    private static func charset(_ label: String) throws(NetworkingError) -> Charset {
        guard let charset = Charset(label) else {
            throw NetworkingError(
                .responseSerializationFailed,
                "The response is text in the unknown charset “\(label.shortened)”.",
                underlying: CharsetError.unknown(label)
            )
        }
        return charset
    }
}
