import FoundationEssentials
import HTTPTypes

extension HTTPField.Name {
    static let uploadComplete = HTTPField.Name("Upload-Complete")
    static let uploadOffset = HTTPField.Name("Upload-Offset")
    static let uploadLength = HTTPField.Name("Upload-Length")
    static let uploadLimit = HTTPField.Name("Upload-Limit")
    static let uploadDraftInteropVersion = HTTPField.Name("Upload-Draft-Interop-Version")
}

/// What a response says of an upload, by the fields of the draft (§4.1). A field whose value is
/// another than the draft has counts as not there, and so does one that is there twice.
struct UploadStatus: Sendable, Equatable {
    var code: Int
    var offset: Int?
    var isComplete: Bool?
    var length: Int?
    /// The most bytes of one request (`max-append-size`).
    var mostAtOnce: Int?

    init(code: Int, offset: Int? = nil, isComplete: Bool? = nil, length: Int? = nil, mostAtOnce: Int? = nil) {
        self.code = code
        self.offset = offset
        self.isComplete = isComplete
        self.length = length
        self.mostAtOnce = mostAtOnce
    }

    init(_ head: ResponseHead) {
        func only(_ name: HTTPField.Name?) -> String? {
            guard let name else { return nil }
            let values = head.values(for: name)
            return values.count == 1 ? values[0] : nil
        }
        code = head.statusCode
        offset = only(.uploadOffset).flatMap(Self.count)
        length = only(.uploadLength).flatMap(Self.count)
        isComplete = only(.uploadComplete).flatMap(Self.boolean)
        mostAtOnce = HTTPField.Name.uploadLimit.flatMap { Self.mostAtOnce(head.values(for: $0)) }
    }

    /// An integer that is not negative (RFC 9651 §3.3.1), with or without parameters.
    static func count(_ text: String) -> Int? {
        let digits = item(text)
        guard 1...15 ~= digits.utf8.count, digits.utf8.allSatisfy({ 48...57 ~= $0 }) else { return nil }
        return Int(digits)
    }

    /// A boolean (RFC 9651 §3.3.6), with or without parameters.
    static func boolean(_ text: String) -> Bool? {
        switch item(text) {
        case "?1": true
        case "?0": false
        default: nil
        }
    }

    private static func item(_ text: String) -> Substring {
        var item = text.prefix { $0 != ";" }.drop { $0 == " " }
        while item.last == " " { item.removeLast() }
        return item
    }

    /// The limit of one request (§4.1.4). A member of a type that it must not have makes the whole
    /// field count as not there.
    private static func mostAtOnce(_ values: [String]) -> Int? {
        guard !values.isEmpty, let dictionary = StructuredDictionary(values.joined(separator: ",")) else { return nil }
        let known = ["max-size", "min-size", "max-append-size", "min-append-size", "max-age"]
        guard known.allSatisfy({ !dictionary.keys.contains($0) || dictionary.integers[$0] != nil }) else { return nil }
        return dictionary.integers["max-append-size"]
    }
}

extension Request {
    /// Why its upload cannot be resumed; nil where it can.
    var faultOfResumption: String? {
        guard let body else { return "it has no body" }
        if !body.isReplayable { return "its body can be read only once" }
        if body.length == 0 { return "its body is empty" }
        if body.trailers != nil { return "its body has trailers" }
        if [.get, .head, .trace].contains(method) { return "its method is that of no upload" }
        if headerFields.contains(where: { $0.name.canonicalName.hasPrefix("upload-") }) {
            return "it has an Upload field of its own"
        }
        return headerFields.contains(.contentRange) ? "it has a Content-Range" : nil
    }

    /// The same request as the creation of an upload that can be resumed (§4.2.1), whose body is
    /// whole; nil for one that cannot be, or that has fields of the draft of its own.
    func offered(_ version: ResumableUploads.DraftVersion) -> Request? {
        guard faultOfResumption == nil, let body, let complete = HTTPField.Name.uploadComplete,
            let interop = HTTPField.Name.uploadDraftInteropVersion
        else { return nil }
        var request = self
        request.headerFields[complete] = "?1"
        request.headerFields[interop] = version.description
        // Interop version 6 has no Upload-Length.
        if version != .version6, let length = body.length, let name = HTTPField.Name.uploadLength {
            request.headerFields[name] = "\(length)"
        }
        return request
    }

    /// The request to the upload resource that continues the upload of this request.
    ///
    /// It has the fields of this one, as long as they do not describe the representation, which the
    /// server knows from the creation. What was meant for one origin does not go to another.
    func toUploadResource(_ method: HTTPRequest.Method, _ url: URL, _ version: ResumableUploads.DraftVersion) -> Request
    {
        var request = self
        request.method = method
        request.body = nil
        request.headerFields.removeAll { name in
            name.hasPrefix("content-") || name.hasPrefix("upload-") || name.hasPrefix("if-")
                || ["transfer-encoding", "trailer", "expect", "range", "digest", "repr-digest"].contains(name)
                // That of the creation: the server would repeat its response.
                || name == "idempotency-key"
        }
        if Redirects.origin(of: self.url) != Redirects.origin(of: url) {
            request.headerFields.removeAll(where: Redirects.isMeantForOrigin)
        }
        request.setURL(url, target: nil)
        if let interop = HTTPField.Name.uploadDraftInteropVersion {
            request.headerFields[interop] = version.description
        }
        return request
    }

    /// The request that appends a part of the representation (§4.4.1).
    func appending(
        _ part: RequestBody,
        at offset: Int,
        isLast: Bool,
        to url: URL,
        _ version: ResumableUploads.DraftVersion
    ) -> Request {
        var request = toUploadResource(.patch, url, version)
        request.body = part
        if let complete = HTTPField.Name.uploadComplete { request.headerFields[complete] = isLast ? "?1" : "?0" }
        if let name = HTTPField.Name.uploadOffset { request.headerFields[name] = "\(offset)" }
        request.headerFields[.contentType] = "application/partial-upload"
        return request
    }
}
