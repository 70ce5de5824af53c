import Bluebonnet
import FoundationEssentials

/// JSON three ways: as a `Decodable` type, as a `JSONValue`, and out of an error.
///
/// Wants a server with httpbin's endpoints, for example `bluebonnet serve`:
/// `swift run FetchJSON http://127.0.0.1:8080`
@main
struct FetchJSON {
    /// What `/json` answers, as far as this program is interested.
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

        // Without a type of your own: parameters go into the query of a GET and into the body of a
        // POST.
        let parameters: JSONValue = ["page": 2, "tags": ["a", "b"]]
        let echo = try await api.get("get", parameters: parameters, as: .json)
        print("asked for \(echo["url"]?.string ?? "nothing")")
        let posted = try await api.post("post", parameters: parameters, as: .json)
        print("sent \(posted["json"] ?? .null)")

        // A refused status is an error, and what the server had to say about it is in the error.
        do {
            try await api.get("status/406", as: .json)
        } catch let error as NetworkingError where error.code == .unacceptableStatusCode {
            let answer = error.parsedBody as? JSONValue
            print("\(error.message): \(answer?["message"]?.string ?? error.bodyString ?? "nothing more was said")")
        }

        // Everything that came with the value.
        let response = try await api.response(.get, "json", as: .json)
        print("\(response.head), \(response.body.count) bytes; \(response.timings)")
    }
}
