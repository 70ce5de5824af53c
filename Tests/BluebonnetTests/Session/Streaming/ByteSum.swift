import Synchronization

/// A sum that several threads add to.
final class ByteSum: Sendable {
    private let sum = Atomic(0)

    /// The sum so far.
    var value: Int { sum.load(ordering: .sequentiallyConsistent) }

    /// Adds to it.
    func add(_ count: Int) {
        sum.add(count, ordering: .sequentiallyConsistent)
    }
}
