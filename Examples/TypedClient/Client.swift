import Bluebonnet

/// A client of the service: endpoints in, values out, and the service's own errors.
struct Client: Sendable {
    private let api: HTTPSessionManager

    init(baseURL: String, token: Token? = nil) {
        var configuration = SessionConfiguration()
        if let token {
            configuration.interceptors = [
                RequestAdapter { request in request.headerFields[.authorization] = "Bearer \(token.text)" }
            ]
        }
        api = HTTPSessionManager(baseURL: baseURL, configuration: configuration)
    }

    /// Sends a request whose response has a value.
    func send<Value: Decodable & Sendable>(_ endpoint: Endpoint) async throws(ClientError) -> Value {
        do throws(NetworkingError) {
            return try await api.send(try endpoint.request(api))
        } catch {
            throw ClientError(error)
        }
    }

    /// Sends a request whose response has none.
    func send(_ endpoint: Endpoint) async throws(ClientError) {
        do throws(NetworkingError) {
            try await api.send(try endpoint.request(api))
        } catch {
            throw ClientError(error)
        }
    }
}

enum ClientError: Error, CustomStringConvertible {
    /// The service refused the request, and said why.
    case refused(Problem)
    /// All else: no connection, a timeout, a body that cannot be decoded.
    case failed(NetworkingError)

    init(_ error: NetworkingError) {
        if let problem = error.decodedBody(as: Problem.self) {
            self = .refused(problem)
        } else {
            self = .failed(error)
        }
    }

    var description: String {
        switch self {
        case .refused(let problem): "\(problem.detail ?? problem.title) (\(problem.status))"
        case .failed(let error): error.message
        }
    }
}

/// The JSON that the service sends when it refuses a request (RFC 9457).
struct Problem: Decodable {
    var status: Int
    var title: String
    var detail: String?
}
