import Foundation

/// The rounds of a fuzz test: `count` of them, or as many as fit into the seconds that the
/// environment variable `BLUEBONNET_FUZZ_SECONDS` sets.
struct FuzzRounds: Sequence, IteratorProtocol {
    private var left: Int
    private let end: ContinuousClock.Instant?

    init(_ count: Int) {
        left = count
        let seconds = ProcessInfo.processInfo.environment["BLUEBONNET_FUZZ_SECONDS"].flatMap(Int.init)
        end = seconds.map { ContinuousClock.now + .seconds($0) }
    }

    mutating func next() -> Int? {
        if let end { return ContinuousClock.now < end ? 0 : nil }
        left -= 1
        return left >= 0 ? left : nil
    }
}
