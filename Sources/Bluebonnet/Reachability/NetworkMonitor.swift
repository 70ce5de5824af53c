import Dispatch
import Synchronization

/// Tells of each state of the network. One for the process, which begins with the first listener
/// and sleeps while nothing changes.
final class NetworkMonitor: Sendable {
    /// Begins to follow the network, on the queue; false where that is not possible.
    typealias Start = @Sendable (DispatchQueue, @escaping @Sendable (NetworkState) -> Void) -> Bool
    typealias Listener = @Sendable (NetworkState) -> Void

    private struct State {
        var listeners: [Int: Listener] = [:]
        var lastListener = 0
        var current: NetworkState?
        var isStarted = false
    }

    /// Calls the listeners, one after the other.
    let queue: DispatchQueue
    private let start: Start
    private let state = Mutex(State())

    /// The monitor of the process. On other systems than Linux it never tells anything.
    static let process = NetworkMonitor { queue, publish in
        #if os(Linux)
            NetlinkWatcher.start(on: queue, publish: publish)
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

    /// Adds a listener, which gets the newest state as soon as there is one, and then each one.
    ///
    /// - Returns: The number of the listener.
    func add(_ listener: @escaping Listener) -> Int {
        let (number, mustStart) = state.withLock { state in
            state.lastListener += 1
            state.listeners[state.lastListener] = listener
            defer { state.isStarted = true }
            return (state.lastListener, !state.isStarted)
        }
        queue.async { [self] in
            if mustStart {
                let isOn = start(queue) { [weak self] in self?.publish($0) }
                // Another listener may try again.
                if !isOn { state.withLock { $0.isStarted = false } }
            } else if let (listener, current) = state.withLock({ state in
                state.listeners[number].flatMap { listener in state.current.map { (listener, $0) } }
            }) {
                listener(current)
            }
        }
        return number
    }

    func remove(_ listener: Int) {
        state.withLock { $0.listeners[listener] = nil }
    }

    /// Tells of a state; on the queue.
    func publish(_ new: NetworkState) {
        let listeners = state.withLock { state in
            state.current = new
            return state.listeners.sorted { $0.key < $1.key }.map(\.value)
        }
        for listener in listeners { listener(new) }
    }
}
