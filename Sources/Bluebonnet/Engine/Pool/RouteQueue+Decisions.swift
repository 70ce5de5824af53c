/// What the queue of a route decides.
extension RouteQueue {
    enum Acquired {
        /// Send on this connection.
        case use(Connection)
        /// Wait; a new connection is to be made.
        case connect(Attempt)
        /// Wait for a connection.
        case wait
        /// Wait until this idle connection has been closed, to make room for a new one.
        case waitAndClose(Connection)
    }

    enum Released {
        /// Serve this waiting exchange.
        case serve(Waiter)
        /// No exchange takes the place now.
        case keep
        /// Close when nothing else is under way: it is leaving, or makes room for an exchange that
        /// needs a fresh connection.
        case close
    }

    /// The meaning of a failed attempt for another one.
    enum Failure {
        /// Nothing: the pool ended it.
        case cancelled
        /// Nothing, except that its own time is over.
        case timedOut
        /// It may fail as well, but the reason may pass: no more connections were taken, or the
        /// name was not found.
        case refused
        /// It will fail as well: the server is not trusted.
        case untrusted
    }

    /// The steps that get waiting exchanges a connection.
    struct Room {
        /// Attempts that are due.
        var attempts: [Attempt] = []
        /// Idle connections that are to be closed, where only the end of one makes room for a fresh
        /// one.
        var closes: [Connection] = []
    }

    /// The consequences of a new connection, or of a new capacity.
    struct Served {
        /// The exchanges that the connection serves at once.
        var waiters: [Waiter] = []
        var room = Room()
        /// Attempts that it makes superfluous, to be cancelled.
        var givenUp: [AttemptHandle] = []
    }

    /// The consequences of time that has passed.
    struct Expired {
        /// The exchanges that have waited too long.
        var waiters: [(Waiter, Patience.Limit)] = []
        /// Attempts that are to be cancelled.
        var givenUp: [AttemptHandle] = []
        var room = Room()
    }
}
