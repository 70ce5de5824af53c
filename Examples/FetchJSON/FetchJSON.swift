import Bluebonnet

/// JSON three ways: as a `Decodable` type, as a `JSONValue`, and from an error.
///
/// Needs a server with httpbin's endpoints, for example `bluebonnet serve --port 8080`:
/// `swift run FetchJSON [SERVER]`
@main
struct FetchJSON {
    /// The members of the response of `/json` that this program uses.
    private struct Sample: Decodable, Sendable {
        struct Slideshow: Decodable, Sendable {
            var title: String
            var author: String
        }

        var slideshow: Slideshow
    }

    static func main() async {
        let server = CommandLine.arguments.dropFirst().first ?? "http://127.0.0.1:8080"
        do {
            try await fetch(HTTPSessionManager(baseURL: server))
        } catch {
            print("Failed: \(error.message)")
        }
    }

    private static func fetch(_ api: HTTPSessionManager) async throws(NetworkingError) {
        // The type of the variable says what to decode.
        let sample: Sample = try await api.get("json")
        print("“\(sample.slideshow.title)” by \(sample.slideshow.author)")

        // As a `JSONValue`. The parameters of a GET are in the query; `body:` says what is sent.
        let page = 2
        let tags = ["a", "b"]
        let echo = try await api.get("get", parameters: ["page": page, "tags": tags], as: .json)
        print("requested \(echo["url"]?.string ?? "nothing")")
        let posted = try await api.post("post", body: .json(["page": page, "tags": tags]), as: .json)
        print("sent \(posted["json"] ?? .null)")

        // A status that is not accepted is an error, which has the body of the response.
        do {
            try await api.get("status/406", as: .json)
        } catch {
            let body = error.parsedBody(as: JSONValue.self)
            print("\(error.message): \(body?["message"]?.string ?? error.bodyString ?? "no body")")
        }

        // A response has more than the value: the head, the body as bytes, the timings.
        let response = try await api.response(.get, "json", as: .json)
        print("\(response.head), \(response.body.count) bytes; \(response.timings)")
    }
}
