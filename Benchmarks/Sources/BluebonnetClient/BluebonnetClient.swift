import BenchmarkSupport
import Bluebonnet
import BluebonnetStores
import HTTPTypes

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The benchmark client for Bluebonnet.
@main
enum BluebonnetClient {
    /// Runs the workload that the arguments name.
    static func main() async throws {
        let options = BenchmarkOptions.fromCommandLine()
        if options.workload.isLocal {
            let good = try SerializationRun(client: "bluebonnet", options: options).measure(BluebonnetSerialization())
            exit(good ? 0 : 1)
        }
        var configuration = SessionConfiguration()
        if let connections = options.connections {
            configuration.maximumConnectionsPerHost = connections
        }
        if let trust = options.trust {
            configuration.tls.trustRoots = .file(trust)
        }
        if options.hasAdapter {
            configuration.interceptors = [
                RequestAdapter { request in request.headerFields[.authorization] = "Bearer 0123456789abcdef" }
            ]
        }
        if options.isObserved { configuration.observe() }
        if let cache = options.cache { configuration.cache = try HTTPCache(benchmarkPlace: cache) }
        let pins = options.isUnseen ? try PinFile(options) : nil
        configuration.pinList = pins?.list
        let library = BluebonnetLibrary(configuration: configuration, segments: options.segments, pins: pins)
        let executor = options.onLoop ? EventLoopTaskExecutor.next() : nil
        let good = try await BenchmarkRun(client: "bluebonnet", options: options).measure(library, on: executor)
        exit(good ? 0 : 1)
    }
}

extension HTTPCache {
    /// A cache in the memory, in a Redis server, or in a folder.
    fileprivate convenience init(benchmarkPlace place: String) throws {
        if place == "memory" {
            self.init()
        } else if place.hasPrefix("redis"), let url = URL(string: place) {
            self.init(store: RedisCacheStore(try RedisServer(url: url)))
        } else {
            self.init(store: try DiskCacheStore(directory: URL(filePath: place, directoryHint: .isDirectory)))
        }
    }
}
