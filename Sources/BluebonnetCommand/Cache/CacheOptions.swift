import ArgumentParser
import Bluebonnet
import BluebonnetStores
import FoundationEssentials

/// The option for the cache, which requests, transfers and `batch` share.
struct CacheOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "Store responses and use them again: in memory, in a folder that any number of processes share, in a "
                + "Redis server that machines share (redis://host:port/db, redis+unix:///path), or off. "
                + "(default: off)",
            valueName: "dir|redis-url|memory|off"
        ),
        completion: .directory
    )
    var cache: String?

    func validate() throws {
        if cache?.isEmpty == true { throw ValidationError("--cache needs a folder, memory or off.") }
    }

    /// Puts the cache into a configuration. One that cannot be used costs a line, and no request.
    func apply(to configuration: inout SessionConfiguration) throws(CommandFailure) {
        switch cache {
        case nil, "off": return
        case "memory": configuration.cache = HTTPCache()
        case let path?:
            guard let store = try Self.store(path, whenUnusable: Self.warn) else { return }
            configuration.cache = HTTPCache(store: store) { Self.warn($0.message) }
        }
    }

    private static func warn(_ message: String) {
        StandardStream.error.write(line: "bluebonnet: going on without the cache: \(message)")
    }

    /// Whether a place is a Redis server, and not a folder.
    static func isServer(_ place: String) -> Bool {
        ["redis://", "rediss://", "redis+unix://"].contains { place.lowercased().hasPrefix($0) }
    }

    /// The store in a Redis server.
    ///
    /// - Throws: ``CommandFailure`` with ``ExitStatus/usage`` for a URL that names no server, and
    ///   in a build without Redis.
    private static func server(_ place: String) throws(CommandFailure) -> any CacheStore {
        #if Redis
            guard let url = URL(string: place) else { throw .usage("--cache: the URL of the Redis server is invalid.") }
            do throws(NetworkingError) {
                return RedisCacheStore(try RedisServer(url: url))
            } catch {
                throw .usage("--cache: \(error.message)")
            }
        #else
            throw .usage(
                "--cache with a Redis server needs a build with the package trait Redis: "
                    + "make command TRAITS=Brotli,Zstd,Stores,Redis"
            )
        #endif
    }

    /// The store in a folder or in a Redis server; nil where it cannot be used.
    ///
    /// - Throws: ``CommandFailure`` with ``ExitStatus/usage`` in a build without databases.
    static func store(
        _ path: String,
        whenUnusable tell: (String) throws(CommandFailure) -> Void
    ) throws(CommandFailure) -> (any CacheStore)? {
        if isServer(path) { return try server(path) }
        #if Stores
            let directory = DownloadOptions.file(path, in: DownloadOptions.currentFolder, directoryHint: .isDirectory)
            do throws(NetworkingError) {
                return try DiskCacheStore(directory: directory)
            } catch {
                try tell(error.message)
                return nil
            }
        #else
            throw .usage("--cache with a folder needs a build with the package trait Stores.")
        #endif
    }
}

extension HTTPCache {
    /// Returns when no other process waits for a request of this one.
    func waitForEndedFetches() async {
        await (store as? any FetchSharingStore)?.waitForEndedFetches()
    }
}
