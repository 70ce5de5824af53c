import ArgumentParser
import Bluebonnet
import FoundationEssentials
import HTTPTypes

/// `bluebonnet cache`: shows and empties the folder or the server of `--cache`.
struct CacheCommand: NamedCommand {
    static let name = "cache"

    static let configuration = CommandConfiguration(
        commandName: name,
        _superCommandName: MainCommand.name,
        abstract: "Shows and empties a cache.",
        discussion: """
            The folder or the Redis server is that of --cache. Only the cache's own files in it, or the \
            keys that begin with bluebonnet:, are removed.

            Examples:
              bluebonnet get example.org --cache ~/.cache/bluebonnet
              bluebonnet cache list ~/.cache/bluebonnet
              bluebonnet cache explain ~/.cache/bluebonnet example.org Accept:text/html
              bluebonnet cache clear ~/.cache/bluebonnet
            """,
        subcommands: [ListCache.self, ClearCache.self, ExplainCache.self]
    )

    /// The folder or the server of a cache.
    struct Folder: ParsableArguments {
        @Argument(
            help: ArgumentHelp("The folder of the cache, or the URL of a Redis server.", valueName: "dir|redis-url"),
            completion: .directory
        )
        var folder: String

        /// The cache in the place; a folder must be there.
        func cache() throws(CommandFailure) -> HTTPCache {
            guard CacheOptions.isServer(folder) || FileKind(path: folder) != .missing else {
                throw .usage("There is no folder \(folder).")
            }
            let fail: (String) throws(CommandFailure) -> Void = { message throws(CommandFailure) in
                throw .usage(message)
            }
            guard let store = try CacheOptions.store(folder, whenUnusable: fail) else {
                throw .usage("The cache cannot be used.")
            }
            return HTTPCache(store: store)
        }
    }

    /// Runs work whose failure is one of the store.
    static func failing<Result>(
        _ work: () async throws(NetworkingError) -> Result
    ) async throws(CommandFailure) -> Result {
        do throws(NetworkingError) {
            return try await work()
        } catch {
            throw CommandFailure(message: error.message, status: .transport)
        }
    }

    /// A line about a stored response: status, size, the time at which it came, and its URL without
    /// credentials and query values.
    static func line(_ record: CacheRecord) -> String {
        let size =
            record.part.map { "bytes \($0.lowerBound)-\($0.upperBound - 1) of \(record.completeByteCount)" }
            ?? "\(record.byteCount) bytes"
        return "\(record.head.status.code)  \(record.receivedAt.formatted(.iso8601))  \(size)  "
            + Request(url: record.url).description
    }
}

/// `bluebonnet cache list`.
struct ListCache: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Shows the stored responses, those first that were used last."
    )

    @OptionGroup var folder: CacheCommand.Folder

    func run() async throws {
        let cache = try folder.cache()
        let records = try await CacheCommand.failing { () throws(NetworkingError) in try await cache.records() }
        for record in records { StandardStream.output.write(line: CacheCommand.line(record)) }
    }
}

/// `bluebonnet cache clear`.
struct ClearCache: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear",
        abstract: "Removes all stored responses, and no other file."
    )

    @OptionGroup var folder: CacheCommand.Folder

    func run() async throws {
        let cache = try folder.cache()
        let count = try await CacheCommand.failing { () throws(NetworkingError) in
            let count = try await cache.records().count
            try await cache.removeAll()
            return count
        }
        StandardStream.error.write(line: "\(count) \(count == 1 ? "response" : "responses") removed.")
    }
}

/// `bluebonnet cache explain`.
struct ExplainCache: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Says what the cache would do for a GET of a URL, and why. Nothing is sent.",
        discussion: """
            The first line is the field Cache-Status (RFC 9211): hit, or fwd= and why the server would be \
            asked; ttl is the time in seconds for which what is stored is fresh. Then come the responses \
            that are stored for the URL, with the fields that decide.
            """
    )

    @OptionGroup var folder: CacheCommand.Folder

    @Argument(help: "The URL.")
    var url: String

    @Argument(help: ArgumentHelp("Header fields of the request: Name:value.", valueName: "header"))
    var headers: [String] = []

    /// The fields by which a cache decides.
    private static let fields: [HTTPField.Name] = [
        .cacheControl, .date, .age, .expires, .eTag, .lastModified, .vary,
    ]

    func run() async throws {
        let cache = try folder.cache()
        guard let url = URL(string: URLShorthand.expand(url, scheme: "http")) else {
            throw CommandFailure.usage("\(url) is not a URL.")
        }
        var request = Request(url: url)
        for text in headers {
            let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { throw CommandFailure.usage("A header field is written Name:value.") }
            do throws(NetworkingError) {
                request.headerFields.append(
                    try HTTPField(
                        checkedName: String(parts[0]),
                        value: String(parts[1].drop { $0 == " " })
                    )
                )
            } catch {
                throw CommandFailure.usage(error.message)
            }
        }
        StandardStream.output.write(line: await cache.status(for: request).description)
        let records = try await CacheCommand.failing { () throws(NetworkingError) in
            try await cache.records(for: request)
        }
        for record in records {
            StandardStream.output.write(line: CacheCommand.line(record))
            for name in Self.fields {
                for value in record.head.values(for: name) {
                    StandardStream.output.write(line: "  \(name.rawName): \(ShownText.harmless(value))")
                }
            }
        }
    }
}
