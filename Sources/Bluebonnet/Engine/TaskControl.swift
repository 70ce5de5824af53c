import NIOCore
import Synchronization

/// What a task and the engine tell each other while an exchange runs: cancel, suspend, and how many bytes went by.
///
/// The task holds it for its whole life; every hop attaches its exchange.
final class TaskControl: Sendable {
    /// Something under way that can be stopped.
    protocol Operation: AnyObject, Sendable {
        func cancel(with error: NetworkingError)
        func setSuspended(_ isSuspended: Bool)
    }

    struct Counts: Sendable, Hashable {
        var sent = 0
        var expectedToSend: Int?
        var received = 0
        var expectedToReceive: Int?
        /// Bytes per second, where they are measured.
        var sendingSpeed: Double?
        var receivingSpeed: Double?
    }

    /// How fast the bytes of the present hop go by.
    private struct Meters {
        var sending = SpeedMeter()
        var receiving = SpeedMeter()
    }

    private struct State {
        var error: NetworkingError?
        /// What is under way: one operation as a rule; more when an interceptor sends a request several times at once.
        var operation: (any Operation)?
        var others: [any Operation] = []
        var isSuspended = false
        var counts = Counts()
        /// One element, or none where nobody looks at the speed: the state is no larger for it.
        var meters: [Meters] = []
        var observers: [Int: @Sendable (Counts?) -> Void] = [:]
        var nextObserver = 0
        var isOver = false

        mutating func measure(since before: Counts, at now: NIODeadline) {
            meters[0].sending.add(counts.sent - before.sent, at: now)
            meters[0].receiving.add(counts.received - before.received, at: now)
            counts.sendingSpeed = meters[0].sending.speed(at: now)
            counts.receivingSpeed = meters[0].receiving.speed(at: now)
        }

        var operations: [any Operation] { others + [operation].compactMap(\.self) }
    }

    private let state: Mutex<State>
    private let now: @Sendable () -> NIODeadline

    /// - Parameters:
    ///   - measuresSpeed: Whether the counts tell speeds, which costs a look at the clock for every change.
    ///   - now: The clock of the speeds.
    init(measuresSpeed: Bool = false, now: @escaping @Sendable () -> NIODeadline = { .now() }) {
        state = Mutex(State(meters: measuresSpeed ? [Meters()] : []))
        self.now = now
    }

    /// What has gone by so far, with the speeds of this moment.
    var counts: Counts {
        state.withLock { state in
            guard let meters = state.meters.first, !state.isOver else { return state.counts }
            return Self.measured(state.counts, meters, at: now())
        }
    }

    /// What is complete keeps the speed it had.
    private static func measured(_ counts: Counts, _ meters: Meters, at now: NIODeadline) -> Counts {
        var counts = counts
        if counts.sent != counts.expectedToSend { counts.sendingSpeed = meters.sending.speed(at: now) }
        if counts.received != counts.expectedToReceive { counts.receivingSpeed = meters.receiving.speed(at: now) }
        return counts
    }

    /// Why the task was stopped, once it was.
    var error: NetworkingError? { state.withLock { $0.error } }

    var isSuspended: Bool { state.withLock { $0.isSuspended } }

    /// Stops the task for good. The first reason wins.
    func cancel(with error: NetworkingError) {
        let operations = state.withLock { state -> [any Operation] in
            guard state.error == nil else { return [] }
            state.error = error
            defer {
                state.operation = nil
                state.others = []
            }
            return state.operations
        }
        for operation in operations { operation.cancel(with: error) }
    }

    func setSuspended(_ isSuspended: Bool) {
        let operations = state.withLock { state -> [any Operation] in
            guard state.isSuspended != isSuspended else { return [] }
            state.isSuspended = isSuspended
            return state.operations
        }
        for operation in operations { operation.setSuspended(isSuspended) }
    }

    /// Calls the closure after every change of the counts, on whatever thread made it, and with nil when the task is over.
    @discardableResult
    func observe(_ observer: @escaping @Sendable (Counts?) -> Void) -> Int {
        let (isOver, number) = state.withLock { state in
            state.nextObserver += 1
            if !state.isOver { state.observers[state.nextObserver] = observer }
            return (state.isOver, state.nextObserver)
        }
        if isOver { observer(nil) }
        return number
    }

    /// The observer has gone.
    func forget(_ observer: Int) {
        state.withLock { $0.observers[observer] = nil }
    }

    /// The task is over: observers hear of it and are let go.
    func finish() {
        let observers = state.withLock { state in
            state.isOver = true
            defer { state.observers = [:] }
            return state.observers
        }
        for observer in observers.values { observer(nil) }
    }

    /// From now on the operation is stopped by ``cancel(with:)`` and suspended by ``setSuspended(_:)``.
    func attach(_ operation: any Operation) throws(NetworkingError) {
        let error = state.withLock { state in
            guard state.error == nil else { return state.error }
            if state.operation == nil { state.operation = operation } else { state.others.append(operation) }
            return nil
        }
        if let error { throw error }
    }

    func detach(_ operation: any Operation) {
        state.withLock { state in
            if state.operation === operation {
                state.operation = state.others.popLast()
            } else if !state.others.isEmpty {
                state.others.removeAll { $0 === operation }
            }
        }
    }

    /// A new hop begins: its own counts start at zero.
    func beginHop(expectedToSend: Int?) {
        state.withLock { state in
            if !state.meters.isEmpty { state.meters = [Meters()] }
        }
        update { counts in
            counts = Counts(expectedToSend: expectedToSend)
        }
    }

    func update(_ change: (inout Counts) -> Void) {
        let (observers, counts) = state.withLock { state in
            let before = state.counts
            change(&state.counts)
            if !state.meters.isEmpty { state.measure(since: before, at: now()) }
            return (state.observers, state.counts)
        }
        for observer in observers.values { observer(counts) }
    }
}
