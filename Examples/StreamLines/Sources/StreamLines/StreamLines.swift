import Bluebonnet
import FoundationEssentials

/// Reads an answer line by line while it arrives, and stops in the middle of one, in both ways there are.
///
/// Wants a server with httpbin's endpoints, for example `bluebonnet serve`: `swift run StreamLines http://127.0.0.1:8080`
@main
struct StreamLines {
    static func main() async throws {
        let server = CommandLine.arguments.dropFirst().first ?? "http://127.0.0.1:8080"
        let api = HTTPSessionManager(baseURL: URL(string: server))

        try await readSome(api)
        try await cancelled(api)
    }

    /// Leaving the loop is enough: when the last copy of the response goes away, its connection closes.
    private static func readSome(_ api: HTTPSessionManager) async throws {
        let response = try await api.session.stream(try api.request(.get, "stream/20"))
        // A stream hands over every status; nothing has been validated.
        guard response.head.status.kind == .successful else {
            print("The server says \(response.head).")
            return
        }
        var count = 0
        for try await line in response.body.lines {
            let value = try JSONValue(parsing: line.utf8)
            print("line \(value["id"]?.int ?? -1), \(line.utf8.count) bytes")
            count += 1
            if count == 3 { break }
        }
    }

    /// Cancelling the Swift task ends a read that waits: this one would last half a minute.
    private static func cancelled(_ api: HTTPSessionManager) async throws {
        let (events, reports) = AsyncStream.makeStream(of: Int.self)
        let reader = Task {
            let request = try api.request(.get, "drip", parameters: ["numbytes": 30, "duration": 30])
            var count = 0
            for try await piece in try await api.session.stream(request).body {
                count += piece.count
                reports.yield(count)
            }
        }
        for await count in events where count >= 1 {
            reader.cancel()
            break
        }
        do {
            try await reader.value
            print("The whole body came; it should not have.")
        } catch let error as NetworkingError where error.isCancelled {
            print("cancelled: \(error.message)")
        }
    }
}
