/// A client with types for an API: a router, one function that sends, and the API's own errors.
///
/// Needs `bluebonnet serve --port 8080`. `swift run TypedClient [SERVER]`
@main
struct TypedClient {
    static func main() async {
        let server = CommandLine.arguments.dropFirst().first ?? "http://127.0.0.1:8080"
        do {
            try await use(server + "/v1/")
        } catch {
            print("Failed: \(error)")
        }
    }

    private static func use(_ baseURL: String) async throws(ClientError) {
        let guest = Client(baseURL: baseURL)
        // The type of the variable says what to decode.
        let ada: User = try await guest.send(.user(1))
        let others: [User] = try await guest.send(.users(page: 2))
        print("\(ada.name); on page 2: \(others.map(\.name).joined(separator: ", "))")

        await tryToDelete(ada, as: guest)
        let token: Token = try await guest.send(.logIn(user: "ada", password: "secret"))
        let client = Client(baseURL: baseURL, token: token)
        await tryToDelete(ada, as: client)

        let mary: User = try await client.send(.create(NewUser(name: "Mary Jackson")))
        print("\(mary.name) has the ID \(mary.id).")
        await tryToDelete(mary, as: client)
    }

    private static func tryToDelete(_ user: User, as client: Client) async {
        do {
            try await client.send(.delete(user.id))
            print("\(user.name) was deleted.")
        } catch {
            print("\(user.name) was not deleted: \(error)")
        }
    }
}
