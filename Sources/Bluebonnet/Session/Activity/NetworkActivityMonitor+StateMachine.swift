extension NetworkActivityMonitor {
    /// When an indicator is shown and hidden, as a value without clock and threads.
    ///
    /// The legal changes: `notActive` to `delayingStart`; `delayingStart` to `active`, or back when
    /// nothing is under way at its end; `active` to `delayingEnd`; `delayingEnd` to `active` or
    /// `notActive`. Disabling leads to `notActive` from each.
    struct StateMachine {
        enum Phase: Equatable { case notActive, delayingStart, active, delayingEnd }

        enum Delay: Equatable { case activation, completion }

        /// A task of a session that is observed.
        struct Identity: Hashable {
            let observation: Int
            let task: Int
        }

        /// What a change asks for.
        struct Step: Equatable {
            /// Whether the indicator is to be shown or hidden; nil for no change.
            var shows: Bool?
            /// The delay that begins, in place of the one before.
            var delay: Delay?
            /// Whether the present delay ends without effect.
            var endsDelay = false

            static let nothing = Step()
        }

        private(set) var phase = Phase.notActive
        private(set) var isEnabled = true
        /// A set and not a number: whatever comes twice or in another order, it cannot be wrong for
        /// long.
        private var tasks: Set<Identity> = []
        private var manualCount = 0
        /// The number of the present delay: the end of another one is void.
        private(set) var delayNumber = 0

        /// The number of what is under way, never negative.
        var count: Int { tasks.count + manualCount }

        var isVisible: Bool { phase == .active || phase == .delayingEnd }

        mutating func setEnabled(_ isEnabled: Bool) -> Step {
            guard isEnabled != self.isEnabled else { return .nothing }
            self.isEnabled = isEnabled
            guard !isEnabled else { return update() }
            let step = Step(shows: isVisible ? false : nil, endsDelay: true)
            move(to: .notActive)
            return step
        }

        mutating func began(_ task: Identity) -> Step {
            tasks.insert(task)
            return update()
        }

        mutating func ended(_ task: Identity) -> Step {
            tasks.remove(task)
            return update()
        }

        /// Forgets the tasks of a session that has ended.
        mutating func ended(observation: Int) -> Step {
            tasks = tasks.filter { $0.observation != observation }
            return update()
        }

        mutating func increment() -> Step {
            // It stops counting where an `Int` ends.
            if manualCount < .max / 2 { manualCount += 1 }
            return update()
        }

        mutating func decrement() -> Step {
            manualCount = max(0, manualCount - 1)
            return update()
        }

        mutating func delayEnded(_ number: Int) -> Step {
            guard number == delayNumber else { return .nothing }
            switch phase {
            case .notActive, .active: return .nothing
            case .delayingStart:
                move(to: count > 0 ? .active : .notActive)
                return Step(shows: count > 0 ? true : nil)
            case .delayingEnd:
                move(to: .notActive)
                return Step(shows: false)
            }
        }

        private mutating func update() -> Step {
            guard isEnabled else { return .nothing }
            switch (phase, count > 0) {
            case (.notActive, true):
                move(to: .delayingStart)
                return Step(delay: .activation)
            case (.active, false):
                move(to: .delayingEnd)
                return Step(delay: .completion)
            case (.delayingEnd, true):
                move(to: .active)
                return Step(endsDelay: true)
            // The delay of the start is over at its time, whatever begins and ends meanwhile.
            default: return .nothing
            }
        }

        private mutating func move(to phase: Phase) {
            self.phase = phase
            delayNumber += 1
        }
    }
}
