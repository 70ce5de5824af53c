#if Redis
    import FoundationEssentials
    import NIOCore
    import NIOPosix

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #else
        import Darwin
    #endif

    /// A connection to a server: NIO moves the bytes, and hiredis reads the replies. The pool hands
    /// it to one piece of work at a time.
    final class RedisConnection: Sendable {
        /// The most bytes of the path of a Unix-domain socket, without the null behind it.
        private static let longestPath = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1
        /// The loops of the group that is never shut down.
        private static let loops = Set(
            MultiThreadedEventLoopGroup.singleton.makeIterator().map { ObjectIdentifier($0) }
        )

        private let channel: any Channel
        private let handler: NIOLoopBound<RedisHandler>

        /// The loop that runs the caller, where connections may use it: replies then come on the
        /// thread of the caller.
        static var loopOfCaller: (any EventLoop)? {
            MultiThreadedEventLoopGroup.currentEventLoop.flatMap { loops.contains(ObjectIdentifier($0)) ? $0 : nil }
        }

        /// Whether its commands run on a loop.
        func isOn(_ loop: any EventLoop) -> Bool { channel.eventLoop === loop }

        /// False when it was closed, as servers do with those that are idle for long.
        var isActive: Bool { channel.isActive }

        private init(_ channel: any Channel, _ handler: NIOLoopBound<RedisHandler>) {
            (self.channel, self.handler) = (channel, handler)
        }

        deinit {
            channel.close(promise: nil)
        }

        /// Connects, and logs in.
        ///
        /// - Throws: ``RedisFailure``.
        static func connect(to server: RedisServer) async throws -> RedisConnection {
            try check(server.address)
            let connection: RedisConnection
            do {
                connection = try await open(server)
            } catch let failure as RedisFailure {
                throw failure
            } catch ChannelError.connectTimeout {
                throw RedisFailure(.timeout, "It did not accept the connection in time.")
            } catch {
                throw RedisFailure(.connection, String(describing: error))
            }
            try await connection.begin(server)
            return connection
        }

        private static func open(_ server: RedisServer) async throws -> RedisConnection {
            let timeout = time(server.commandTimeout)
            @Sendable func prepare(_ channel: any Channel) -> EventLoopFuture<RedisConnection> {
                channel.eventLoop.makeCompletedFuture {
                    guard let reader = RedisReplyReader() else {
                        throw RedisFailure(.connection, "There is no memory for it.")
                    }
                    let handler = RedisHandler(reader, timeout: timeout)
                    try channel.pipeline.syncOperations.addHandler(handler)
                    return RedisConnection(channel, NIOLoopBound(handler, eventLoop: channel.eventLoop))
                }
            }
            let bootstrap = ClientBootstrap(group: loopOfCaller ?? MultiThreadedEventLoopGroup.singleton.next())
                .connectTimeout(time(server.connectTimeout))
            switch server.address {
            case .tcp(let host, let port):
                return try await bootstrap.channelOption(.socketOption(.so_keepalive), value: 1)
                    .connect(host: host, port: port, channelInitializer: prepare)
            case .unix(let path):
                return try await bootstrap.connect(unixDomainSocketPath: path, channelInitializer: prepare)
            }
        }

        /// Beyond these a text would be cut, which is another server.
        private static func check(_ address: RedisServer.Address) throws {
            switch address {
            case .tcp(_, let port) where !(1...65_535 ~= port):
                throw RedisFailure(.connection, "The port is not 1 to 65535.")
            case .unix(let path) where path.utf8.count > longestPath:
                throw RedisFailure(.connection, "The path of a socket has at most \(longestPath) bytes.")
            case .tcp(let text, _), .unix(let text):
                if text.utf8.contains(0) { throw RedisFailure(.connection, "The address has a null character.") }
            }
        }

        /// Logs in, and chooses the database.
        private func begin(_ server: RedisServer) async throws {
            var commands: [RedisCommand] = []
            if let password = server.password {
                let words = [server.username, password].compactMap { $0.map { Data($0) } }
                commands.append(RedisCommand("AUTH", words))
            }
            if server.database != 0 { commands.append(RedisCommand("SELECT", Data(server.database))) }
            if commands.isEmpty { return }
            for reply in try await run(commands) {
                if let error = reply.error { throw RedisFailure(.refusal, error) }
            }
        }

        /// Sends commands together, and waits for their replies.
        ///
        /// - Throws: ``RedisFailure`` where the connection is lost; it cannot be used any more.
        func run(_ commands: [RedisCommand]) async throws -> [RedisReply] {
            if commands.isEmpty { return [] }
            var bytes = channel.allocator.buffer(capacity: commands.reduce(0) { $0 + $1.capacity })
            for command in commands { command.write(to: &bytes) }
            return try await withCheckedThrowingContinuation { continuation in
                let (bytes, count) = (bytes, commands.count)
                if channel.eventLoop.inEventLoop {
                    handler.value.send(bytes, count: count) { continuation.resume(with: $0) }
                } else {
                    channel.eventLoop.execute { [handler] in
                        handler.value.send(bytes, count: count) { continuation.resume(with: $0) }
                    }
                }
            }
        }

        /// Sends one command, and waits for its reply.
        func run(_ command: RedisCommand) async throws -> RedisReply {
            try await run([command]).first ?? .none
        }

        private static func time(_ duration: Duration) -> TimeAmount {
            TimeAmount(min(max(duration, .milliseconds(1)), .seconds(3600)))
        }
    }
#endif
