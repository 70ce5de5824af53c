import Bluebonnet
import Foundation
import HTTPTypes
import LocalServer
import Testing

/// Responses in Alamofire 5: validation, serializers, decoders, errors.
@Suite(.timeLimit(.minutes(5)))
struct AlamofireResponsePortTests {
    private struct Appointment: Codable, Sendable, Equatable {
        var title: String
        var beginsAt: Date
    }

    private struct Problem: Decodable, Sendable {
        var reason: String
    }

    private struct TooOld: Error {}

    private let count = 5
    private let name = "Ada"

    @Test func `the text of a response`() async throws {
        try await withSnippet { api, base in
            let url = base + "robots.txt"
            // Original (Alamofire):
            //     let text = try await AF.request(url).serializingString().value
            // Ported:
            let text = try await api.get(url, as: .string)
            // End
            #expect(text.contains("Disallow"))
        }
    }

    @Test func `the text of a response with a closure`() async throws {
        try await withSnippet { api, base in
            let screen = Screen<String?>()
            let url = base + "robots.txt"
            // Original (Alamofire):
            //     AF.request(url).responseString { response in screen.show(response.value) }
            // Ported:
            api.get(url, as: .string) { _, text in screen.show(text) }
            // End
            let shown = try await screen.shown
            #expect(shown?.contains("Disallow") == true)
        }
    }

    @Test func `the bytes of a response`() async throws {
        try await withSnippet { api, base in
            let url = base + "bytes/\(count)"
            // Original (Alamofire):
            //     let data = try await AF.request(url).serializingData().value
            // Ported:
            let data: Data = try await api.get(url)
            // End
            #expect(data.count == count)
        }
    }

    @Test func `a decoder with dates and keys`() async throws {
        let text = #"{"title":"Tea","begins_at":"1970-01-01T00:00:00Z"}"#
        try await withResponse("application/json", text) { api, base in
            let url = base + "appointments/1"
            // Original (Alamofire):
            //     let decoder = JSONDecoder()
            //     decoder.dateDecodingStrategy = .iso8601
            //     decoder.keyDecodingStrategy = .convertFromSnakeCase
            //     let appointment = try await AF.request(url).serializingDecodable(Appointment.self, decoder: decoder).value
            // Ported:
            let decoder = JSONDecoder()
            decoder.dateDecodingStrategy = .iso8601
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            let appointment = try await api.get(url, as: .decodable(Appointment.self, decoder: decoder))
            // End
            #expect(appointment == Appointment(title: "Tea", beginsAt: Date(timeIntervalSince1970: 0)))
        }
    }

    @Test func `a result that may be empty`() async throws {
        try await FaultServer.run(.requests { _ in [.respond(204)] }) { server in
            try await withSnippet(at: server.baseURL + "/") { api, base in
                let url = base + "users/1"
                // Original (Alamofire):
                //     let data = try await AF.request(url, method: .delete).serializingData().value
                //     let user = data.isEmpty ? nil : try JSONDecoder().decode(User.self, from: data)
                // Ported:
                let user: User? = try await api.delete(url)
                // End
                #expect(user == nil)
            }
        }
    }

    @Test func `status codes that are accepted`() async throws {
        try await withSnippet { api, base in
            let url = base + "status/418"
            // Original (Alamofire):
            //     let text = try await AF.request(url).validate(statusCode: 200..<500).serializingString().value
            // Ported:
            let text = try await api.get(url, as: .string.accepting(statusCodes: 200..<500))
            // End
            #expect(text.contains("teapot"))
        }
    }

    @Test func `content types that are accepted`() async throws {
        try await withSnippet { api, base in
            let url = base + "html"
            // Original (Alamofire):
            //     let text = try await AF.request(url).validate(contentType: ["text/*"]).serializingString().value
            // Ported:
            let text = try await api.get(url, as: .string.accepting(contentTypes: ["text/*"]))
            // End
            #expect(text.contains("<html>"))
        }
    }

