import Bluebonnet

/// Logs in with a form, sends the token with each request, and renews it once when it is refused,
/// however many requests are refused together.
///
/// Needs `bluebonnet serve --port 8080`. `swift run Login [SERVER]`
@main
struct Login {
    private struct Profile: Decodable, Sendable {
        var name: String
    }

    /// The error of a login (RFC 6749 §5.2).
    private struct Refusal: Decodable {
        var description: String

        private enum CodingKeys: String, CodingKey {
            case description = "error_description"
        }
    }

    static func main() async {
        let server = CommandLine.arguments.dropFirst().first ?? "http://127.0.0.1:8080"
        let baseURL = server + "/v1/"
        let account = Account(user: "ada", password: "secret", baseURL: baseURL)
        let impostor = Account(user: "grace", password: "guessed", baseURL: baseURL)
        do {
            try await visit(manager(baseURL, account), account)
            try await visit(manager(baseURL, impostor), impostor)
        } catch {
            // The error of the login is the error of the request that needed it.
            let reason = (error as? NetworkingError)?.decodedBody(as: Refusal.self)?.description
            print("Failed: \(reason ?? "\(error)")")
        }
    }

    private static func visit(_ api: HTTPSessionManager, _ account: Account) async throws {
        // The first request logs in.
        let profile: Profile = try await api.get("profile")
        print("Hello \(profile.name)!")

        // The server forgets the token, as it does after an hour.
        try await api.post("revoke", parameters: ["token": try await account.login().value])
        async let first: Profile = api.get("profile")
        async let second: Profile = api.get("profile")
        async let third: Profile = api.get("profile")
        print("Three times: \(try await [first, second, third].map(\.name).joined(separator: ", "))")
    }

    /// A manager whose requests are those of an account.
    private static func manager(_ baseURL: String, _ account: Account) -> HTTPSessionManager {
        var configuration = SessionConfiguration()
        configuration.interceptors = [BearerToken(account: account)]
        return HTTPSessionManager(baseURL: baseURL, configuration: configuration)
    }
}
