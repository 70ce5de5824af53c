import Bluebonnet
import Crypto
import HTTPTypes
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// HTTP/2 over TLS, agreed upon by ALPN, with six servers of other people.
@Suite(.enabled(if: InteropServer.nghttpd.isExpected, "the servers are not running"), .timeLimit(.minutes(2)))
struct HTTP2InteropTests {
    static let servers: [InteropServer] = [.nginxTLS, .nghttpd, .h2o, .caddy, .apacheHTTP2, .hypercorn]
    /// nghttpd neither redirects nor compresses.
    static let richServers = servers.filter { $0 != .nghttpd }
    /// nginx counts the bytes of an upload; the others send it back.
    static let echoServers = servers.filter { $0 != .nginxTLS }

    private func withHTTP2<Result>(
        connections: Int = 6,
        _ body: (SessionManager) async throws -> Result
    ) async throws -> Result {
        var configuration = try SessionConfiguration(trusting: .authority)
        configuration.httpVersions = .http2
        configuration.maximumConnectionsPerHost = connections
        return try await withSession(configuration) { try await body($0) }
    }

    @Test(arguments: servers)
    func `a server selects HTTP 2 where both versions are offered`(server: InteropServer) async throws {
        try await withSession(SessionConfiguration(trusting: .authority)) { session in
            let response = try await session.data(for: server.request("/tiny.txt"))
            #expect(response.status == .ok)
            #expect(response.value == Data("Hello, world!".utf8))
            #expect(response.head.httpVersion == .http2)
            #expect(response.metrics.transactions.last?.protocolName == "h2")
        }
    }

