import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One GET with URLSession, printed: the smallest program to compare a cold start with.
@main
enum URLSessionGet {
    /// Fetches the first argument and prints the body.
    static func main() async throws {
        guard let url = URL(string: CommandLine.arguments[1]) else { throw URLError(.badURL) }
        let (body, _) = try await URLSession.shared.data(from: url)
        print(String(decoding: body, as: UTF8.self), terminator: "")
    }
}
