#if Redis
    import CHiredis
    import FoundationEssentials

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #else
        import Darwin
    #endif

    /// A connection to a server, by hiredis. Each call blocks.
    ///
    /// `Sendable` without a check: the pool hands a connection to one piece of work, on one thread,
    /// and takes it back when that has ended. Safe: the pointer is freed with the connection, and
    /// never leaves it.
    @safe final class RedisConnection: @unchecked Sendable {
        /// Arrays within arrays beyond this are not of Redis commands of this library.
        private static let deepest = 4
        /// The most bytes of the path of a Unix-domain socket, without the null behind it.
        private static let longestPath = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

        private let context: UnsafeMutablePointer<redisContext>

        /// Connects, and logs in.
        ///
        /// - Throws: ``RedisFailure``.
        init(_ server: RedisServer) throws {
            Self.ignoreBrokenPipes()
            // Beyond these hiredis cuts the text, and would connect to another server.
            switch server.address {
            case .tcp(_, let port) where !(1...65_535 ~= port):
                throw RedisFailure(.connection, "The port is not 1 to 65535.")
            case .unix(let path) where path.utf8.count > Self.longestPath:
                throw RedisFailure(.connection, "The path of a socket has at most \(Self.longestPath) bytes.")
            case .tcp(let text, _), .unix(let text):
                if text.utf8.contains(0) { throw RedisFailure(.connection, "The address has a null character.") }
            }
            let timeout = Self.time(server.connectTimeout)
            let made =
                switch server.address {
                case .tcp(let host, let port):
                    unsafe redisConnectWithTimeout(host, CInt(clamping: port), timeout)
                case .unix(let path): unsafe redisConnectUnixWithTimeout(path, timeout)
                }
            guard let context = unsafe made else { throw RedisFailure(.connection, "There is no memory for it.") }
            unsafe self.context = unsafe context
            if unsafe context.pointee.err != 0 { throw failure }
            guard unsafe redisSetTimeout(context, Self.time(server.commandTimeout)) == REDIS_OK else { throw failure }
            if case .tcp = server.address { unsafe redisEnableKeepAlive(context) }
            try begin(server)
        }

        deinit {
            unsafe redisFree(context)
        }

        /// Logs in, and chooses the database.
        private func begin(_ server: RedisServer) throws {
            var commands: [RedisCommand] = []
            if let password = server.password {
                let words = [server.username, password].compactMap { $0.map { Data($0) } }
                commands.append(RedisCommand("AUTH", words))
            }
            if server.database != 0 { commands.append(RedisCommand("SELECT", Data(server.database))) }
            if commands.isEmpty { return }
            for reply in try run(commands) {
                if let error = reply.error { throw RedisFailure(.refusal, error) }
            }
        }

        /// Sends commands together, and waits for their replies.
        ///
        /// - Throws: ``RedisFailure`` where the connection is lost; it cannot be used any more.
        func run(_ commands: [RedisCommand]) throws -> [RedisReply] {
            Self.ignoreBrokenPipes()
            for command in commands {
                let bytes = command.encoded
                // The bytes are copied during the call.
                let code = unsafe bytes.withUnsafeBytes { bytes in
                    unsafe redisAppendFormattedCommand(
                        context,
                        bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
                        bytes.count
                    )
                }
                guard code == REDIS_OK else { throw failure }
            }
            return try commands.map { _ in try nextReply() }
        }

        /// Sends one command, and waits for its reply.
        func run(_ command: RedisCommand) throws -> RedisReply {
            try run([command]).first ?? .none
        }

        private func nextReply() throws -> RedisReply {
            var raw: UnsafeMutableRawPointer?
            guard unsafe redisGetReply(context, &raw) == REDIS_OK, let found = unsafe raw else { throw failure }
            defer { unsafe freeReplyObject(found) }
            // hiredis hands out an object of this type, which is read before it is freed.
            let reply = unsafe Self.reply(found.assumingMemoryBound(to: redisReply.self), depth: 0)
            if let error = reply.error, RedisFailure(reply: error).concernsServer { throw RedisFailure(reply: error) }
            return reply
        }

        private static func reply(_ raw: UnsafeMutablePointer<redisReply>, depth: Int) -> RedisReply {
            // A string has so many bytes, and an array so many elements, as its fields say.
            switch unsafe raw.pointee.type {
            case REDIS_REPLY_STRING: return unsafe .bytes(bytes(raw))
            case REDIS_REPLY_STATUS: return unsafe .status(String(decoding: bytes(raw), as: UTF8.self))
            case REDIS_REPLY_ERROR: return unsafe .refusal(String(decoding: bytes(raw), as: UTF8.self))
            case REDIS_REPLY_INTEGER: return unsafe .integer(Int(raw.pointee.integer))
            case REDIS_REPLY_ARRAY:
                var replies: [RedisReply] = []
                let count = unsafe raw.pointee.elements
                guard depth < deepest, let elements = unsafe raw.pointee.element else { return .array([]) }
                replies.reserveCapacity(count)
                for index in 0..<count {
                    guard let element = unsafe elements[index] else { continue }
                    unsafe replies.append(reply(element, depth: depth + 1))
                }
                return .array(replies)
            default: return .none
            }
        }

        private static func bytes(_ raw: UnsafeMutablePointer<redisReply>) -> Data {
            guard let start = unsafe raw.pointee.str else { return Data() }
            return unsafe Data(bytes: start, count: raw.pointee.len)
        }

        /// The state of the connection as an error.
        private var failure: RedisFailure {
            let code = errno
            let text = unsafe withUnsafeBytes(of: context.pointee.errstr) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            let isTimeout =
                unsafe context.pointee.err == REDIS_ERR_IO && (code == EAGAIN || code == ETIMEDOUT)
                || text.contains("timed out") || text.contains("temporarily unavailable")
            if isTimeout { return RedisFailure(.timeout, "It did not answer in time.") }
            return RedisFailure(.connection, text.isEmpty ? "The connection is lost." : text)
        }

        private static func time(_ duration: Duration) -> timeval {
            let duration = min(max(duration, .milliseconds(1)), .seconds(3600))
            let (seconds, attoseconds) = duration.components
            return timeval(tv_sec: time_t(seconds), tv_usec: suseconds_t(attoseconds / 1_000_000_000_000))
        }

        /// A write to a connection that the server has closed is to return an error, and not to end
        /// the process: hiredis does not ask for that. The thread is of this kind of work alone.
        private static func ignoreBrokenPipes() {
            var signals = sigset_t()
            unsafe sigemptyset(&signals)
            unsafe sigaddset(&signals, SIGPIPE)
            unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
        }
    }
#endif
