import Testing

@testable import Bluebonnet

@Suite struct NetworkActivityStateMachineTests {
    private typealias Machine = NetworkActivityMonitor.StateMachine
    private typealias Step = Machine.Step

    private func task(_ number: Int, of observation: Int = 1) -> Machine.Identity {
        Machine.Identity(observation: observation, task: number)
    }

    /// A machine that shows the indicator for task 1.
    private func active() -> Machine {
        var machine = Machine()
        _ = machine.began(task(1))
        _ = machine.delayEnded(machine.delayNumber)
        return machine
    }

    @Test func `a task that ends within the first delay shows nothing`() {
        var machine = Machine()
        #expect(machine.began(task(1)) == Step(delay: .activation))
        #expect(machine.ended(task(1)) == .nothing)
        #expect(machine.phase == .delayingStart)
        #expect(machine.delayEnded(machine.delayNumber) == .nothing)
        #expect(machine.phase == .notActive)
    }

    @Test func `a task that outlasts the first delay shows the indicator`() {
        var machine = Machine()
        _ = machine.began(task(1))
        #expect(machine.delayEnded(machine.delayNumber) == Step(shows: true))
        #expect(machine.phase == .active)
        #expect(machine.began(task(2)) == .nothing)
        #expect(machine.ended(task(1)) == .nothing)
        #expect(machine.ended(task(2)) == Step(delay: .completion))
        #expect(machine.isVisible)
        #expect(machine.delayEnded(machine.delayNumber) == Step(shows: false))
        #expect(machine.phase == .notActive)
    }

    @Test func `another task during the last delay keeps the indicator`() {
        var machine = active()
        _ = machine.ended(task(1))
        let number = machine.delayNumber
        #expect(machine.began(task(2)) == Step(endsDelay: true))
        #expect(machine.phase == .active)
        #expect(machine.delayEnded(number) == .nothing)
        #expect(machine.isVisible)
    }

    @Test func `disabling hides the indicator, and enabling begins again`() {
        var machine = active()
        #expect(machine.setEnabled(false) == Step(shows: false, endsDelay: true))
        #expect(machine.setEnabled(false) == .nothing)
        #expect(machine.began(task(2)) == .nothing)
        #expect(machine.count == 2)
        #expect(machine.setEnabled(true) == Step(delay: .activation))
        var delaying = Machine()
        _ = delaying.began(task(1))
        let number = delaying.delayNumber
        #expect(delaying.setEnabled(false) == Step(endsDelay: true))
        #expect(delaying.delayEnded(number) == .nothing)
    }

    @Test func `the count is never negative and does not drift`() {
        var machine = Machine()
        _ = machine.ended(task(1))
        _ = machine.decrement()
        #expect(machine.count == 0)
        for _ in 0..<3 { _ = machine.began(task(1)) }
        #expect(machine.count == 1)
        _ = machine.began(task(1, of: 2))
        _ = machine.increment()
        #expect(machine.count == 3)
        for _ in 0..<3 { _ = machine.ended(task(1)) }
        #expect(machine.count == 2)
        _ = machine.ended(observation: 2)
        _ = machine.decrement()
        _ = machine.decrement()
        #expect(machine.count == 0)
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `whatever happens, shows and hides alternate, and the end is hidden`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var machine = Machine()
        var isShown = false
        func apply(_ step: Step) {
            guard let shows = step.shows else { return }
            #expect(shows != isShown, "seed \(seed)")
            isShown = shows
        }
        for _ in 0..<1000 {
            let number = Int.random(in: 0..<4, using: &random)
            switch Int.random(in: 0..<7, using: &random) {
            case 0: apply(machine.began(task(number)))
            case 1: apply(machine.ended(task(number)))
            case 2: apply(machine.increment())
            case 3: apply(machine.decrement())
            case 4: apply(machine.setEnabled(Bool.random(using: &random)))
            default: apply(machine.delayEnded(machine.delayNumber - number / 2))
            }
            #expect(machine.count >= 0)
            #expect(machine.isVisible == isShown)
        }
        for number in 0..<4 { apply(machine.ended(task(number))) }
        while machine.count > 0 { apply(machine.decrement()) }
        for _ in 0..<2 { apply(machine.delayEnded(machine.delayNumber)) }
        #expect(!isShown)
    }
}
