import Testing

@testable import Bluebonnet

/// The order in which streams send, as values.
@Suite struct HTTP2SendTurnsTests {
    /// The streams that get a turn, each of which ends as the closure says.
    private func turns(
        _ turns: inout HTTP2SendTurns,
        hasWindow: Bool = true,
        most: Int = 100,
        outcome: (Int) -> HTTP2SendTurns.Outcome
    ) -> [Int] {
        var order: [Int] = []
        while order.count < most, let stream = turns.next(hasWindow: hasWindow) {
            order.append(stream)
            turns.place(stream, outcome(stream))
        }
        return order
    }

    private func awake(_ streams: Int...) -> HTTP2SendTurns {
        var turns = HTTP2SendTurns()
        for stream in streams { turns.wake(stream) }
        return turns
    }

    @Test func `streams with more to send take turns`() {
        var turns = awake(1, 3, 5)
        let order = self.turns(&turns, most: 6) { _ in .goesOn }
        #expect(order == [1, 3, 5, 1, 3, 5])
    }

    @Test func `a stream that rests has no turn before it wakes`() {
        var turns = awake(1, 3)
        let first = self.turns(&turns) { _ in .rests }
        #expect(first == [1, 3] && !turns.hasNext(hasWindow: true))
        turns.wake(3)
        turns.wake(3)
        let second = self.turns(&turns) { _ in .rests }
        #expect(second == [3])
    }

    @Test func `a window wakes only those that wait for it, and no more than it has room for`() {
        var turns = awake(1, 3, 5)
        _ = self.turns(&turns, hasWindow: false) { $0 == 3 ? .rests : .needsWindow }
        #expect(!turns.hasNext(hasWindow: false) && turns.hasNext(hasWindow: true))
        // The window is used up by the first one.
        let first = self.turns(&turns, most: 1) { _ in .needsWindow }
        let without = self.turns(&turns, hasWindow: false) { _ in .needsWindow }
        let second = self.turns(&turns, most: 2) { _ in .needsWindow }
        #expect(first == [1] && without.isEmpty && second == [5, 1])
    }

    @Test func `a stream that waits for the window is not woken by its own`() {
        var turns = awake(1)
        _ = self.turns(&turns, hasWindow: false) { _ in .needsWindow }
        turns.wake(1)
        #expect(!turns.hasNext(hasWindow: false))
        let order = self.turns(&turns) { _ in .rests }
        #expect(order == [1])
    }

    @Test func `those that waited for the window come before those that are ready`() {
        var turns = awake(1)
        _ = self.turns(&turns, hasWindow: false) { _ in .needsWindow }
        turns.wake(3)
        let order = self.turns(&turns) { _ in .rests }
        #expect(order == [1, 3])
    }

    @Test(arguments: [HTTP2SendTurns.Outcome.goesOn, .needsWindow])
    func `a stream that has ended has no turn`(outcome: HTTP2SendTurns.Outcome) {
        var turns = HTTP2SendTurns()
        for stream in [1, 3] { turns.place(stream, outcome) }
        turns.remove(1)
        turns.remove(5)
        let order = self.turns(&turns) { _ in .rests }
        #expect(order == [3])
    }
}
