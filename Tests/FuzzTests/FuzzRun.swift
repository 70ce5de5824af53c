import Foundation

/// Tries inputs for a time, or a number of them.
struct FuzzRun {
    /// The figures of a run.
    struct Report: CustomStringConvertible {
        var target: FuzzTarget
        var inputs = 0
        var outcomes = 0
        var slowest = Duration.zero
        var growth = 0
        var time = Duration.zero

        var description: String {
            "fuzz \(target.rawValue): \(inputs) inputs in \(time.components.seconds) s, \(outcomes) kinds of outcome, "
                + "slowest \(slowest), memory grew by \(growth >> 10) KiB"
        }
    }

    /// The limit for one input, which usually takes microseconds.
    private static let longestTime = Duration.seconds(10)
    /// After this time a parser that has not returned hangs.
    private static let patience = Duration.seconds(60)
    /// The limit for memory, larger than what the pool of inputs and the allocator need.
    private static let allowedGrowth = 96 << 20
    private static let largestPool = 2_000

    let target: FuzzTarget
    let seed: UInt64
    /// The length of the run. With nil it has a fixed number of inputs and writes nothing to disk.
    let time: Duration?
    let inputs: Int

    /// Tries the inputs. Yields after each one, so that other tests can run: Swift's thread pool
    /// has only as many threads as there are cores.
    func run() async throws -> Report {
        let corpus = FuzzCorpus(target)
        let watch = HangWatch(name: "\(target.rawValue), seed \(seed)", patience: Self.patience)
        var report = Report(target: target)
        var mutator = Mutator(seed: seed, words: corpus.words)
        var seen: Set<String> = []
        var pool: [[UInt8]] = []
        let started = ContinuousClock.now
        if time != nil { try corpus.prepare() }
        let given = try corpus.inputs() + (time == nil ? [] : corpus.earlierFinds())
        for input in given {
            _ = try attempt(input, &mutator, corpus, watch, &report, &seen)
            pool.append(input)
            await Task.yield()
        }
        let kept = given.count
        // The memory after half of the time, when the libraries and the pool have most of what they
        // need. Not measured without a time: the other tests run beside it, in the same process.
        var memory: Int?
        while time.map({ ContinuousClock.now - started < $0 }) ?? (report.inputs < inputs) {
            let input = mutator.input(from: pool)
            if try attempt(input, &mutator, corpus, watch, &report, &seen), input.count <= 2_048 {
                if pool.count < Self.largestPool { pool.append(input) }
                if time != nil { try corpus.keep(input, number: kept + seen.count) }
            }
            if memory == nil, let time, ContinuousClock.now - started >= time / 2 {
                memory = try Self.residentMemory()
            }
            await Task.yield()
        }
        report.time = ContinuousClock.now - started
        report.outcomes = seen.count
        if let memory { report.growth = try Self.residentMemory() - memory }
        guard report.growth < Self.allowedGrowth else {
            throw FuzzTarget.Violation(description: "memory grew above the limit: \(report)")
        }
        return report
    }

    /// Tries one input. Returns whether its outcome is of a new kind.
    private func attempt(
        _ input: [UInt8],
        _ mutator: inout Mutator,
        _ corpus: FuzzCorpus,
        _ watch: HangWatch,
        _ report: inout Report,
        _ seen: inout Set<String>
    ) throws -> Bool {
        if time != nil { try corpus.note(input) }
        let pieces = mutator.pieces(of: input)
        watch.begin(input)
        defer { watch.end() }
        let before = ContinuousClock.now
        let kind: String
        do {
            kind = try target.run(input, cut: pieces)
        } catch {
            throw FuzzTarget.Violation(description: "\(target.rawValue), seed \(seed), input \(input): \(error)")
        }
        let took = ContinuousClock.now - before
        guard took < Self.longestTime else {
            throw FuzzTarget.Violation(description: "\(target.rawValue) took \(took) for \(input)")
        }
        report.inputs += 1
        report.slowest = max(report.slowest, took)
        return seen.insert(kind).inserted
    }

    private static func residentMemory() throws -> Int {
        let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
        return (fields.count > 1 ? Int(fields[1]) ?? 0 : 0) * 4096
    }
}
