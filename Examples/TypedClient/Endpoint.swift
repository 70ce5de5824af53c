import Bluebonnet

/// The router: each endpoint of the service with its method, its path and its parameters.
enum Endpoint {
    case logIn(user: String, password: String)
    case users(page: Int)
    case user(Int)
    case create(NewUser)
    case delete(Int)

    func request(_ api: HTTPSessionManager) throws(NetworkingError) -> Request {
        switch self {
        case .logIn(let user, let password):
            let form: Parameters = ["grant_type": "password", "username": user, "password": password]
            return try api.request(.post, "token", body: .form(form))
        case .users(let page): return try api.request(.get, "users", parameters: ["page": page])
        case .user(let id): return try api.request(.get, "users/\(id)")
        case .create(let user): return try api.request(.post, "users", body: .json(user))
        case .delete(let id): return try api.request(.delete, "users/\(id)")
        }
    }
}

struct User: Decodable, Sendable {
    var id: Int
    var name: String
}

struct NewUser: Encodable, Sendable {
    var name: String
}

struct Token: Decodable, Sendable {
    var text: String

    private enum CodingKeys: String, CodingKey {
        case text = "access_token"
    }
}
