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
    }

    private struct State {
        var error: NetworkingError?
        var operation: (any Operation)?
        var isSuspended = false
        var counts = Counts()
        var observers: [Int: @Sendable (Counts?) -> Void] = [:]
        var nextObserver = 0
        var isOver = false
    }

    private let state = Mutex(State())

    init() {}

    /// What has gone by so far.
    var counts: Counts { state.withLock { $0.counts } }

    /// Why the task was stopped, once it was.
    var error: NetworkingError? { state.withLock { $0.error } }

    var isSuspended: Bool { state.withLock { $0.isSuspended } }

    /// Stops the task for good. The first reason wins.
    func cancel(with error: NetworkingError) {
        let operation = state.withLock { state -> (any Operation)? in
            guard state.error == nil else { return nil }
            state.error = error
            defer { state.operation = nil }
            return state.operation
        }
        operation?.cancel(with: error)
    }

    func setSuspended(_ isSuspended: Bool) {
        let operation = state.withLock { state -> (any Operation)? in
            guard state.isSuspended != isSuspended else { return nil }
            state.isSuspended = isSuspended
            return state.operation
        }
        operation?.setSuspended(isSuspended)
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

    /// Makes an exchange the one that is stopped by ``cancel(with:)`` and suspended by ``setSuspended(_:)``.
    func attach(_ operation: any Operation) throws(NetworkingError) {
        let error = state.withLock { state in
            if state.error == nil { state.operation = operation }
            return state.error
        }
        if let error { throw error }
    }

    func detach(_ operation: any Operation) {
        state.withLock { state in
            if state.operation === operation { state.operation = nil }
        }
    }

    /// A new hop begins: its own counts start at zero.
    func beginHop(expectedToSend: Int?) {
        update { counts in
            counts = Counts(expectedToSend: expectedToSend)
        }
    }

    func update(_ change: (inout Counts) -> Void) {
        let (observers, counts) = state.withLock { state in
            change(&state.counts)
            return (state.observers, state.counts)
        }
        for observer in observers.values { observer(counts) }
    }
}
