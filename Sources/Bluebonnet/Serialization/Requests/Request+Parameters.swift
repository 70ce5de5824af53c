import FoundationEssentials
import HTTPTypes
import NIOCore

/// The places of serialized parameters.
extension Request {
    /// Appends to the query of the URL, before a fragment (RFC 3986 §3.5). An empty query appends
    /// nothing.
    mutating func appendQuery(_ query: String) throws(NetworkingError) {
        guard !query.isEmpty else { return }
        let text = url.absoluteString
        let end = text.utf8.firstIndex(of: UInt8(ascii: "#")) ?? text.endIndex
        let separator = text.utf8[..<end].contains(UInt8(ascii: "?")) ? "&" : "?"
        guard let url = URL(string: "\(text[..<end])\(separator)\(query)\(text[end...])") else {
            throw NetworkingError(
                .requestSerializationFailed,
                "The parameters cannot be a query of the URL \(url.redactedDescription).",
                request: self
            )
        }
        self.url = url
    }

    /// Sets the body, and its type unless one is set.
    mutating func setBody(_ bytes: ByteBuffer, contentType: String) {
        if !headerFields.contains(.contentType) {
            headerFields.append(HTTPField(name: .contentType, value: contentType))
        }
        body = RequestBody(.bytes(bytes))
    }
}
