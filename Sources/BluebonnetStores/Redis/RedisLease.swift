#if Redis
    import FoundationEssentials

    /// The right of one process to do something, as a key with an expiry at the server.
    ///
    /// Its value is the token of the process that has it, or for two seconds what came of its work.
    struct RedisLease: Sendable {
        /// What was found of it.
        enum State: Sendable, Equatable {
            case taken
            case ofAnother
            case over(Data)
        }

        /// What comes before a token: an outcome has no colon.
        private static let mark = Data("lease:")
        /// The milliseconds for which the outcome is there.
        private static let outcomeTime = 2000

        let key: Data
        let token: Data

        init(key: Data, token: Data = RedisLease.newToken()) {
            (self.key, self.token) = (key, token)
        }

        static func newToken() -> Data {
            let numbers = (0..<2).map { _ in String(UInt64.random(in: 0 ... .max), radix: 16) }
            return mark + Data(numbers.joined(separator: "-"))
        }

        /// Takes it, where nobody has it.
        func take(for time: Duration, _ connection: RedisConnection) async throws -> State {
            let set = [key, token, Data("NX"), Data("PX"), Data(Self.milliseconds(time))]
            let replies = try await connection.run([RedisCommand("SET", set), RedisCommand("GET", key)])
            if replies.last?.isWrongType ?? false {
                // It is not of this library.
                _ = try await connection.run(RedisCommand("UNLINK", key))
                return .ofAnother
            }
            if let error = replies.lazy.compactMap(\.error).first { throw RedisFailure(reply: error) }
            guard let value = replies.last?.bytes else { return .ofAnother }
            if value == token { return .taken }
            return value.starts(with: Self.mark) ? .ofAnother : .over(value)
        }

        /// Gives it back, unless another process has it by now. Those that wait are told of the
        /// outcome; without one, one of them takes its place.
        func end(_ outcome: Data?, _ connection: RedisConnection) async throws {
            _ = try await connection.run(RedisCommand("WATCH", key))
            guard try await connection.run(RedisCommand("GET", key)).bytes == token else {
                _ = try await connection.run(RedisCommand("UNWATCH"))
                return
            }
            let step =
                outcome.map { RedisCommand("SET", key, $0, Data("PX"), Data(Self.outcomeTime)) }
                ?? RedisCommand("UNLINK", key)
            _ = try await connection.run([RedisCommand("MULTI"), step, RedisCommand("EXEC")])
        }

        /// From one millisecond to a day.
        private static func milliseconds(_ time: Duration) -> Int {
            let time = min(max(time, .milliseconds(1)), .seconds(86_400))
            return Int(time.components.seconds) * 1000 + Int(time.components.attoseconds / 1_000_000_000_000_000)
        }

        /// The pauses between two questions, which double up to a twentieth of a second.
        static func pause(after pause: Duration) -> Duration { min(pause * 2, .milliseconds(50)) }

        /// The first pause.
        static let firstPause = Duration.milliseconds(2)
    }
#endif
