import ArgumentParser
import Bluebonnet
import BluebonnetStores
import FoundationEssentials

/// The option for the cache, which requests, transfers and `batch` share.
struct CacheOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "Store responses and use them again: in memory, in a folder that any number of processes share, or off. "
                + "(default: off)",
            valueName: "dir|memory|off"
        )
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

    /// The store in a folder; nil where it cannot be used.
    ///
    /// - Throws: ``CommandFailure`` with ``ExitStatus/usage`` in a build without databases.
    static func store(
        _ path: String,
        whenUnusable tell: (String) throws(CommandFailure) -> Void
    ) throws(CommandFailure) -> (any CacheStore)? {
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
