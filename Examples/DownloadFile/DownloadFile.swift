import Bluebonnet
import FoundationEssentials

/// Downloads a file: it is written while it is received, and takes its name when it is complete. An
/// error page is refused.
///
/// Needs a server with httpbin's endpoints, for example `bluebonnet serve --port 8080`:
/// `swift run DownloadFile [SERVER]`
@main
struct DownloadFile {
    static func main() async {
        let server = CommandLine.arguments.dropFirst().first ?? "http://127.0.0.1:8080"
        var configuration = SessionConfiguration()
        // The download may take any time, but fails when the server sends nothing for 15 seconds.
        configuration.timeouts = Timeouts(connect: .seconds(5), firstByte: .seconds(15), betweenBytes: .seconds(15))
        let api = HTTPSessionManager(baseURL: server, configuration: configuration)

        await download("bytes/1000000", from: api, to: URL(filePath: "download.bin"))
        await download("status/404", from: api, to: URL(filePath: "nothing.bin"))
    }

    private static func download(_ path: String, from api: HTTPSessionManager, to file: URL) async {
        do {
            let saved = try await api.download(path, to: file) { progress in
                let count = progress.download.completed
                if count > 0, count == progress.download.total { print("\(path): \(count) bytes") }
            }
            print("saved as \(saved.lastPathComponent)")
        } catch {
            print("\(path): \(error.message)")
        }
    }
}
