#if Redis
    public import Bluebonnet
    public import FoundationEssentials
    import Synchronization

    /// A token in Redis or Valkey, which processes on any number of machines share, and which one
    /// of them refreshes for all.
    ///
    /// ```
    /// let place = RedisTokenStore(RedisServer(host: "cache.example.net"), name: "billing")
    /// let authenticator = SharedTokenAuthenticator(oauth, sharing: place)
    /// ```
    ///
    /// The token is a secret that is stored as it is: whoever reads the server, its network or its
    /// dump can act for the user. Give the server a password and a network of its own, and do not
    /// have it write to disk. The token has an expiry.
    ///
    /// No counterpart in AFNetworking or Alamofire.
    public final class RedisTokenStore: TokenSharing {
        /// The default of the expiry: a day.
        public static let defaultExpiry = Duration.seconds(86_400)
        /// The default of the lease: 30 seconds.
        public static let defaultLeaseTime = Duration.seconds(30)

        /// The time after which the server drops a token that nobody has renewed, from 1 second.
        public let expiry: Duration

        /// The longest time for which the others wait for the process that refreshes, from 1
        /// second. When it is over another one refreshes; after twice that time each refreshes for
        /// itself.
        public let leaseTime: Duration

        private let pool: RedisPool
        private let key: Data
        private let leaseKey: Data
        /// Whether this process has refreshed, and could not share its token: what is shared is an
        /// older one, whose means of a refresh may be used up.
        private let isAhead = Atomic<Bool>(false)

        /// What a process does next.
        private enum Step: Sendable {
            case use(Data)
            case refresh(Data?)
            case wait
        }

        /// Describes the place; the first use connects.
        ///
        /// - Parameters:
        ///   - server: The server, and the prefix of the keys.
        ///   - name: The name of the token: one for each user and each service.
        ///   - expiry: The time after which the server drops the token, 1 second to 10 years.
        ///     Default: a day.
        ///   - leaseTime: The longest time of a refresh for which others wait, 1 second to a day.
        ///     Default: 30 seconds.
        ///   - whenServerChanges: Called once when the server is lost, and once when it is back.
        ///     Default: nobody is told.
        public init(
            _ server: RedisServer,
            name: String,
            expiry: Duration = RedisTokenStore.defaultExpiry,
            leaseTime: Duration = RedisTokenStore.defaultLeaseTime,
            whenServerChanges: (@Sendable (RedisServerEvent) -> Void)? = nil
        ) {
            self.expiry = min(max(expiry, .seconds(1)), .seconds(10 * 365 * 86_400))
            self.leaseTime = min(max(leaseTime, .seconds(1)), .seconds(86_400))
            pool = RedisPool(server, now: { .now }, whenChanged: whenServerChanges)
            key = Data(server.keys(for: "token") + name)
            leaseKey = Data(server.keys(for: "token-lease") + name)
        }

        /// The token that all processes have now, or a new one.
        ///
        /// - Parameters:
        ///   - isUsable: Whether a shared token is what the caller needs.
        ///   - refresh: Gets a new token, from the shared one if there is one.
        /// - Returns: The token.
        /// - Throws: What the refresh throws, and `CancellationError`.
        public func token(
            isUsable: @escaping @Sendable (_ shared: Data) -> Bool,
            refresh: @escaping @Sendable (_ shared: Data?) async throws -> Data
        ) async throws -> Data {
            let lease = RedisLease(key: leaseKey)
            // A process that has crashed is waited for once, and its successor too.
            let end = ContinuousClock.now + leaseTime * 2
            var pause = RedisLease.firstPause
            while true {
                switch await step(lease, isLast: ContinuousClock.now >= end, isUsable) {
                case .use(let token):
                    isAhead.store(false, ordering: .releasing)
                    return token
                case .wait:
                    try await Task.sleep(for: pause)
                    pause = RedisLease.pause(after: pause)
                case .refresh(let shared):
                    do {
                        let token = try await refresh(isAhead.load(ordering: .acquiring) ? nil : shared)
                        // A failure of the server costs the others a refresh, and this one nothing.
                        isAhead.store(true, ordering: .releasing)
                        try? await share(token)
                        pool.begin { try await lease.end(nil, $0) }
                        return token
                    } catch {
                        pool.begin { try await lease.end(nil, $0) }
                        throw error
                    }
                }
            }
        }

        /// Shares a token in place of the one that is there.
        ///
        /// - Parameter token: The token; nil to remove it.
        /// - Throws: ``NetworkingError/Code/storeFailed``.
        public func share(_ token: Data?) async throws {
            let (key, seconds) = (key, Int(expiry.components.seconds))
            try await pool.run { connection in
                let command =
                    token.map { RedisCommand("SET", key, $0, Data("EX"), Data(seconds)) }
                    ?? RedisCommand("UNLINK", key)
                if let error = try await connection.run(command).error { throw RedisFailure(reply: error) }
            }
            isAhead.store(false, ordering: .releasing)
        }

        private func step(
            _ lease: RedisLease,
            isLast: Bool,
            _ isUsable: @escaping @Sendable (Data) -> Bool
        ) async -> Step {
            let (key, time) = (key, leaseTime)
            do {
                return try await pool.run { connection in
                    func shared() async throws -> Data? { try await connection.run(RedisCommand("GET", key)).bytes }
                    if let token = try await shared(), isUsable(token) { return .use(token) }
                    guard try await lease.take(for: time, connection) == .taken else {
                        return isLast ? .refresh(try await shared()) : .wait
                    }
                    // Another process may have ended between the two questions.
                    let token = try await shared()
                    if let token, isUsable(token) {
                        try await lease.end(nil, connection)
                        return .use(token)
                    }
                    return .refresh(token)
                }
            } catch {
                return .refresh(nil)
            }
        }
    }
#endif
