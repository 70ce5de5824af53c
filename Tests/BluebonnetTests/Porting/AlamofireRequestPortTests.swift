import Bluebonnet
import Foundation
import HTTPTypes
import LocalServer
import Testing

/// Requests of Alamofire 5: methods, parameters, encoders, header fields, routers.
@Suite(.timeLimit(.minutes(5)))
struct AlamofireRequestPortTests {
    private struct Filter: Encodable, Sendable {
        var page: Int
        var onlyNew: Bool
        var tags: [String]
    }

    private struct Appointment: Codable, Sendable, Equatable {
        var title: String
        var begin: Date
    }

    private let page = 2
    private let name = "tea & milk"
    private let filter = Filter(page: 2, onlyNew: true, tags: ["a", "b"])
    private let user = User(name: "Ada", age: 36)
    private let key = "s3cret"
    private let token = "abc.def"
    private let password = "pass word"

    @Test func `a GET with parameters of several types`() async throws {
        try await withSnippet { api, base in
            let url = base + "anything"
            // Original (Alamofire):
            //     let echo = try await AF.request(url, parameters: ["page": page, "q": name]).serializingDecodable(Echo.self).value
            // Ported:
            let echo: Echo = try await api.get(url, parameters: ["page": page, "q": name])
            // End
            #expect(echo.method == "GET")
            #expect(echo.query == "page=2&q=tea%20%26%20milk")
        }
    }

    @Test func `a GET with parameters that are encodable`() async throws {
        try await withSnippet { api, base in
            let url = base + "anything"
            // Original (Alamofire):
            //     let echo = try await AF.request(url, parameters: filter).serializingDecodable(Echo.self).value
            // Ported:
            let echo: Echo = try await api.get(url, parameters: filter)
            // End
            #expect(echo.query == "onlyNew=1&page=2&tags%5B%5D=a&tags%5B%5D=b")
        }
    }

    @Test func `a GET with a closure`() async throws {
        try await withSnippet { api, base in
            let screen = Screen<Echo>()
            let url = base + "anything"
            // Original (Alamofire):
            //     AF.request(url).validate().responseDecodable(of: Echo.self) { response in
            //         switch response.result {
            //         case .success(let echo): screen.show(echo)
            //         case .failure(let error): screen.fail(error)
            //         }
            //     }
            // Ported:
            api.get(url, as: .decodable(Echo.self)) { _, echo in
                screen.show(echo)
            } failure: { _, error in
                screen.fail(error)
            }
            // End
            let shown = try await screen.shown
            #expect(shown.method == "GET")
        }
    }

    @Test func `a POST of a form`() async throws {
        try await withSnippet { api, base in
            let url = base + "anything"
            // Original (Alamofire):
            //     let echo = try await AF.request(url, method: .post, parameters: ["user": name, "password": password]).serializingDecodable(Echo.self).value
            // Ported:
            let echo: Echo = try await api.post(url, parameters: ["user": name, "password": password])
            // End
            #expect(echo.form == ["user": "tea & milk", "password": "pass word"])
        }
    }

    @Test func `a POST of a model as JSON`() async throws {
        try await withSnippet { api, base in
            let url = base + "anything"
            // Original (Alamofire):
            //     let echo = try await AF.request(url, method: .post, parameters: user, encoder: .json).serializingDecodable(Echo.self).value
            // Ported:
            let echo: Echo = try await api.post(url, body: .json(user))
            // End
            #expect(echo.json == ["name": "Ada", "age": 36])
            #expect(echo.headers["Content-Type"] == "application/json")
        }
    }

    @Test func `a PATCH of a dictionary as JSON`() async throws {
        try await withSnippet { api, base in
            let url = base + "anything"
            // Original (Alamofire):
            //     let parameters: [String: Any] = ["name": name, "page": page]
            //     let echo = try await AF.request(url, method: .patch, parameters: parameters, encoding: JSONEncoding.default)
            //         .serializingDecodable(Echo.self).value
            // Ported:
            let parameters: Parameters = ["name": name, "page": page]
            let echo: Echo = try await api.patch(url, body: .json(parameters))
            // End
            #expect(echo.method == "PATCH")
            #expect(echo.json == ["name": "tea & milk", "page": 2])
        }
    }

