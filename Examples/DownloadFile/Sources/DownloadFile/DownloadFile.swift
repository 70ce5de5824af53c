import Bluebonnet
import FoundationEssentials

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Streams a file to disk, prints the progress on the terminal, and has timeouts that fit a large
/// file.
///
/// `swift run DownloadFile URL FILE`. Without progress one line does all of it, refuses error pages
/// and leaves no incomplete file:
/// `try await ResponseStream(request, session: session).open().body.write(to: file)`.
@main
struct DownloadFile {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count == 2, let url = URL(string: arguments[0]) else {
            print("usage: DownloadFile URL FILE")
            return
        }
        var configuration = SessionConfiguration()
        // The download may take any time, but fails when the server sends nothing for 15 seconds.
        configuration.timeouts = Timeouts(connect: .seconds(5), firstByte: .seconds(15), betweenBytes: .seconds(15))
        let session = SessionManager(configuration: configuration)
        do {
            // With a content coding, Content-Length would not be the length of the file.
            let request = Request(url: url, headerFields: [.acceptEncoding: "identity"])
            try await download(request, to: arguments[1], session: session)
        } catch let error as NetworkingError where error.isTimeout {
            print("\nToo slow: \(error.message)")
        } catch let error as NetworkingError {
            print("\nFailed (\(error.code)): \(error.message)")
        }
        await session.shutdown()
    }

    private static func download(_ request: Request, to path: String, session: SessionManager) async throws {
        let response = try await session.open(request)
        guard response.head.status.kind == .successful else {
            print("The server responded with \(response.head); nothing was written.")
            return
        }
        guard let file = fopen(path, "wb") else { throw failure(path) }
        defer { fclose(file) }
        let whole = response.head[.contentLength].flatMap { Int($0) }
        var count = 0
        var shown = -1
        // When the server sends faster than this loop writes, it is slowed down: about a megabyte
        // waits in memory, not more.
        for try await piece in response.body {
            guard piece.withUnsafeBytes({ fwrite($0.baseAddress, 1, $0.count, file) }) == piece.count else {
                throw failure(path)
            }
            count += piece.count
            let step = whole.map { $0 > 0 ? count * 100 / $0 : 100 } ?? count >> 20
            guard step != shown else { continue }
            shown = step
            print(whole == nil ? "\(step) MB" : "\(step) %", terminator: "\r")
        }
        print("\(count) bytes in \(path)")
    }

    private static func failure(_ path: String) -> NetworkingError {
        NetworkingError(.outputFailed, "cannot write to \(path): \(String(cString: strerror(errno)))")
    }
}
