import AsyncHTTPClient
import NIOCore

/// One GET with AsyncHTTPClient, printed: the smallest program to compare a cold start with.
@main
enum AHCGet {
    /// Fetches the first argument and prints the body.
    static func main() async throws {
        let request = HTTPClientRequest(url: CommandLine.arguments[1])
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
        let body = try await response.body.collect(upTo: 1 << 20)
        print(String(buffer: body), terminator: "")
    }
}
