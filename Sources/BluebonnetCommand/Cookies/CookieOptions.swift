import ArgumentParser
import Bluebonnet

/// The option for cookies, which requests, transfers and `batch` share.
struct CookieOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "Send and store cookies: in memory, in a file of the format of curl, or off. (default: off, and for a single request memory, so that redirects have them)",
            valueName: "file|memory|off"
        ),
        completion: .file()
    )
    var cookies: String?

    func validate() throws {
        if cookies?.isEmpty == true { throw ValidationError("--cookies needs a file, memory or off.") }
    }

    /// The jar; nil for none.
    ///
    /// - Parameter isOneRequest: Whether it is for a request and its redirects, of which many set
    ///   cookies that the next one needs. Default: no.
    /// - Returns: The jar.
    /// - Throws: ``CommandFailure`` with ``ExitStatus/usage`` for a file that cannot be used.
    func jar(ofOneRequest isOneRequest: Bool = false) throws(CommandFailure) -> CookieJar? {
        switch cookies {
        case nil: return isOneRequest ? CookieJar() : nil
        case "off": return nil
        case "memory": return CookieJar()
        case let path?: return try CookieJar(path: path)
        }
    }
}

extension CookieJar {
    /// The jar of a file.
    ///
    /// - Throws: ``CommandFailure`` with ``ExitStatus/usage``.
    convenience init(path: String) throws(CommandFailure) {
        do throws(NetworkingError) {
            try self.init(file: DownloadOptions.file(path, in: DownloadOptions.currentFolder))
        } catch {
            throw .usage(CommandFailure(error).message)
        }
    }

    /// Runs the work, and has the cookies written when it ends, also when it fails: a response of
    /// 4xx sets cookies, too. Other processes then wait for no request of a cache that they share.
    static func saving<Result>(
        _ jars: [CookieJar?],
        and caches: [HTTPCache?] = [],
        after work: () async throws -> Result
    ) async throws -> Result {
        let result: Swift.Result<Result, any Error>
        do {
            result = .success(try await work())
        } catch {
            result = .failure(error)
        }
        for cache in caches { await cache?.waitForEndedFetches() }
        var failures: [CommandFailure] = []
        for jar in jars {
            if let failure = await jar?.writingFailure() { failures.append(failure) }
        }
        // The failure of the work is the one that counts.
        if case .success = result, let first = failures.first { throw first }
        for failure in failures { StandardStream.error.write(line: "bluebonnet: \(failure.message)") }
        return try result.get()
    }

    private func writingFailure() async -> CommandFailure? {
        for cookie in unstorableCookies {
            StandardStream.error.write(
                line: "bluebonnet: The cookie \(cookie) is not kept: it has a tab, which the file cannot hold."
            )
        }
        do throws(NetworkingError) {
            try await flush()
            return nil
        } catch {
            return CommandFailure(message: error.message, status: .transport)
        }
    }
}
