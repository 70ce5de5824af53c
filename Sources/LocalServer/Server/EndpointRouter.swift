import HTTPTypes
import Hummingbird
import NIOCore

/// Finds the endpoint of a request and makes a response of its result or error.
struct EndpointRouter: Sendable {
    /// All the endpoints of one server, which has tokens of its own.
    static func standard() -> EndpointRouter {
        EndpointRouter(
            EchoEndpoints.all + ProtocolEndpoints.all + StatusEndpoints.all + RedirectEndpoints.all
                + AuthenticationEndpoints.all + DigestEndpoints.all + CookieEndpoints.all + StreamEndpoints.all
                + RangeEndpoints.all + CacheEndpoints.all + SampleEndpoints.all + ServiceEndpoints().all
                + ChatEndpoints.all + PictureEndpoints.all + FaultEndpoints.all
        )
    }

    /// The endpoints by the first segment of their path.
    private let endpoints: [String: [Endpoint]]

    init(_ endpoints: [Endpoint]) {
        self.endpoints = Dictionary(grouping: endpoints) { endpoint in
            if case .literal(let text) = endpoint.segments.first { text } else { "" }
        }
    }

    /// The paths of all endpoints, with `:name` for a parameter and `**` for a rest.
    var paths: Set<String> { Set(endpoints.values.joined().map(\.path)) }

    /// Responds to a request, also when its endpoint throws.
    func respond(
        to request: Request,
        on channel: any Channel,
        secure: Bool,
        maximumBodySize: Int
    ) async -> Response {
        var exchange = Exchange(request, channel: channel, secure: secure, maximumBodySize: maximumBodySize)
        var response: Response
        do {
            response = try await respond(to: &exchange)
        } catch let error as EndpointError {
            response = .text("\(error.message)\n", status: error.status)
        } catch {
            response = .text("\(error)\n", status: .internalServerError)
        }
        response.headers[.accessControlAllowOrigin] = "*"
        if let name = HTTPField.Name("Access-Control-Allow-Credentials") {
            response.headers[name] = "true"
        }
        // RFC 9110 §8.6 forbids the field in a 204; in a 304 it would have to be the length of
        // the 200.
        if response.status == .noContent || response.status == .notModified {
            response.headers[.contentLength] = nil
        }
        return request.method == .head ? response.createHeadResponse() : response
    }

    private func respond(to exchange: inout Exchange) async throws -> Response {
        let path = exchange.segments
        guard let first = path.first else { return .html(EndpointGuide.page) }
        var allowed: [HTTPRequest.Method] = []
        for endpoint in endpoints[first] ?? [] {
            guard let parameters = endpoint.match(path) else { continue }
            if exchange.method != .options, endpoint.accepts(exchange.method) {
                exchange.parameters = parameters
                return try await endpoint.handler(exchange)
            }
            allowed += endpoint.methods ?? [.get, .post, .put, .patch, .delete, .trace]
        }
        guard !allowed.isEmpty else { return .html(SampleEndpoints.notFound, status: .notFound) }
        if allowed.contains(.get) {
            allowed.append(.head)
        }
        // RFC 9110 §15.5.6: the response names the methods that are accepted.
        var response =
            exchange.method == .options
            ? Response(status: .ok) : .html(SampleEndpoints.methodNotAllowed, status: .methodNotAllowed)
        response.headers[.allow] = (allowed.map(\.rawValue) + ["OPTIONS"]).sorted().joined(separator: ", ")
        return response
    }
}

/// The error of a request that an endpoint refuses, with the status of the response.
struct EndpointError: Error {
    var status: HTTPResponse.Status
    var message: String

    init(_ status: HTTPResponse.Status, _ message: String) {
        self.status = status
        self.message = message
    }
}
