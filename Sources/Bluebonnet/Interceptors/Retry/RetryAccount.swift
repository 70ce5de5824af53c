import NIOCore

/// The account of a ``RetryBudget``, as a value: requests pay in, retries take out.
///
/// The window is cut into slots, which are forgotten as a whole: what is counted reaches back over
/// the window, less one slot at most.
struct RetryAccount {
    private static let slotCount = 10

    private struct Slot {
        var requests = 0
        var retries = 0
    }

    private let ratio: Double
    /// The retries that are there without a request.
    private let minimum: Double
    private let slotLength: UInt64
    private var slots = Array(repeating: Slot(), count: slotCount)
    /// The number of the present slot since the beginning of the clock.
    private var present: UInt64 = 0
    // The sums of all slots.
    private var requests = 0
    private var retries = 0

    init(_ budget: RetryBudget) {
        func within(_ number: Double, _ most: Double) -> Double { number > 0 ? Swift.min(number, most) : 0 }
        let window = min(max(budget.window, .seconds(1)), .seconds(86_400))
        ratio = within(budget.ratio, 1000)
        minimum = within(budget.minimumPerSecond, 1_000_000) * (window / .seconds(1))
        slotLength = UInt64(window.timeAmount.nanoseconds) / UInt64(Self.slotCount)
    }

    /// Counts a request that is sent for the first time.
    mutating func payIn(at now: NIODeadline) {
        move(to: now)
        slots[index].requests += 1
        requests += 1
    }

    /// Takes out a retry; false where there is none left.
    mutating func takeOut(at now: NIODeadline) -> Bool {
        move(to: now)
        guard Double(retries + 1) <= Double(requests) * ratio + minimum else { return false }
        slots[index].retries += 1
        retries += 1
        return true
    }

    private var index: Int { Int(present % UInt64(Self.slotCount)) }

    /// Forgets the slots that are over.
    private mutating func move(to now: NIODeadline) {
        let slot = now.uptimeNanoseconds / slotLength
        guard slot > present else { return }
        for _ in 0..<min(slot - present, UInt64(Self.slotCount)) {
            present += 1
            requests -= slots[index].requests
            retries -= slots[index].retries
            slots[index] = Slot()
        }
        present = slot
    }
}
