/// The kinds of bodies that are formatted and coloured in different ways.
enum BodyKind: Equatable, Sendable {
    case json
    /// A value of JSON on each line.
    case jsonLines
    /// Server-sent events (HTML Standard §9.2).
    case events
    case xml
    case html
    case form
    /// Text without a syntax.
    case text
    /// No type, or one that says nothing about it.
    case unknown

    /// - Parameter type: The media type in lower case; nil without one.
    init(mediaType type: String?) {
        guard let type else {
            self = .unknown
            return
        }
        switch type {
        case _ where MediaType.isJSON(type): self = .json
        case "application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines",
            "application/json-lines", "application/stream+json":
            self = .jsonLines
        case "text/event-stream": self = .events
        case "text/html", "application/xhtml+xml": self = .html
        case "application/xml", "text/xml": self = .xml
        case _ where type.hasSuffix("+xml"): self = .xml
        case "application/x-www-form-urlencoded": self = .form
        case "application/javascript", "application/ecmascript", "application/yaml", "application/toml",
            "application/graphql", "application/sql":
            self = .text
        case _ where type.hasPrefix("text/"): self = .text
        default: self = .unknown
        }
    }

    /// Whether each line can be shown by itself.
    var hasLines: Bool { self == .jsonLines || self == .events }

    /// Whether a body is shown in another form when it is formatted or coloured.
    var hasSyntax: Bool { self != .text && self != .unknown }
}
