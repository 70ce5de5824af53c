import HTTPTypes

/// What a download does with a response, decided from its head alone.
///
/// RFC 9110 §13.1.5, §14.2, §14.4, §15.3.7 and §15.5.17.
enum DownloadStep: Equatable {
    /// The body is written from this position on. The length of the whole is nil where it is not
    /// known.
    case write(from: Int, length: Int?)
    /// Nothing is missing.
    case complete
    /// The bytes so far belong to another version, or their server does not continue them: the
    /// whole is asked for.
    case restart
    /// The response is no answer to the request.
    case refuse(String)

    /// The state of a file that is to be continued.
    struct Beginning: Equatable {
        var count: Int
        var length: Int?
        var validator: ResumeData.Validator
    }

    /// - Parameters:
    ///   - head: The head of the response.
    ///   - original: The request as the user made it.
    ///   - beginning: What the request continued; nil when it asked for the whole.
    init(_ head: ResponseHead, to original: Request, continuing beginning: Beginning?) {
        let range = head[.contentRange].flatMap { ContentRange($0) }
        // The length of the body: it is not that of an encoded one, and HEAD and a 304 have that of
        // another response (RFC 9110 §8.6).
        let hasOtherLength = head.hasContentEncoding || original.method == .head || head.statusCode == 304
        let length = hasOtherLength ? nil : head.contentLength
        switch (head.statusCode, beginning) {
        // A part that the user asked for.
        case (206, nil) where original.headerFields.contains(.range):
            self = .write(from: 0, length: length)
        case (206, nil):
            self = .refuse("The server sent a part of the file (206) and was asked for the whole.")
        case (206, let beginning?):
            // A server that does not know If-Range sends a part of whatever is there now.
            let isOtherVersion = beginning.validator.isContradicted(by: head) || head.hasContentEncoding
            let step = isOtherVersion ? .restart : Self.part(range, head, beginning)
            // §15.3.7.3: only parts with the same strong validator may be put together.
            if case .write = step, !beginning.validator.isShared(by: head) { self = .restart } else { self = step }
        case (416, let beginning?):
            // Of an unknown length, only a tag says for certain that what is here was all.
            let isWhole =
                range == .unsatisfied(length: beginning.count)
                && (beginning.length.map { $0 == beginning.count } ?? beginning.validator.isEntityTag)
            self = isWhole && !beginning.validator.isContradicted(by: head) ? .complete : .restart
        default:
            self = .write(from: 0, length: length)
        }
    }

    /// The step for the first part of a file that several requests fetch; nil where the parts could
    /// not be put together: of another or an unknown length, encoded, or of no certain version.
    init?(firstPart head: ResponseHead) {
        guard head.statusCode == 206, !head.hasContentEncoding, ResumeData.Validator(head) != nil,
            case .part(let part, let length?)? = head[.contentRange].flatMap({ ContentRange($0) }),
            part.lowerBound == 0, head.contentLength.map({ $0 == part.count }) ?? true
        else { return nil }
        self = .write(from: 0, length: length)
    }

    private static func part(_ range: ContentRange?, _ head: ResponseHead, _ beginning: Beginning) -> DownloadStep {
        let value = head[.contentRange].map { "“\($0)”" } ?? "no Content-Range"
        guard case .part(let part, let length) = range else {
            return .refuse("The server sent a part of the file (206) with \(value).")
        }
        guard part.lowerBound == beginning.count else {
            return .refuse("The server was asked to continue at byte \(beginning.count) and sent \(value).")
        }
        if let length, let known = beginning.length, length != known {
            return .refuse("The server sent \(value), and the length was \(known) before, of the same version.")
        }
        if let count = head.contentLength, count != part.count {
            return .refuse("The server sent \(value) with \(count) bytes.")
        }
        return .write(from: part.lowerBound, length: length ?? beginning.length)
    }
}

extension ResponseHead {
    /// The number in `Content-Length`; nil without one. The engine has refused values that differ.
    fileprivate var contentLength: Int? { self[.contentLength].flatMap { Int($0) } }
}
