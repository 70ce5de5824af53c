import FoundationEssentials
import HTTPTypes
import NIOCore

/// The places of serialized parameters.
extension Request {
    /// Appends to the query of the URL, before a fragment (RFC 3986 §3.5). An empty query appends
    /// nothing. A URL that was taken apart already is not taken apart again.
    mutating func appendQuery(_ query: String) throws(NetworkingError) {
        guard !query.isEmpty else { return }
        let old = url.absoluteString
        let end = old.utf8.firstIndex(of: UInt8(ascii: "#")) ?? old.endIndex
        let separator = old.utf8[..<end].contains(UInt8(ascii: "?")) ? "&" : "?"
        let text = "\(old[..<end])\(separator)\(query)\(old[end...])"
        // A rule of the user's own may make a text that no URL can have. `URL` would then also
        // encode every percent sign again, those of the path among them.
        let exact = URL(string: text, encodingInvalidCharacters: false)
        guard let url = exact ?? URL(string: URLText.encoded(text)) else {
            throw NetworkingError(
                .requestSerializationFailed,
                "The parameters cannot be a query of the URL \(url.redactedDescription).",
                request: self
            )
        }
        var target = knownTarget
        // It may also make one with a fragment.
        if url.absoluteString == text, !query.utf8.contains(UInt8(ascii: "#")) {
            target?.path += separator + query
        } else {
            target = nil
        }
        setURL(url, target: target)
    }

    /// Sets the body, and its type unless one is set.
    mutating func setBody(_ bytes: ByteBuffer, contentType: String) {
        if !headerFields.contains(.contentType) {
            headerFields.append(HTTPField(name: .contentType, value: contentType))
        }
        body = RequestBody(.bytes(bytes))
    }
}
