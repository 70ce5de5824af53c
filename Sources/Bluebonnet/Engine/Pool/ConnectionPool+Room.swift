import Synchronization

/// Room for new connections: a program that sends requests to many hosts has idle connections to
/// those before, and might have no descriptor left for the next one.
extension ConnectionPool {
    /// Closes an idle connection, of any route, where the session has more connections than half of
    /// the descriptors that the process may have. One is closed for each that is made.
    func closeIdleForRoom() {
        let most = OpenFileLimit.current / 2
        let idle = state.withLock { state -> PooledConnection? in
            guard state.connections.count + state.connecting > most else { return nil }
            for entry in state.entries.values {
                if let idle = entry.queue.closeIdle() { return idle }
            }
            return nil
        }
        idle?.onLoop { $0.close() }
    }
}