    @Test func `a rule of one's own`() async throws {
        try await withSnippet { api, base in
            let screen = Screen<String>()
            let url = base + "json"
            // Original (Alamofire):
            //     do {
            //         let request = AF.request(url).validate { _, response, _ in
            //             response.headers["Age"] == nil ? .failure(TooOld()) : .success(())
            //         }
            //         screen.show(try await request.serializingString().value)
            //     } catch {
            //         if error.asAFError?.underlyingError is TooOld { screen.show("too old") }
            //     }
            // Ported:
            api.validation = .none.requiring { head, _, _ in
                if head[.age] == nil { throw TooOld() }
            }
            do throws(NetworkingError) {
                screen.show(try await api.get(url))
            } catch {
                if error.underlying is TooOld { screen.show("too old") }
            }
            // End
            let shown = try await screen.shown
            #expect(shown == "too old")
        }
    }

    @Test func `the status and a field beside the value`() async throws {
        try await withSnippet { api, base in
            let url = base + "json"
            // Original (Alamofire):
            //     let response = await AF.request(url).serializingData().response
            //     let status = response.response?.statusCode
            //     let type = response.response?.headers["Content-Type"]
            //     let seconds = response.metrics?.taskInterval.duration
            //     let data = try response.result.get()
            // Ported:
            let response = try await api.response(.get, url, as: .data)
            let status = response.status.code
            let type = response.head[.contentType]
            let seconds = response.timings.total
            let data = response.value
            // End
            #expect(status == 200)
            #expect(type == "application/json")
            #expect(seconds != nil)
            #expect(!data.isEmpty)
        }
    }

    @Test func `an error by its status`() async throws {
        try await withSnippet { api, base in
            let screen = Screen<String>()
            let url = base + "status/404"
            // Original (Alamofire):
            //     do {
            //         screen.show(try await AF.request(url).validate().serializingString().value)
            //     } catch {
            //         if error.asAFError?.responseCode == 404 { screen.show("gone") }
            //     }
            // Ported:
            do throws(NetworkingError) {
                screen.show(try await api.get(url))
            } catch {
                if error.response?.status == .notFound { screen.show("gone") }
            }
            // End
            let shown = try await screen.shown
            #expect(shown == "gone")
        }
    }

    @Test func `the body of an error`() async throws {
        try await withResponse("application/json", #"{"reason":"too old"}"#, status: 422) { api, base in
            let screen = Screen<String>()
            let url = base + "users"
            // Original (Alamofire):
            //     let response = await AF.request(url).validate().serializingDecodable(User.self).response
            //     switch response.result {
            //     case .success(let user): screen.show(user.name)
            //     case .failure(let error):
            //         let problem = response.data.flatMap { try? JSONDecoder().decode(Problem.self, from: $0) }
            //         screen.show(problem?.reason ?? error.localizedDescription)
            //     }
            // Ported:
            do throws(NetworkingError) {
                let user: User = try await api.get(url)
                screen.show(user.name)
            } catch {
                let problem = error.decodedBody(as: Problem.self)
                screen.show(problem?.reason ?? error.message)
            }
            // End
            let shown = try await screen.shown
            #expect(shown == "too old")
        }
    }

    @Test func `a body that is no such model`() async throws {
        try await withResponse("application/json", #"{"name":"Ada"}"#) { api, base in
            let screen = Screen<String>()
            let url = base + "users/1"
            // Original (Alamofire):
            //     do {
            //         let user = try await AF.request(url).serializingDecodable(User.self).value
            //         screen.show(user.name)
            //     } catch {
            //         guard let error = error.asAFError, error.isResponseSerializationError else { throw error }
            //         if case .keyNotFound(let key, _)? = error.underlyingError as? DecodingError { screen.show(key.stringValue) }
            //     }
            // Ported:
            do throws(NetworkingError) {
                let user: User = try await api.get(url)
                screen.show(user.name)
            } catch {
                guard error.code == .responseSerializationFailed else { throw error }
                if case .keyNotFound(let key, _)? = error.underlying as? DecodingError { screen.show(key.stringValue) }
            }
            // End
            let shown = try await screen.shown
            #expect(shown == "age")
        }
    }

