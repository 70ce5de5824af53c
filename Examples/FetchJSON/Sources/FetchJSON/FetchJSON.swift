import Bluebonnet
import FoundationEssentials

/// JSON three ways: as a `Decodable` type, as a `JSONValue`, and from an error.
///
/// Needs a server with httpbin's endpoints, for example `bluebonnet serve`:
/// `swift run FetchJSON http://127.0.0.1:8080`
@main
struct FetchJSON {
    /// The members of the response of `/json` that this program uses.
    struct Sample: Decodable, Sendable {
        struct Slideshow: Decodable, Sendable {
            var title: String
            var author: String
        }

        var slideshow: Slideshow
    }

    static func main() async throws {
        let server = CommandLine.arguments.dropFirst().first ?? "http://127.0.0.1:8080"
        var api = HTTPSessionManager(baseURL: URL(string: server))
        api.requestSerializer = JSONRequestSerializer()

        // The type of the variable says what to decode.
        let sample: Sample = try await api.get("json")
        print("“\(sample.slideshow.title)” by \(sample.slideshow.author)")

        // As a `JSONValue`. Parameters are in the query of a GET and in the body of a POST.
        let parameters: JSONValue = ["page": 2, "tags": ["a", "b"]]
        let echo = try await api.get("get", parameters: parameters, as: .json)
        print("requested \(echo["url"]?.string ?? "nothing")")
        let posted = try await api.post("post", parameters: parameters, as: .json)
        print("sent \(posted["json"] ?? .null)")

        // An unacceptable status is an error, which has the body of the response.
        do {
            try await api.get("status/406", as: .json)
        } catch {
            let body = error.parsedBody as? JSONValue
            print("\(error.message): \(body?["message"]?.string ?? error.bodyString ?? "no body")")
        }

        // A response has more than the value: the head, the body as bytes, the timings.
        let response = try await api.response(.get, "json", as: .json)
        print("\(response.head), \(response.body.count) bytes; \(response.timings)")
    }
}
