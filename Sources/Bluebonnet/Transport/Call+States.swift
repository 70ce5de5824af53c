/// The streams of the states of a call.
extension Call {
    /// The streams of those who want to know the state, as a value: almost always none.
    struct StateStreams {
        private var continuations: [Int: AsyncStream<TaskState>.Continuation] = [:]
        private var lastNumber = 0

        fileprivate mutating func add(_ continuation: AsyncStream<TaskState>.Continuation) -> Int {
            lastNumber += 1
            continuations[lastNumber] = continuation
            return lastNumber
        }

        fileprivate mutating func remove(_ number: Int) {
            continuations[number] = nil
        }

        /// Tells a new state; called under the lock, so that the states come in their order.
        func tell(_ state: TaskState) {
            for continuation in continuations.values { continuation.yield(state) }
        }

        /// Forgets the streams of a call that is over, which are to be ended outside the lock.
        mutating func takeAll() -> [AsyncStream<TaskState>.Continuation] {
            guard !continuations.isEmpty else { return [] }
            defer { continuations = [:] }
            return Array(continuations.values)
        }
    }

    /// Tells the state to those who want to know it; called under the lock.
    func tellState(_ state: State) {
        state.stateStreams.tell(self.state(of: state))
    }

    /// The state now, and each one from now on until the call is over.
    var states: AsyncStream<TaskState> {
        let (stream, continuation) = AsyncStream.makeStream(of: TaskState.self, bufferingPolicy: .bufferingNewest(1))
        let (number, state) = withLock { state -> (Int?, TaskState) in
            let now = self.state(of: state)
            guard now != .completed else { return (nil, now) }
            continuation.yield(now)
            return (state.stateStreams.add(continuation), now)
        }
        guard let number else {
            continuation.yield(state)
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in self?.withLock { $0.stateStreams.remove(number) } }
        return stream
    }
}
