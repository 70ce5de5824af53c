import Dispatch
import Synchronization

/// Tells of each state of the network. One for the process, which begins with the first listener
/// and sleeps while nothing changes.
final class NetworkMonitor: Sendable {
    /// Changes the state, on the queue, and tells of it. The state is nil until it is known, and is
    /// changed in its place: a machine may have a million routes.
    typealias Update = @Sendable (_ change: (inout NetworkState?) -> Void) -> Void
    /// Begins to follow the network, on the queue; false where that is not possible.
    typealias Start = @Sendable (DispatchQueue, @escaping Update) -> Bool
    typealias Listener = @Sendable (NetworkState) -> Void

    private struct Entry {
        let listener: Listener
        let fail: (@Sendable () -> Void)?
    }

    private struct State {
        var listeners: [Int: Entry] = [:]
        var lastListener = 0
        var current: NetworkState?
        var isStarted = false
    }

    /// Calls the listeners, one after the other.
    let queue: DispatchQueue
    private let start: Start
    private let state = Mutex(State())

    /// The monitor of the process. On other systems than Linux it never tells anything.
    static let process = NetworkMonitor { queue, update in
        #if os(Linux)
            NetlinkWatcher.start(on: queue, update: update)
        #else
            false
        #endif
    }

    init(start: @escaping Start) {
        queue = DispatchQueue(label: "bluebonnet.network")
        self.start = start
    }

    /// The newest state; nil where none is known yet.
    var current: NetworkState? { state.withLock(\.current) }

    /// Whether somebody waits for a state, for tests.
    var isWatched: Bool { state.withLock { !$0.listeners.isEmpty } }

    /// Adds a listener, which gets the newest state as soon as there is one, and then each one.
    ///
    /// - Parameters:
    ///   - listener: The listener.
    ///   - fail: Called where the network cannot be followed, so that no state will come. Default:
    ///     nothing.
    /// - Returns: The number of the listener.
    func add(_ listener: @escaping Listener, orElse fail: (@Sendable () -> Void)? = nil) -> Int {
        let (number, mustStart) = state.withLock { state in
            state.lastListener += 1
            state.listeners[state.lastListener] = Entry(listener: listener, fail: fail)
            defer { state.isStarted = true }
            return (state.lastListener, !state.isStarted)
        }
        queue.async { [self] in
            if mustStart {
                if !start(queue, { [weak self] in self?.update($0) }) { failed() }
            } else if let (entry, current) = state.withLock({ state in
                state.listeners[number].flatMap { entry in state.current.map { (entry, $0) } }
            }) {
                entry.listener(current)
            }
        }
        return number
    }

    /// Another listener may try again.
    private func failed() {
        let entries = state.withLock { state in
            state.isStarted = false
            return state.listeners.values
        }
        for entry in entries { entry.fail?() }
    }

    func remove(_ listener: Int) {
        state.withLock { $0.listeners[listener] = nil }
    }

    /// Changes the state, and tells of it where it is known; on the queue.
    func update(_ change: (inout NetworkState?) -> Void) {
        let (new, entries) = state.withLock { state in
            change(&state.current)
            return (state.current, state.listeners.sorted { $0.key < $1.key }.map(\.value))
        }
        guard let new else { return }
        for entry in entries { entry.listener(new) }
    }

    /// Tells of a state; on the queue.
    func publish(_ new: NetworkState) { update { $0 = new } }
}
