#if Redis
    public import Bluebonnet
    public import FoundationEssentials
    import Synchronization

    /// One fetch for all processes.
    extension RedisCacheStore: FetchSharingStore {
        /// The time for which a process has the right to fetch: 5 seconds. When it is over, because
        /// the process has crashed or its server is slow, another one sends the request too.
        public static let leaseTime = Duration.seconds(5)

        private static let storedOutcome = Data("+")
        private static let notStoredOutcome = Data("-")

        /// Takes the right to fetch the response of a key, or waits for the process that has it.
        ///
        /// - Parameters:
        ///   - key: The ``CacheRecord/key``.
        ///   - patience: The longest wait for another process.
        /// - Returns: What the task does next.
        /// - Throws: ``NetworkingError/Code/storeFailed``, and `CancellationError`.
        public func turn(toFetch key: String, patience: Duration) async throws -> CacheFetchTurn {
            let lease = RedisLease(key: keys.lease(key))
            let end = ContinuousClock.now + patience
            var pause = RedisLease.firstPause
            while true {
                switch try await pool.run({ try await lease.take(for: Self.leaseTime, $0) }) {
                case .taken: return .lease(lease.token)
                case .over(Self.storedOutcome): return .stored
                case .over: return .notStored
                case .ofAnother: break
                }
                guard ContinuousClock.now < end else { return .free }
                try await Task.sleep(for: pause)
                pause = RedisLease.pause(after: pause)
            }
        }

        /// Gives the right back, without a wait.
        ///
        /// - Parameters:
        ///   - lease: The right.
        ///   - key: The ``CacheRecord/key``.
        ///   - isStored: Whether the response is stored now; nil where another task takes its
        ///     place.
        public func endFetch(_ lease: Data, of key: String, isStored: Bool?) {
            let lease = RedisLease(key: keys.lease(key), token: lease)
            let outcome = isStored.map { $0 ? Self.storedOutcome : Self.notStoredOutcome }
            let token = lease.token
            ending.withLock { $0[token] = EndingLease(lease: lease, outcome: outcome) }
            pool.begin {
                try await lease.end(outcome, $0)
            } whenOver: { [weak self] in
                // Where the server is lost the lease ends by itself.
                self?.ending.withLock { $0[token] = nil }
            }
        }

        /// Returns when the rights that were given back are at the server.
        public func waitForEndedFetches() async {
            let all = ending.withLock { ending in
                defer { ending = [:] }
                return ending
            }
            // Who has it given back meanwhile has changed its value: this does nothing then.
            for end in all.values { try? await pool.run { try await end.lease.end(end.outcome, $0) } }
        }

        /// A lease, and what those that wait are told.
        struct EndingLease: Sendable {
            let lease: RedisLease
            let outcome: Data?
        }
    }
#endif
