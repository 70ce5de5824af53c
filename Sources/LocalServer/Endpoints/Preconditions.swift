import HTTPTypes
import Hummingbird

/// Conditional requests (RFC 9110 §13).
enum Preconditions {
    /// The 304 or 412 that the request's conditions need, in the order of RFC 9110 §13.2.2.
    static func check(_ exchange: Exchange, tag: String, lastModified: String? = nil) -> Response? {
        let headers = exchange.request.headers
        if let value = headers[.ifMatch], !matches(value, tag, isWeak: false) {
            return Response(status: .preconditionFailed, headers: [.eTag: tag])
        }
        var validators: HTTPFields = [.eTag: tag]
        validators[.lastModified] = lastModified
        if let value = headers[.ifNoneMatch] {
            guard matches(value, tag, isWeak: true) else { return nil }
            let isRead = exchange.method == .get || exchange.method == .head
            return Response(status: isRead ? .notModified : .preconditionFailed, headers: validators)
        }
        guard let lastModified, headers[.ifModifiedSince] == lastModified else { return nil }
        return Response(status: .notModified, headers: validators)
    }

    /// Whether a list of tags, or `*`, has this tag; a weak comparison ignores `W/` (RFC 9110
    /// §8.8.3.2).
    private static func matches(_ value: String, _ tag: String, isWeak: Bool) -> Bool {
        value.split(separator: ",").contains { item in
            var item = item.drop { $0 == " " }
            while item.last == " " {
                item.removeLast()
            }
            return item == "*" || item == tag || (isWeak && item == "W/" + tag)
        }
    }
}
