import Foundation
import Testing

/// Random inputs for every parser. With the other tests these are 3,000 inputs, 100 where each
/// starts a process, the same in every run; with `scripts/fuzz` each parser is tried for minutes,
/// and must not use more and more memory.
@Suite(.serialized)
struct ParserFuzzTests {
    private static let environment = ProcessInfo.processInfo.environment
    /// The time for each parser, set by `scripts/fuzz`.
    private static let seconds = environment["BLUEBONNET_FUZZ_SECONDS"].flatMap { Int($0) }
    private static let seed = environment["BLUEBONNET_FUZZ_SEED"].flatMap { UInt64($0) } ?? 1
    private static let targets: [FuzzTarget] = {
        let names = environment["BLUEBONNET_FUZZ_TARGETS"]?.split(separator: ",").map(String.init)
        return FuzzTarget.allCases.filter { names?.contains($0.rawValue) ?? true }
    }()

    @Test(arguments: targets)
    func `a parser keeps its rules and neither crashes nor hangs, whatever the input is`(
        target: FuzzTarget
    ) async throws {
        let inputs = target.startsProcesses ? 100 : 3_000
        let run = FuzzRun(target: target, seed: Self.seed, time: Self.seconds.map { .seconds($0) }, inputs: inputs)
        let report = try await run.run()
        #expect(report.inputs > 0)
        if Self.seconds != nil { print(report) }
    }
}
