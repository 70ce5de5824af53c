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

/// The benchmark client for NIO alone: the least that a client built on NIO can cost on this
/// machine.
@main
enum NIOClient {
    /// Runs the workload that the arguments name.
    static func main() async throws {
        let options = BenchmarkOptions.fromCommandLine()
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        var tls: NIOSSLContext?
        if let trust = options.trust {
            var configuration = TLSConfiguration.makeClientConfiguration()
            configuration.trustRoots = .file(trust)
            if options.isUnverified { configuration.certificateVerification = .none }
            tls = try NIOSSLContext(configuration: configuration)
        }
        let library = NIOLibrary(loop: loop, tls: tls, keepsConnections: options.workload != .tlsNew)
        let executor = options.onLoop ? EventLoopTaskExecutor(loop) : nil
        let good = try await BenchmarkRun(client: "nio", options: options).measure(library, on: executor)
        exit(good ? 0 : 1)
    }
}