    @Test func `a call that is cancelled`() async throws {
        try await FaultServer.run([.readRequest, .stall]) { server in
            try await withSnippet(at: server.baseURL + "/") { api, base in
                let screen = Screen<String>()
                let url = base + "slow"
                // Original (Alamofire):
                //     let request = AF.request(url).response { response in
                //         if response.error?.isExplicitlyCancelledError == true { screen.show("cancelled") }
                //     }
                //     request.cancel()
                // Ported:
                let request = api.get(url, success: nil) { _, error in
                    if error.isCancelled { screen.show("cancelled") }
                }
                request?.cancel()
                // End
                let shown = try await screen.shown
                #expect(shown == "cancelled")
            }
        }
    }

    @Test func `a URL that is none`() async throws {
        try await withSnippet { api, base in
            let screen = Screen<String>()
            let url = "http://[" + name
            // Original (Alamofire):
            //     do {
            //         screen.show(try await AF.request(url).serializingString().value)
            //     } catch {
            //         if case .invalidURL? = error.asAFError { screen.show("not a URL") }
            //     }
            // Ported:
            do throws(NetworkingError) {
                screen.show(try await api.get(url))
            } catch {
                if error.code == .invalidURL { screen.show("not a URL") }
            }
            // End
            let shown = try await screen.shown
            #expect(shown == "not a URL")
        }
    }

    @Test func `a value that is made of another`() async throws {
        try await withResponse("application/json", #"{"name":"Ada","age":36}"#) { api, base in
            let url = base + "users/1"
            // Original (Alamofire):
            //     let response = await AF.request(url).serializingDecodable(User.self).response.map { $0.name.uppercased() }
            //     let name = try response.result.get()
            // Ported:
            let response = try await api.response(.get, url, as: .decodable(User.self)).map { $0.name.uppercased() }
            let name = response.value
            // End
            #expect(name == "ADA")
        }
    }

    @Test func `requests side by side`() async throws {
        try await withSnippet { api, base in
            let url = base + "anything"
            let api = api
            // Original (Alamofire):
            //     async let first = AF.request(url, parameters: ["page": 1]).serializingDecodable(Echo.self).value
            //     async let second = AF.request(url, parameters: ["page": 2]).serializingDecodable(Echo.self).value
            //     let pages = try await [first, second]
            // Ported:
            async let first: Echo = api.get(url, parameters: ["page": 1])
            async let second: Echo = api.get(url, parameters: ["page": 2])
            let pages = try await [first, second]
            // End
            #expect(pages.map(\.query) == ["page=1", "page=2"])
        }
    }

    @Test func `a serializer of one's own`() async throws {
        try await withResponse("text/csv", "Ada,36\nAlan,41") { api, base in
            let url = base + "users.csv"
            // Original (Alamofire):
            //     struct Rows: ResponseSerializer {
            //         func serialize(request: URLRequest?, response: HTTPURLResponse?, data: Data?, error: Error?) throws -> Int {
            //             if let error { throw error }
            //             return String(decoding: data ?? Data(), as: UTF8.self).split(separator: "\n").count
            //         }
            //     }
            //     let rows = try await AF.request(url).validate().serializingResponse(using: Rows()).value
            // Ported:
            struct Rows: ResponseSerializer {
                func serialize(_ body: Data, head: ResponseHead, request: Request) throws(NetworkingError) -> Int {
                    String(decoding: body, as: UTF8.self).split(separator: "\n").count
                }
            }
            let rows = try await api.get(url, as: Rows())
            // End
            #expect(rows == 2)
        }
    }
}
