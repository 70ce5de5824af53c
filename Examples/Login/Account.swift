import Bluebonnet
import Synchronization

/// The account of a user: logs in when it has to, and keeps the token.
final class Account: Sendable {
    /// A login that is running or has ended; its value is the token.
    typealias TokenTask = Task<String, any Error>

    private let user: String
    private let password: String
    /// Has no interceptor: a login that needs a token would wait for itself.
    private let api: HTTPSessionManager
    private let current = Mutex<TokenTask?>(nil)

    init(user: String, password: String, baseURL: String) {
        self.user = user
        self.password = password
        api = HTTPSessionManager(baseURL: baseURL)
    }

    /// The login whose token is to be used.
    ///
    /// There is a new one only if there was none, or if it is the one whose token was refused. So
    /// when several requests fail together, the first one logs in, and the others wait for it.
    func login(after refused: TokenTask? = nil) -> TokenTask {
        current.withLock { current in
            if let current, current != refused { return current }
            // A task of its own, which does not end with the request that began it.
            let login = TokenTask { try await self.logIn() }
            current = login
            return login
        }
    }

    private func logIn() async throws -> String {
        do {
            let form: Parameters = ["grant_type": "password", "username": user, "password": password]
            let token: Token = try await api.post("token", body: .form(form), timeout: .seconds(20))
            print("(\(user) logged in)")
            return token.text
        } catch {
            // The next request tries again.
            current.withLock { $0 = nil }
            throw error
        }
    }

    private struct Token: Decodable {
        var text: String

        private enum CodingKeys: String, CodingKey {
            case text = "access_token"
        }
    }
}

/// Sends each request with the account's token. If the server refuses it, the request is sent
/// once more, with a new one.
struct BearerToken: Interceptor {
    let account: Account

    func intercept(_ request: Request, context: ExchangeContext, next: Next) async throws -> TransportResponse {
        var request = request
        let login = account.login()
        request.headerFields[.authorization] = "Bearer \(try await login.value)"
        let response = try await next(request)
        guard response.head.status == .unauthorized, request.body?.isReplayable ?? true else { return response }
        // Read the short body to its end, so that the connection can be used again.
        await response.body.discard()
        request.headerFields[.authorization] = "Bearer \(try await account.login(after: login).value)"
        return try await next(request)
    }
}
