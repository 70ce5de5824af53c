import AsyncHTTPClient
import BenchmarkNIO
import BenchmarkSupport
import NIOCore
import NIOPosix
import NIOSSL

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The benchmark client for AsyncHTTPClient.
@main
enum AHCClient {
    /// Runs the workload that the arguments name.
    static func main() async throws {
        let options = BenchmarkOptions.fromCommandLine()
        let loops: any EventLoopGroup =
            options.onLoop ? MultiThreadedEventLoopGroup(numberOfThreads: 1) : MultiThreadedEventLoopGroup.singleton
        var configuration = HTTPClient.Configuration()
        if let connections = options.connections {
            configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = connections
        }
        if let trust = options.trust {
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.trustRoots = .file(trust)
            configuration.tlsConfiguration = tls
        }
        let client = HTTPClient(eventLoopGroupProvider: .shared(loops), configuration: configuration)
        let library = AHCLibrary(client: client, chunk: options.chunk, onPool: options.onPool)
        let executor = options.onLoop ? EventLoopTaskExecutor(loops.next()) : nil
        let good = try await BenchmarkRun(client: "ahc", options: options).measure(library, on: executor)
        try await client.shutdown()
        exit(good ? 0 : 1)
    }
}
