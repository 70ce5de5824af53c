#if Redis
    public import Bluebonnet
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

    /// The connections to one server, each of which serves one piece of work at a time, on threads
    /// of their own.
    final class RedisPool: Sendable {
        private struct State {
            var idle: [RedisConnection] = []
            var circuit = ServerCircuit()
        }

        let server: RedisServer
        private let work: ServerWork
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
            work = ServerWork(limit: server.connections)
        }

        /// Does work with a connection. It is done a second time where the server has closed a
        /// connection that was idle.
        ///
        /// It throws ``NetworkingError`` with `storeFailed`, and what the work throws.
        func run<Value: Sendable>(
            _ body: @escaping @Sendable (RedisConnection) throws -> Value
        ) async throws -> Value {
            // Without a thread: a dead server costs requests nothing.
            guard let permit = permit() else { throw error(Self.paused) }
            return try await work.run { [self] in try perform(permit, body) }
        }

        /// Does work without waiting for it.
        ///
        /// - Parameters:
        ///   - body: The work, which is not done where the server is lost.
        ///   - whenOver: Called when it was done, failed, or is not done.
        func begin(
            _ body: @escaping @Sendable (RedisConnection) throws -> Void,
            whenOver: @escaping @Sendable () -> Void = {}
        ) {
            guard let permit = permit() else { return whenOver() }
            work.begin { [self] in
                try? perform(permit, body)
                whenOver()
            }
        }

        private static let paused = RedisFailure(.paused, "It failed a short time ago.")

        private func permit() -> ServerCircuit.Permit? {
            state.withLock { $0.circuit.permit(at: now()) }
        }

        private func perform<Value>(
            _ permit: ServerCircuit.Permit,
            _ body: (RedisConnection) throws -> Value
        ) throws -> Value {
            do {
                // Work that has waited for a thread while the server was lost is not done.
                if permit == .normal, !state.withLock({ $0.circuit.isClosed }) { throw Self.paused }
                let value = try attempt(body)
                tell(state.withLock { $0.circuit.succeed(permit) }, nil)
                return value
            } catch let failure as RedisFailure {
                if failure.concernsServer {
                    let change = state.withLock { state -> ServerCircuit.Change? in
                        state.idle = []
                        return state.circuit.fail(permit, at: now())
                    }
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

        private func attempt<Value>(_ body: (RedisConnection) throws -> Value) throws -> Value {
            if let connection = state.withLock({ $0.idle.popLast() }) {
                do {
                    return try use(connection, body)
                } catch let failure as RedisFailure where failure.kind == .connection {
                    // Servers close connections that are idle for long; a new one is tried.
                }
            }
            return try use(try RedisConnection(server), body)
        }

        private func use<Value>(
            _ connection: RedisConnection,
            _ body: (RedisConnection) throws -> Value
        ) throws -> Value {
            do {
                let value = try body(connection)
                state.withLock { $0.idle.append(connection) }
                return value
            } catch let failure as RedisFailure {
                // After an error reply the connection may be within a transaction: it is closed.
                throw failure
            }
        }

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
