import Foundation

/// Tries inputs until the time or their number is up.
struct FuzzRun {
    /// What a run did.
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

    /// An input takes microseconds; a parser that needs this long has gone wrong.
    private static let patience = Duration.seconds(10)
    /// More than this is no memory that the pool of inputs or the allocator explains.
    private static let allowedGrowth = 96 << 20
    private static let largestPool = 2_000

    let target: FuzzTarget
    let seed: UInt64
    /// How long to go on; nil for a fixed number of inputs, and then nothing is written to disk.
    let time: Duration?
    let inputs: Int

    /// Lets other tests run after each input: the threads of Swift's pool are as many as the cores.
    func run() async throws -> Report {
        let corpus = FuzzCorpus(target)
        var report = Report(target: target)
        var mutator = Mutator(seed: seed, words: corpus.words)
        var seen: Set<String> = []
        var pool: [[UInt8]] = []
        let started = ContinuousClock.now
        if time != nil { try corpus.prepare() }
        let given = try corpus.inputs() + (time == nil ? [] : corpus.earlierFinds())
        for input in given {
            _ = try attempt(input, &mutator, corpus, &report, &seen)
            pool.append(input)
            await Task.yield()
        }
        let kept = given.count
        // What the libraries and the pool need is there after the first inputs.
        var memory: Int?
        while time.map({ ContinuousClock.now - started < $0 }) ?? (report.inputs < inputs) {
            let input = mutator.input(from: pool)
            if try attempt(input, &mutator, corpus, &report, &seen), input.count <= 2_048 {
                if pool.count < Self.largestPool { pool.append(input) }
                if time != nil { try corpus.keep(input, number: kept + seen.count) }
            }
            if report.inputs == 20_000 { memory = try Self.residentMemory() }
            await Task.yield()
        }
        report.time = ContinuousClock.now - started
        report.outcomes = seen.count
        if let memory { report.growth = try Self.residentMemory() - memory }
        guard report.growth < Self.allowedGrowth else {
            throw FuzzTarget.Violation(description: "memory grew without end: \(report)")
        }
        return report
    }

    /// Tries one input; true when its outcome was new.
    private func attempt(
        _ input: [UInt8],
        _ mutator: inout Mutator,
        _ corpus: FuzzCorpus,
        _ report: inout Report,
        _ seen: inout Set<String>
    ) throws -> Bool {
        if time != nil { try corpus.note(input) }
        let pieces = mutator.pieces(of: input)
        let before = ContinuousClock.now
        let kind: String
        do {
            kind = try target.run(input, cut: pieces)
        } catch {
            throw FuzzTarget.Violation(description: "\(target.rawValue), seed \(seed), input \(input): \(error)")
        }
        let took = ContinuousClock.now - before
        guard took < Self.patience else {
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
