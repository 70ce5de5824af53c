import Bluebonnet

/// Reads a response line by line while it arrives, and shows the two ways to stop in the middle of
/// it: leave the loop, or cancel the Swift task.
///
/// Needs a server with httpbin's endpoints, for example `bluebonnet serve --port 8080`:
/// `swift run StreamLines [SERVER]`
@main
struct StreamLines {
    static func main() async {
        let server = CommandLine.arguments.dropFirst().first ?? "http://127.0.0.1:8080"
        let api = HTTPSessionManager(baseURL: server)
        do {
            try await readSome(api)
            try await cancelled(api)
        } catch {
            print("Failed: \(error)")
        }
    }

    /// The members of a line that this program uses.
    private struct Line: Decodable, Sendable {
        var id: Int
        var url: String
    }

    /// Stops by leaving the loop: this ends the request and closes its connection.
    private static func readSome(_ api: HTTPSessionManager) async throws {
        for try await line in api.stream("stream/20").jsonLines(of: Line.self) {
            print("line \(line.id) of \(line.url)")
            if line.id == 2 { break }
        }
    }

    /// Stops by cancelling the Swift task, while it waits for bytes of a response that takes half a
    /// minute.
    private static func cancelled(_ api: HTTPSessionManager) async throws {
        let (events, reports) = AsyncStream.makeStream(of: Int.self)
        let reader = Task {
            var count = 0
            for try await piece in api.stream("drip", parameters: ["numbytes": 30, "duration": 30]) {
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
            print("The whole body was received, although the task was cancelled.")
        } catch let error as NetworkingError where error.isCancelled {
            print("cancelled: \(error.message)")
        }
    }
}
