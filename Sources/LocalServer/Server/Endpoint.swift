import HTTPTypes
import Hummingbird

/// A path and its handler.
struct Endpoint: Sendable {
    typealias Handler = @Sendable (Exchange) async throws -> Response

    enum Segment: Sendable {
        case literal(String)
        case parameter(String)
        /// Any rest of the path, empty or not.
        case rest
    }

    /// The path as it was given.
    let path: String

    let segments: [Segment]

    /// The methods that are accepted, with HEAD where GET is one; `nil` for all.
    let methods: [HTTPRequest.Method]?

    let handler: Handler

    /// Creates an endpoint; in the path `:name` is a parameter, and `**` at the end any rest.
    init(_ path: String, _ methods: [HTTPRequest.Method]? = [.get], handler: @escaping Handler) {
        self.path = path
        segments = path.split(separator: "/").map { segment in
            if segment == "**" {
                .rest
            } else if segment.hasPrefix(":") {
                .parameter(String(segment.dropFirst()))
            } else {
                .literal(String(segment))
            }
        }
        self.methods = methods
        self.handler = handler
    }

    /// The parameters in a path, or `nil` when the path does not match.
    func match(_ path: [String]) -> [String: String]? {
        var parameters: [String: String] = [:]
        for (index, segment) in segments.enumerated() {
            if case .rest = segment {
                return parameters
            }
            guard index < path.count else { return nil }
            switch segment {
            case .literal(let text) where text != path[index]: return nil
            case .parameter(let name): parameters[name] = path[index]
            default: break
            }
        }
        return path.count == segments.count ? parameters : nil
    }

    func accepts(_ method: HTTPRequest.Method) -> Bool {
        guard let methods else { return true }
        return methods.contains(method) || (method == .head && methods.contains(.get))
    }
}
