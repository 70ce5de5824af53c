public import Bluebonnet
public import HTTPTypes

import FoundationEssentials

/// The requests that a response of a ``StubTransport`` is for: a method and a path, on any host.
///
/// No counterpart in AFNetworking or Alamofire.
public struct StubRoute: Sendable, Hashable {
    /// The method; nil for any.
    public let method: HTTPRequest.Method?

    /// The path, percent-encoded, with its leading slash. With a `?` in it the query has to be the
    /// same, otherwise any will do.
    public let path: String

    /// Makes a route.
    ///
    /// - Parameters:
    ///   - method: The method; nil for any.
    ///   - path: The path, percent-encoded, with or without a query. A leading slash that is
    ///     missing is added.
    public init(_ method: HTTPRequest.Method?, _ path: String) {
        self.method = method
        self.path = path.hasPrefix("/") ? path : "/" + path
    }

    /// Any method.
    ///
    /// - Parameter path: The path, percent-encoded, with or without a query.
    /// - Returns: The route.
    public static func any(_ path: String) -> StubRoute { StubRoute(nil, path) }

    /// GET.
    ///
    /// - Parameter path: The path, percent-encoded, with or without a query.
    /// - Returns: The route.
    public static func get(_ path: String) -> StubRoute { StubRoute(.get, path) }

    /// HEAD.
    ///
    /// - Parameter path: The path, percent-encoded, with or without a query.
    /// - Returns: The route.
    public static func head(_ path: String) -> StubRoute { StubRoute(.head, path) }

    /// POST.
    ///
    /// - Parameter path: The path, percent-encoded, with or without a query.
    /// - Returns: The route.
    public static func post(_ path: String) -> StubRoute { StubRoute(.post, path) }

    /// PUT.
    ///
    /// - Parameter path: The path, percent-encoded, with or without a query.
    /// - Returns: The route.
    public static func put(_ path: String) -> StubRoute { StubRoute(.put, path) }

    /// PATCH.
    ///
    /// - Parameter path: The path, percent-encoded, with or without a query.
    /// - Returns: The route.
    public static func patch(_ path: String) -> StubRoute { StubRoute(.patch, path) }

    /// DELETE.
    ///
    /// - Parameter path: The path, percent-encoded, with or without a query.
    /// - Returns: The route.
    public static func delete(_ path: String) -> StubRoute { StubRoute(.delete, path) }

    /// Whether the request matches this route.
    ///
    /// - Parameter request: The request.
    /// - Returns: Whether method, path and, where the route has one, query are the same.
    public func matches(_ request: Request) -> Bool {
        guard method == nil || method == request.method else { return false }
        let path = request.url.path(percentEncoded: true)
        let target = path.isEmpty ? "/" : path
        guard self.path.contains("?") else { return self.path == target }
        return self.path == target + (request.url.query(percentEncoded: true).map { "?" + $0 } ?? "")
    }
}

extension StubRoute: CustomStringConvertible {
    /// Method and path: `GET /users/42`, or only the path for any method.
    public var description: String { method.map { "\($0.rawValue) \(path)" } ?? path }
}