    @Test func `a PUT whose result nobody wants`() async throws {
        try await FaultServer.run(.requests { _ in [.respond(200, body: "ok")] }) { server in
            try await withSnippet(at: server.baseURL + "/") { api, base in
                let url = base + "users/\(page)"
                // Original (Alamofire):
                //     _ = try await AF.request(url, method: .put, parameters: user).validate().serializingData().value
                // Ported:
                try await api.put(url, body: user)
                // End
                #expect(server.requests.map(\.method) == ["PUT"])
                #expect(server.requests.first?.body == Array("age=36&name=Ada".utf8))
            }
        }
    }

    @Test func `a DELETE with an empty response`() async throws {
        try await FaultServer.run(.requests { _ in [.respond(204)] }) { server in
            try await withSnippet(at: server.baseURL + "/") { api, base in
                let url = base + "users/\(page)"
                // Original (Alamofire):
                //     _ = try await AF.request(url, method: .delete).validate().serializingDecodable(Empty.self).value
                // Ported:
                try await api.delete(url)
                // End
                #expect(server.requests.map(\.method) == ["DELETE"])
            }
        }
    }

    @Test func `a HEAD`() async throws {
        try await withSnippet { api, base in
            let url = base + "bytes/\(page)"
            // Original (Alamofire):
            //     let response = await AF.request(url, method: .head).validate().serializingData().response
            //     let length = response.response?.headers["Content-Length"]
            // Ported:
            let head = try await api.head(url)
            let length = head[.contentLength]
            // End
            #expect(length == "2")
        }
    }

    @Test func `header fields of one call`() async throws {
        try await withSnippet { api, base in
            let url = base + "anything"
            // Original (Alamofire):
            //     let echo = try await AF.request(url, headers: ["X-Api-Key": key, "Accept": "text/csv"]).serializingDecodable(Echo.self).value
            // Ported:
            let echo: Echo = try await api.get(url, headers: ["X-Api-Key": key, "Accept": "text/csv"])
            // End
            #expect(echo.headers["X-Api-Key"] == key)
            #expect(echo.headers["Accept"] == "text/csv")
        }
    }

    @Test func `a bearer token with one call`() async throws {
        try await withSnippet { api, base in
            let url = base + "bearer"
            // Original (Alamofire):
            //     let data = try await AF.request(url, headers: [.authorization(bearerToken: token)]).serializingData().value
            // Ported:
            let data: Data = try await api.get(url, headers: .authorization(bearerToken: token))
            // End
            #expect(try JSONValue(parsing: data)["token"]?.string == token)
        }
    }

    @Test func `a user name and a password with one call`() async throws {
        try await withSnippet { api, base in
            let url = base + "basic-auth/Ada/pass%20word"
            // Original (Alamofire):
            //     let data = try await AF.request(url).authenticate(username: user.name, password: password).serializingData().value
            // Ported:
            let data: Data = try await api.get(url, headers: .authorization(username: user.name, password: password))
            // End
            #expect(try JSONValue(parsing: data)["authenticated"] == true)
        }
    }

    @Test func `a timeout of one call`() async throws {
        try await FaultServer.run([.readRequest, .stall]) { server in
            try await withSnippet(at: server.baseURL + "/") { api, base in
                let screen = Screen<String>()
                let url = base + "slow"
                // Original (Alamofire):
                //     do {
                //         screen.show(try await AF.request(url) { $0.timeoutInterval = 0.1 }.serializingString().value)
                //     } catch {
                //         if (error.asAFError?.underlyingError as? URLError)?.code == .timedOut { screen.show("later") }
                //     }
                // Ported:
                do throws(NetworkingError) {
                    screen.show(try await api.get(url, timeout: .milliseconds(100)))
                } catch {
                    if error.isTimeout { screen.show("later") }
                }
                // End
                let shown = try await screen.shown
                #expect(shown == "later")
            }
        }
    }

    @Test func `other forms of arrays and booleans`() async throws {
        try await withSnippet { api, base in
            let url = base + "anything"
            // Original (Alamofire):
            //     let encoder = URLEncodedFormEncoder(arrayEncoding: .noBrackets, boolEncoding: .literal)
            //     let echo = try await AF.request(url, parameters: filter, encoder: .urlEncodedForm(encoder: encoder))
            //         .serializingDecodable(Echo.self).value
            // Ported:
            let encoder = URLEncodedFormEncoder(arrayEncoding: .noBrackets, boolEncoding: .literal)
            api.requestSerializer.parameterEncoding = .form(encoder)
            let echo: Echo = try await api.get(url, parameters: filter)
            // End
            #expect(echo.query == "onlyNew=true&page=2&tags=a&tags=b")
        }
    }

