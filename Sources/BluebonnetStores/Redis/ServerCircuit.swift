#if Redis
    /// Whether a server is asked, as a value: after a failure it is not for a while, so that a
    /// dead server costs requests nothing. Then one piece of work tries it.
    struct ServerCircuit: Sendable {
        /// The right to ask the server.
        enum Permit: Sendable {
            case normal
            /// The one that finds out whether the server is back.
            case trial
        }

        /// What has changed.
        enum Change: Sendable, Equatable {
            case lost, back
        }

        private enum State {
            case closed
            case open(until: ContinuousClock.Instant, pause: Duration)
            case trying(since: ContinuousClock.Instant, pause: Duration)
        }

        /// The first pause.
        static let shortest = Duration.seconds(1)
        /// Pauses double up to this.
        static let longest = Duration.seconds(30)

        private var state = State.closed

        /// Whether nothing is known against the server.
        var isClosed: Bool {
            if case .closed = state { true } else { false }
        }

        /// The right to ask the server now; nil while it rests.
        mutating func permit(at now: ContinuousClock.Instant) -> Permit? {
            switch state {
            case .closed: return .normal
            case .trying(let since, let pause):
                // Whoever tried it has never said what came of it.
                guard now >= since + Self.longest else { return nil }
                state = .trying(since: now, pause: pause)
                return .trial
            case .open(let until, let pause):
                guard now >= until else { return nil }
                state = .trying(since: now, pause: pause)
                return .trial
            }
        }

        /// The server has answered.
        mutating func succeed(_ permit: Permit) -> Change? {
            guard permit == .trial, case .trying = state else { return nil }
            state = .closed
            return .back
        }

        /// The server has not answered. Work that began before it was lost changes nothing.
        mutating func fail(_ permit: Permit, at now: ContinuousClock.Instant) -> Change? {
            switch (state, permit) {
            case (.closed, .normal):
                state = .open(until: now + Self.shortest, pause: Self.shortest)
                return .lost
            case (.trying(_, let pause), .trial):
                let next = min(pause * 2, Self.longest)
                state = .open(until: now + next, pause: next)
                return nil
            default: return nil
            }
        }
    }
#endif
