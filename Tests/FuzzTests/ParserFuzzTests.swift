import Foundation
import Testing

/// Random inputs for every parser: a few thousand, always the same, with the other tests; for
/// minutes with `scripts/fuzz`.
@Suite(.serialized)
struct ParserFuzzTests {
    private static let environment = ProcessInfo.processInfo.environment
    /// How long each parser is tried, set by `scripts/fuzz`.
    private static let seconds = environment["BLUEBONNET_FUZZ_SECONDS"].flatMap { Int($0) }
    private static let seed = environment["BLUEBONNET_FUZZ_SEED"].flatMap { UInt64($0) } ?? 1
    private static let targets: [FuzzTarget] = {
        let names = environment["BLUEBONNET_FUZZ_TARGETS"]?.split(separator: ",").map(String.init)
        return FuzzTarget.allCases.filter { names?.contains($0.rawValue) ?? true }
    }()

    @Test(arguments: targets)
    func `for every input a parser neither crashes nor hangs nor grows, and is deterministic`(
        target: FuzzTarget
    ) async throws {
        let run = FuzzRun(target: target, seed: Self.seed, time: Self.seconds.map { .seconds($0) }, inputs: 3_000)
        let report = try await run.run()
        #expect(report.inputs > 0)
        if Self.seconds != nil { print(report) }
    }
}
