import BenchmarkSupport
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The benchmark client for URLSession.
@main
enum URLSessionClient {
    /// Runs the workload that the arguments name.
    static func main() async throws {
        let options = BenchmarkOptions.fromCommandLine()
        if options.workload.isLocal {
            let good = try SerializationRun(client: "foundation", options: options).measure(FoundationSerialization())
            exit(good ? 0 : 1)
        }
        let configuration = URLSessionConfiguration.default
        configuration.urlCache = nil  // every request must reach the server
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        if let connections = options.connections {
            configuration.httpMaximumConnectionsPerHost = connections
        }
        let library = URLSessionLibrary(configuration: configuration)
        let good = try await BenchmarkRun(client: "urlsession", options: options).measure(library)
        exit(good ? 0 : 1)
    }
}