    @Test(arguments: servers)
    func `two hosts that one certificate is for share a connection`(server: InteropServer) async throws {
        try await withHTTP2 { session in
            let named = try server.request("/tiny.txt")
            let address = named.url.absoluteString.replacing("localhost", with: "127.0.0.1")
            let other = Request(url: try #require(URL(string: address)))
            #expect(other.url != named.url)
            let responses = [try await session.data(for: named), try await session.data(for: other)]
            #expect(responses.allSatisfy { $0.status == .ok && $0.head.httpVersion == .http2 })
            #expect(responses[0].value == Data("Hello, world!".utf8))
            // Caddy has no site for the address, and responds without a body.
            #expect(responses[1].value == (server == .caddy ? Data() : responses[0].value))
            let transactions = responses.flatMap(\.metrics.transactions)
            #expect(transactions.map(\.isConnectionReused) == [false, true])
            #expect(transactions[0].connectionIdentifier == transactions[1].connectionIdentifier)
        }
    }

    @Test(arguments: servers)
    func `a large file is received byte for byte`(server: InteropServer) async throws {
        try await withHTTP2 { session in
            let response = try await session.open(server.request("/16m.bin"))
            var hash = SHA256()
            for try await piece in response.body { hash.update(data: piece) }
            #expect(hash.finalize() == SHA256.hash(data: try InteropServer.file("16m.bin")))
        }
    }

    @Test(arguments: servers)
    func `a HEAD has the head of the GET, and no body`(server: InteropServer) async throws {
        try await withHTTP2 { session in
            let response = try await session.data(for: server.request("/1m.bin", method: .head))
            #expect(response.status == .ok)
            #expect(response.value.isEmpty)
            // Caddy and hypercorn may leave the length out.
            #expect([nil, "1048576"].contains(response.headerFields[.contentLength]))
        }
    }

    @Test(arguments: servers)
    func `a 404 is a response with a body`(server: InteropServer) async throws {
        try await withHTTP2 { session in
            let response = try await session.data(for: server.request("/nothing"))
            #expect(response.status == .notFound)
            #expect(response.head.httpVersion == .http2)
        }
    }

    @Test(arguments: servers)
    func `an empty file has an empty body`(server: InteropServer) async throws {
        try await withHTTP2 { session in
            let response = try await session.data(for: server.request("/empty.txt"))
            #expect(response.status == .ok && response.value.isEmpty)
        }
    }

    @Test(arguments: echoServers, [true, false])
    func `an upload comes back byte for byte`(server: InteropServer, hasLength: Bool) async throws {
        let file = try InteropServer.file("1m.bin")
        let pieces = stride(from: 0, to: file.count, by: 10_000).map {
            [UInt8](file[$0..<min(file.count, $0 + 10_000)])
        }
        let body: RequestBody = hasLength ? .data(file) : .stream(Pieces(bytes: pieces))
        try await withHTTP2 { session in
            let response = try await session.data(for: server.request("/echo", method: .post, body: body))
            #expect(response.status == .ok)
            #expect(response.value == file)
        }
    }

    @Test func `nginx receives an upload of unknown length whole`() async throws {
        let file = try InteropServer.file("1m.bin")
        let body = RequestBody.stream(Pieces(bytes: [[UInt8]](repeating: [UInt8](file.prefix(100_000)), count: 50)))
        try await withHTTP2 { session in
            let request = try InteropServer.nginxTLS.request("/upload", method: .post, body: body)
            let response = try await session.data(for: request)
            #expect(String(decoding: response.value, as: UTF8.self) == "5000000\n")
        }
    }

    @Test(arguments: servers)
    func `hundreds of requests at once share one connection`(server: InteropServer) async throws {
        try await withHTTP2 { session in
            // The first response brings the limit of streams, behind which the others wait.
            _ = try await session.data(for: server.request("/tiny.txt"))
            let connections = try await withThrowingTaskGroup(of: Int?.self) { group in
                for _ in 0..<300 {
                    group.addTask {
                        let response = try await session.data(for: server.request("/tiny.txt"))
                        try #require(response.value == Data("Hello, world!".utf8))
                        return response.metrics.transactions.last?.connectionIdentifier
                    }
                }
                return try await group.reduce(into: Set<Int?>()) { $0.insert($1) }
            }
            // h2o allows 100 streams, nginx 128: further ones get a second connection.
            #expect(connections.count <= 4, "\(connections)")
        }
    }

    @Test func `a thousand requests at once are a thousand streams of nghttpd`() async throws {
        try await withHTTP2 { session in
            let server = InteropServer.nghttpd
            _ = try await session.data(for: server.request("/tiny.txt"))
            let transactions = try await withThrowingTaskGroup(of: [TransactionMetrics].self) { group in
                for _ in 0..<1000 {
                    group.addTask {
                        let response = try await session.data(for: server.request("/tiny.txt"))
                        try #require(response.value == Data("Hello, world!".utf8))
                        return response.metrics.transactions
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            #expect(Set(transactions.map(\.connectionIdentifier)).count == 1)
            #expect(Set(transactions.map(\.streamIdentifier)).count == 1000)
        }
    }

    @Test func `connections that nginx ends lose no request and send none twice`() async throws {
        let server = InteropServer.endingNginx
        let log = try URL(filePath: InteropServer.files.address).deletingLastPathComponent()
            .appending(path: "ending-nginx.log")
        let run = "/\(UInt64.random(in: 0 ..< .max))/"
        // One connection at a time has more requests than nginx serves on it.
        try await withHTTP2(connections: 1) { session in
            let connections = try await withThrowingTaskGroup(of: Int?.self) { group in
                for number in 0..<300 {
                    group.addTask {
                        // A POST is sent again only where the server has not processed it.
                        let path = "\(run)\(number)"
                        let request = try server.request(path, method: number % 2 == 0 ? .get : .post)
                        let response = try await session.data(for: request)
                        try #require(response.value == Data(path.utf8))
                        return response.metrics.transactions.last?.connectionIdentifier
                    }
                }
                return try await group.reduce(into: Set<Int?>()) { $0.insert($1) }
            }
            #expect(connections.count >= 300 / 50)
        }
        // nginx writes a line after the response.
        func served() -> [Substring] {
            let text = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
            return text.split(separator: "\n").filter { $0.contains(run) }.map { $0.split(separator: " ")[1] }
        }
        try await until("300 lines of the log") { served().count >= 300 }
        let paths = served()
        #expect(paths.count == 300 && Set(paths).count == 300)
    }

    @Test(arguments: richServers)
    func `a redirect is followed on the same connection`(server: InteropServer) async throws {
        try await withHTTP2 { session in
            let response = try await session.data(for: server.request("/redirect"))
            #expect(response.value == Data("Hello, world!".utf8))
            let transactions = response.metrics.transactions
            #expect(transactions.count == 2)
            #expect(transactions.last?.isConnectionReused == true)
        }
    }

    @Test(arguments: richServers)
    func `a body with gzip is decoded`(server: InteropServer) async throws {
        try await withHTTP2 { session in
            let response = try await session.data(for: server.request("/gzip/1m.txt"))
            #expect(response.headerFields[.contentEncoding] == "gzip")
            #expect(response.value == (try InteropServer.file("1m.txt")))
        }
    }

    @Test(arguments: [(InteropServer.nghttpd, "/tiny.txt"), (.hypercorn, "/trailers")])
    func `trailers are received`(server: InteropServer, path: String) async throws {
        try await withHTTP2 { session in
            let name = try #require(HTTPField.Name("x-checksum"))
            // hypercorn sends trailers to clients alone that say that they take them (RFC 9110
            // §6.5.1).
            let request = try server.request(path, headerFields: [.te: "trailers"])
            let response = try await session.data(for: request)
            #expect(response.trailers[name] == "abc")
        }
    }

    @Test(arguments: servers)
    func `a connection is kept, and used again after a pause`(server: InteropServer) async throws {
        try await withHTTP2 { session in
            var connections: Set<Int?> = []
            for pause in [0, 0, 300] {
                try await Task.sleep(for: .milliseconds(pause))
                let response = try await session.data(for: server.request("/tiny.txt"))
                connections.insert(response.metrics.transactions.last?.connectionIdentifier)
            }
            #expect(connections.count == 1)
        }
    }

    @Test(arguments: servers)
    func `a download that ends early leaves the connection to the others`(server: InteropServer) async throws {
        try await withHTTP2 { session in
            // A body that nobody reads further is cancelled.
            for try await _ in try await session.open(server.request("/16m.bin")).body { break }
            let response = try await session.data(for: server.request("/tiny.txt"))
            #expect(response.status == .ok)
            #expect(response.metrics.transactions.last?.isConnectionReused == true)
        }
    }

    @Test(arguments: servers)
    func `several large files arrive at the same time`(server: InteropServer) async throws {
        let file = try InteropServer.file("1m.bin")
        try await withHTTP2 { session in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<10 {
                    group.addTask {
                        let response = try await session.data(for: server.request("/1m.bin"))
                        #expect(response.value == file)
                    }
                }
                try await group.waitForAll()
            }
        }
    }
}