    @Test func `keys in snake case`() async throws {
        try await withSnippet { api, base in
            let url = base + "anything"
            // Original (Alamofire):
            //     let encoder = URLEncodedFormEncoder(keyEncoding: .convertToSnakeCase)
            //     let echo = try await AF.request(url, method: .post, parameters: filter, encoder: .urlEncodedForm(encoder: encoder))
            //         .serializingDecodable(Echo.self).value
            // Ported:
            let encoder = URLEncodedFormEncoder(keyEncoding: .convertToSnakeCase)
            api.requestSerializer.parameterEncoding = .form(encoder)
            let echo: Echo = try await api.post(url, parameters: filter)
            // End
            #expect(echo.form?["only_new"] == "1")
        }
    }

    @Test func `a POST with a query`() async throws {
        try await withSnippet { api, base in
            let url = base + "anything"
            // Original (Alamofire):
            //     let echo = try await AF.request(url, method: .post, parameters: ["page": page], encoder: .urlEncodedForm(destination: .queryString))
            //         .serializingDecodable(Echo.self).value
            // Ported:
            let echo: Echo = try await api.post(url, query: ["page": page])
            // End
            #expect(echo.query == "page=2")
            #expect(echo.data == "")
        }
    }

    @Test func `dates in JSON`() async throws {
        try await withSnippet { api, base in
            let url = base + "anything"
            let appointment = Appointment(title: "Tea", begin: Date(timeIntervalSince1970: 0))
            // Original (Alamofire):
            //     let encoder = JSONEncoder()
            //     encoder.dateEncodingStrategy = .iso8601
            //     let echo = try await AF.request(url, method: .post, parameters: appointment, encoder: .json(encoder: encoder))
            //         .serializingDecodable(Echo.self).value
            // Ported:
            let encoder = JSONEncoder()
            encoder.dateEncodingStrategy = .iso8601
            let echo: Echo = try await api.post(url, body: .json(appointment, encoder: encoder))
            // End
            #expect(echo.json == ["title": "Tea", "begin": "1970-01-01T00:00:00Z"])
        }
    }

    @Test func `a router`() async throws {
        try await withSnippet { api, base in
            // Original (Alamofire):
            //     enum Router: URLRequestConvertible {
            //         case list(page: Int), create(User), remove(id: Int)
            //
            //         func asURLRequest() throws -> URLRequest {
            //             switch self {
            //             case .list(let page):
            //                 let request = try URLRequest(url: base + "anything/users", method: .get)
            //                 return try URLEncodedFormParameterEncoder.default.encode(["page": page], into: request)
            //             case .create(let user):
            //                 let request = try URLRequest(url: base + "anything/users", method: .post)
            //                 return try JSONParameterEncoder.default.encode(user, into: request)
            //             case .remove(let id):
            //                 return try URLRequest(url: base + "anything/users/\(id)", method: .delete)
            //             }
            //         }
            //     }
            //
            //     let echo = try await AF.request(Router.create(user)).serializingDecodable(Echo.self).value
            // Ported:
            enum Router {
                case list(page: Int), create(User), remove(id: Int)

                func request(_ api: HTTPSessionManager) throws -> Request {
                    switch self {
                    case .list(let page): try api.request(.get, "anything/users", parameters: ["page": page])
                    case .create(let user): try api.request(.post, "anything/users", body: .json(user))
                    case .remove(let id): try api.request(.delete, "anything/users/\(id)")
                    }
                }
            }

            let echo: Echo = try await api.send(Router.create(user).request(api))
            // End
            #expect(echo.method == "POST")
            #expect(echo.json == ["name": "Ada", "age": 36])
            let list: Echo = try await api.send(Router.list(page: page).request(api))
            #expect(list.url == base + "anything/users?page=2")
            let removed: Echo = try await api.send(Router.remove(id: page).request(api))
            #expect(removed.method == "DELETE")
        }
    }

    @Test func `a request for the terminal`() async throws {
        try await withSnippet { api, base in
            let screen = Screen<String>()
            let url = base + "anything"
            // Original (Alamofire):
            //     let request = AF.request(url, method: .post, parameters: user, encoder: .json)
            //     let echo = try await request.serializingDecodable(Echo.self).value
            //     screen.show(request.cURLDescription())
            // Ported:
            let request = try api.request(.post, url, body: .json(user))
            let echo: Echo = try await api.send(request)
            screen.show(request.curlDescription())
            // End
            #expect(echo.json == ["name": "Ada", "age": 36])
            let shown = try await screen.shown
            #expect(shown.hasPrefix("curl"))
        }
    }
}
