public import Bluebonnet
public import HTTPTypes

public import FoundationEssentials

/// A request as a ``StubTransport`` saw it: after serializers, interceptors and redirects.
///
/// No counterpart in AFNetworking or Alamofire.
public struct StubRequest: Sendable {
    /// The whole request.
    public let request: Request

    /// The body bytes, files and sequences read whole; nil without a body.
    public let body: Data?

    init(_ request: Request, body: Data?) {
        self.request = request
        self.body = body
    }

    /// The method.
    public var method: HTTPRequest.Method { request.method }

    /// The absolute URL.
    public var url: URL { request.url }

    /// The header fields.
    public var headerFields: HTTPFields { request.headerFields }

    /// The body as text; nil when there is none or it is not valid UTF-8.
    public var text: String? { body.flatMap { String(validating: $0, as: UTF8.self) } }

    /// The body as JSON; nil when there is none or it is not JSON.
    public var json: JSONValue? { body.flatMap { try? JSONValue(parsing: $0) } }
}
