import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS
import Synchronization

/// Makes connections: name lookup, TCP by Happy Eyeballs (RFC 8305), TLS, all within one connect timeout.
final class Connector: Sendable {
    private let configuration: SessionConfiguration
    private let tls: TLSContextSource
    private let timers = Mutex<[ObjectIdentifier: NIOLoopBound<DeadlineTimer>]>([:])
    private let attempts = Mutex<[ObjectIdentifier: PendingAttempt]>([:])

    /// An attempt under way and the event loop it may be touched on.
    private struct PendingAttempt: Sendable {
        let eventLoop: any EventLoop
        let attempt: NIOLoopBound<ConnectionAttempt>
    }

    init(configuration: SessionConfiguration) {
        self.configuration = configuration
        tls = TLSContextSource(settings: configuration.tls)
    }

    /// Makes one connection and reports once, on the event loop.
    func connect(
        to origin: Origin,
        timeout: Duration?,
        on eventLoop: any EventLoop,
        pool: ConnectionPool,
        completion: @escaping @Sendable (Result<PooledConnection, NetworkingError>) -> Void
    ) {
        eventLoop.execute {
            let attempt = ConnectionAttempt(origin: origin, timeout: timeout, eventLoop: eventLoop, tls: self.tls)
            let pending = PendingAttempt(eventLoop: eventLoop, attempt: NIOLoopBound(attempt, eventLoop: eventLoop))
            self.attempts.withLock { $0[ObjectIdentifier(attempt)] = pending }
            attempt.run { [id = ObjectIdentifier(attempt)] result in
                self.attempts.withLock { $0[id] = nil }
                completion(
                    result.flatMap { established in
                        self.install(established, origin: origin, eventLoop: eventLoop, pool: pool)
                    }
                )
            }
        }
    }

    /// Ends all attempts under way.
    func cancelAttempts(with error: NetworkingError) {
        for pending in attempts.withLock({ Array($0.values) }) {
            pending.eventLoop.execute { pending.attempt.value.cancel(with: error) }
        }
    }

    private func install(
        _ established: ConnectionAttempt.Established,
        origin: Origin,
        eventLoop: any EventLoop,
        pool: ConnectionPool
    ) -> Result<PooledConnection, NetworkingError> {
        let connection = HTTP1Connection(
            pool: pool,
            origin: origin,
            timer: timer(for: eventLoop),
            limits: configuration.limits,
            idleTimeout: CompactTime(configuration.idleConnectionTimeout),
            isUnencrypted: established.isUnencrypted,
            establishment: established.timings
        )
        do {
            try established.channel.pipeline.syncOperations.addHandler(connection)
            guard established.channel.isActive, let pooled = connection.pooled else {
                throw ChannelError.ioOnClosedChannel
            }
            return .success(pooled)
        } catch {
            established.channel.close(promise: nil)
            return .failure(
                NetworkingError(
                    .connectionLost,
                    "\(origin.description) closed the connection at once.",
                    underlying: error
                )
            )
        }
    }

    private func timer(for eventLoop: any EventLoop) -> DeadlineTimer {
        let bound = timers.withLock { timers in
            if let timer = timers[ObjectIdentifier(eventLoop)] { return timer }
            let timer = NIOLoopBound(DeadlineTimer(eventLoop: eventLoop), eventLoop: eventLoop)
            timers[ObjectIdentifier(eventLoop)] = timer
            return timer
        }
        return bound.value
    }
}
