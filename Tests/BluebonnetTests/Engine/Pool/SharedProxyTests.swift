import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import Bluebonnet

/// What the pool knows of the connections to a proxy that speaks HTTP/2.
struct SharedProxyTests {
    /// A connection that does nothing.
    private final class Connection: HTTPConnection {
        func start(_ exchange: Exchange) {}
        func becomeIdle(at now: NIODeadline) {}
        func abort(_ exchange: Exchange) {}
        func suspensionChanged(for exchange: Exchange) {}
        func readerHasRoom(for exchange: Exchange) {}
        func uploadHasMore(for exchange: Exchange) {}
        func priorityChanged(for exchange: Exchange) {}
        func fail(_ error: NetworkingError) {}
        func close() {}
    }

    @Test func `a proxy whose HTTP/2 was forgotten gets another connection, though one is open`() async throws {
        let configuration = SessionConfiguration()
        let pool = ConnectionPool(
            configuration: configuration,
            proxies: SessionProxies(configuration),
            dialer: Dialer(configuration),
            group: NIOSingletons.posixEventLoopGroup
        )
        let proxy = try Proxy("https://proxy.example")
        let origin = Origin(isSecure: true, endpoint: .host("one.example", port: 443))
        let shared = try #require(Route(to: origin, through: .tunnel(proxy)).shared)
        let loop = NIOSingletons.posixEventLoopGroup.next()
        #expect(pool.needsConnection(along: shared) && !pool.isMultiplexed(shared))
        for _ in 0..<2 {
            try await loop.submit {
                let record = ConnectionRecord(ConnectionTimes(), local: nil, remote: nil, tls: nil, proxy: proxy)
                let pooled = PooledConnection(Connection(), eventLoop: loop, route: shared, record: record)
                pool.adopt(ReadyConnection(connection: pooled, capacity: 1), along: shared)
            }
            .get()
            #expect(!pool.needsConnection(along: shared) && pool.isMultiplexed(shared))
            // Another machine behind its name has agreed to HTTP/1.1 alone.
            pool.state.withLock { state in
                var consequences = ConnectionPool.Consequences()
                pool.forget(multiplexed: shared, &consequences, &state)
            }
            #expect(pool.needsConnection(along: shared) && !pool.isMultiplexed(shared))
        }
        pool.state.withLock { $0.connections = [:] }
    }
}
