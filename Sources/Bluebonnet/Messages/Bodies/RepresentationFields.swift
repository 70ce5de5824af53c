import HTTPTypes

/// The fields that describe a file beside its version: a response with a part of it leaves them out
/// when the request has `If-Range` (RFC 9110 §15.3.7), and they are those of the first response.
struct RepresentationFields: Sendable, Hashable, Codable {
    /// Longer values are not kept.
    private static let longestValue = 512

    private var contentType: String?
    private var contentDisposition: String?

    init() {}

    init(_ head: ResponseHead) {
        func value(_ name: HTTPField.Name) -> String? {
            head[name].flatMap { $0.utf8.count <= Self.longestValue ? $0 : nil }
        }
        contentType = value(.contentType)
        contentDisposition = value(.contentDisposition)
    }

    /// The head of a response with a part, with the fields that it left out.
    func completing(_ head: ResponseHead) -> ResponseHead {
        var fields = head.headerFields
        for (name, value) in [(HTTPField.Name.contentType, contentType), (.contentDisposition, contentDisposition)] {
            guard let value, HTTPField.isValidValue(value), fields[name] == nil else { continue }
            fields[name] = value
        }
        return ResponseHead(status: head.status, headerFields: fields)
    }
}
