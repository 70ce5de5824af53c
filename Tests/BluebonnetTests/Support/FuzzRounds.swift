import Foundation

/// How long a fuzz test goes on: so many rounds in the suite, or `BLUEBONNET_FUZZ_SECONDS` by hand.
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
