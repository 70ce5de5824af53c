#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Runs one workload on one client: warms up, measures, prints one line of JSON.
public struct BenchmarkRun: Sendable {
    /// A request whose result is not the expected number of bytes or records.
    struct WrongResult: Error, CustomStringConvertible {
        var expected: Int
        var received: Int
        var description: String { "expected \(expected), received \(received)" }
    }

    /// The counts of the tasks of a run.
    private struct Tally {
        var amount = 0
        var errors = 0
        var firstError: String?

        static func += (left: inout Tally, right: Tally) {
            left.amount += right.amount
            left.errors += right.errors
            left.firstError = left.firstError ?? right.firstError
        }
    }

    private let client: String
    private let options: BenchmarkOptions

    /// Creates a run.
    ///
    /// - Parameters:
    ///   - client: The name of the client, for the printed line.
    ///   - options: The workload and its options.
    public init(client: String, options: BenchmarkOptions) {
        self.client = client
        self.options = options
    }

    /// Warms up, measures and prints.
    ///
    /// - Parameters:
    ///   - library: The client to measure.
    ///   - executor: Where the requesting tasks run, or nil for the concurrent pool of Swift.
    /// - Returns: Whether every request had the expected result.
    /// - Throws: Never for a request; only when the result cannot be encoded.
    @concurrent
    public func measure(_ library: some BenchmarkClient, on executor: (any TaskExecutor)? = nil) async throws -> Bool {
        _ = await perform(options.warmUp, library, on: executor)
        let before = ProcessUsage.current()
        let start = ContinuousClock.now
        let tally = await perform(options.requests, library, on: executor)
        let wall = ContinuousClock.now - start
        let after = ProcessUsage.current()
        let result = BenchmarkResult(
            client: client,
            workload: options.workload.rawValue,
            count: options.requests,
            amount: tally.amount,
            errors: tally.errors,
            wallSeconds: wall / .seconds(1),
            userSeconds: after.user - before.user,
            systemSeconds: after.system - before.system,
            contextSwitches: after.contextSwitches - before.contextSwitches,
            peakBytes: after.peakBytes
        )
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        print(String(decoding: try encoder.encode(result), as: UTF8.self))
        if let error = tally.firstError {
            OutputFile.printError("\(client) \(options.workload.rawValue): \(error)\n")
        }
        return tally.errors == 0
    }

    @concurrent
    private func perform(
        _ requests: Int,
        _ library: some BenchmarkClient,
        on executor: (any TaskExecutor)?
    ) async -> Tally {
        if options.workload == .webSocketEcho {
            return await withTaskExecutorPreference(executor) { await echo(requests, library) }
        }
        let tasks = min(options.concurrency, requests)
        if tasks == 1 {
            return await withTaskExecutorPreference(executor) { await series(requests, library) }
        }
        return await withTaskGroup(of: Tally.self) { group in
            for index in 0..<tasks {
                let share = (requests + index) / tasks
                group.addTask(executorPreference: executor) { await series(share, library) }
            }
            return await group.reduce(into: Tally()) { $0 += $1 }
        }
    }

    /// All messages over one WebSocket, with as many of them on their way at a time as there are
    /// tasks in the other workloads.
    @concurrent
    private func echo(_ messages: Int, _ library: some BenchmarkClient) async -> Tally {
        do {
            let count = try await library.echo(messages, inFlight: options.concurrency, at: options.url)
            return Tally(amount: count, errors: messages - count)
        } catch {
            return Tally(errors: messages, firstError: String(describing: error))
        }
    }

    @concurrent
    private func series(_ requests: Int, _ library: some BenchmarkClient) async -> Tally {
        var tally = Tally()
        for _ in 0..<requests {
            do {
                let received = try await once(library)
                tally.amount += received
                if let expected = options.expected, expected != received {
                    throw WrongResult(expected: expected, received: received)
                }
            } catch {
                tally.errors += 1
                tally.firstError = tally.firstError ?? String(describing: error)
            }
        }
        return tally
    }

    private func once(_ library: some BenchmarkClient) async throws -> Int {
        switch options.workload {
        case .sequential, .concurrent64, .queued10000, .tlsNew:
            try await library.get(options.url)
        case .downloadNull: try await library.download(options.url)
        case .downloadCached: try await library.downloadThroughCache(options.url)
        case .downloadFile: try await library.download(options.url, to: options.file)
        case .uploadFile: try await library.upload(options.file, to: options.url)
        case .uploadMultipart: try await library.uploadMultipart(options.file, to: options.url)
        case .json100k: try await library.records(options.url)
        case .jsonValue, .jsonDecodable, .jsonValueTexts, .jsonDecodableTexts, .jsonValueStructure,
            .jsonDecodableStructure, .jsonValueDoubles, .jsonDecodableDoubles, .encodeQuery, .encodeMultipart,
            .cookies10000, .imageThumbnail, .webSocketEcho:
            throw BenchmarkOptions.Invalid(description: "this client has no \(options.workload.rawValue)")
        }
    }
}
