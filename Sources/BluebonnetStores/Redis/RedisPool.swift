#if Redis
    public import Bluebonnet
    import NIOCore
    import Synchronization

    /// What is told of a server that is shared by machines, once for each change.
    ///
    /// No counterpart in AFNetworking or Alamofire.
    public enum RedisServerEvent: Sendable {
        /// It cannot be used. Requests go on without it; it is tried again after a second, then
        /// after pauses that double up to 30 seconds.
        case lost(NetworkingError)
        /// It is used again.
        case back
    }

    /// The connections to one server, each of which serves one piece of work at a time.
    final class RedisPool: Sendable {
        /// Work with a connection.
        typealias Work<Value> = @Sendable (RedisConnection) async throws -> Value

        private struct State {
            var idle: [RedisConnection] = []
            /// The pieces of work that have a turn.
            var turns = 0
            /// Those that wait for one.
            var waiting = CircularBuffer<CheckedContinuation<Void, Never>>()
            var circuit = ServerCircuit()
        }

        let server: RedisServer
        private let state = Mutex(State())
        private let now: @Sendable () -> ContinuousClock.Instant
        private let whenChanged: (@Sendable (RedisServerEvent) -> Void)?

        init(
            _ server: RedisServer,
            now: @escaping @Sendable () -> ContinuousClock.Instant,
            whenChanged: (@Sendable (RedisServerEvent) -> Void)?
        ) {
            self.server = server
            self.now = now
            self.whenChanged = whenChanged
        }

        /// Does work with a connection. It is done a second time where the server has closed a
        /// connection that was idle. Cancelling the task does not end it: it has limits of time.
        ///
        /// It throws ``NetworkingError`` with `storeFailed`, and what the work throws.
        func run<Value: Sendable>(_ work: Work<Value>) async throws -> Value {
            // A dead server costs requests nothing.
            guard let permit = state.withLock({ $0.circuit.permit(at: now()) }) else { throw error(Self.paused) }
            await takeTurn()
            defer { endTurn() }
            do {
                // Work that has waited while the server was lost is not done.
                if permit == .normal, !state.withLock({ $0.circuit.isClosed }) { throw Self.paused }
                let value = try await attempt(work)
                tell(state.withLock { $0.circuit.succeed(permit) }, nil)
                return value
            } catch let failure as RedisFailure {
                if failure.concernsServer {
                    let (change, dropped) = state.withLock { state in
                        defer { state.idle = [] }
                        return (state.circuit.fail(permit, at: now()), state.idle)
                    }
                    // Connections are closed without the lock.
                    _ = consume dropped
                    tell(change, failure)
                } else if failure.kind == .command {
                    // It answers.
                    tell(state.withLock { $0.circuit.succeed(permit) }, nil)
                }
                throw error(failure)
            } catch {
                tell(state.withLock { $0.circuit.succeed(permit) }, nil)
                throw error
            }
        }

        /// Does work without waiting for it. The limits of time of the server bound it.
        ///
        /// - Parameters:
        ///   - work: The work, which is not done where the server is lost.
        ///   - whenOver: Called when it was done, failed, or is not done.
        func begin(_ work: @escaping Work<Void>, whenOver: @escaping @Sendable () -> Void = {}) {
            Task {
                try? await run(work)
                whenOver()
            }
        }

        private static let paused = RedisFailure(.paused, "It failed a short time ago.")

        // MARK: Connections

        private func takeTurn() async {
            if state.withLock({ claimTurn(&$0) }) { return }
            await withCheckedContinuation { continuation in
                let isFree = state.withLock { state in
                    let isFree = claimTurn(&state)
                    if !isFree { state.waiting.append(continuation) }
                    return isFree
                }
                if isFree { continuation.resume() }
            }
        }

        private func claimTurn(_ state: inout State) -> Bool {
            guard state.turns < server.connections else { return false }
            state.turns += 1
            return true
        }

        private func endTurn() {
            let next = state.withLock { state in
                let next = state.waiting.popFirst()
                if next == nil { state.turns -= 1 }
                return next
            }
            next?.resume()
        }

        /// An idle connection, one on the loop of the caller rather than another one.
        private func idleConnection() -> RedisConnection? {
            let loop = RedisConnection.loopOfCaller
            let (connection, dropped) = state.withLock { state -> (RedisConnection?, [RedisConnection]) in
                let dropped = state.idle.filter { !$0.isActive }
                if !dropped.isEmpty { state.idle.removeAll { !$0.isActive } }
                if let loop, let index = state.idle.lastIndex(where: { $0.isOn(loop) }) {
                    return (state.idle.remove(at: index), dropped)
                }
                // Another one may be made for this loop.
                if loop != nil, state.idle.count + state.turns <= server.connections { return (nil, dropped) }
                return (state.idle.popLast(), dropped)
            }
            // Connections are closed without the lock.
            _ = consume dropped
            return connection
        }

        private func attempt<Value>(_ work: Work<Value>) async throws -> Value {
            if let connection = idleConnection() {
                do {
                    return try await use(connection, work)
                } catch let failure as RedisFailure where failure.kind == .connection {
                    // Servers close connections that are idle for long; a new one is tried.
                }
            }
            return try await use(try await RedisConnection.connect(to: server), work)
        }

        private func use<Value>(_ connection: RedisConnection, _ work: Work<Value>) async throws -> Value {
            // After an error the connection may be within a transaction: it is closed.
            let value = try await work(connection)
            state.withLock { $0.idle.append(connection) }
            return value
        }

        // MARK: What is told

        private func tell(_ change: ServerCircuit.Change?, _ failure: RedisFailure?) {
            switch change {
            case .lost: whenChanged?(.lost(error(failure ?? Self.paused)))
            case .back: whenChanged?(.back)
            case nil: break
            }
        }

        private func error(_ failure: RedisFailure) -> NetworkingError {
            NetworkingError(
                .storeFailed,
                "The Redis server \(server) cannot be used: \(failure.description)",
                underlying: failure
            )
        }
    }
#endif
