import Foundation
import HTTPTypes
import LocalServer
import Testing

@testable import Bluebonnet

/// The metrics of tasks over real sockets: each redirect and retry with times, connection, bytes.
@Suite(.timeLimit(.minutes(5)))
struct TaskMetricsTests {
    private static let answer: FaultServer.Script = [.readRequest, .respond(body: "hello"), .startOver]

    /// What must hold for the times of every transaction.
    private static func checkOrder(_ transaction: TransactionMetrics) {
        let phases = [
            transaction.queue, transaction.nameLookup, transaction.connect, transaction.tls, transaction.sending,
            transaction.waiting, transaction.receiving,
        ]
        var last = transaction.start
        for phase in phases.compactMap(\.self) {
            #expect(phase.start >= last, "\(transaction)")
            if let end = phase.end { #expect(end >= phase.start) }
            last = phase.end ?? phase.start
        }
        if let end = transaction.end { #expect(end >= last) }
    }

    // MARK: One request

    @Test func `a request has one transaction with all of its phases and bytes`() async throws {
        try await FaultServer.run(Self.answer) { server in
            try await withSession { session in
                let before = Date()
                let response = try await session.data(for: Request(to: server.baseURL + "/a"))
                let metrics = response.metrics
                let transaction = try #require(metrics.transactions.first)
                #expect(metrics.transactions.count == 1 && metrics.transactionCount == 1)
                #expect(metrics.redirectCount == 0 && metrics.retryCount == 0)
                #expect(transaction.request.url == response.url && transaction.response?.status.code == 200)
                #expect(transaction.error == nil && transaction.number == 0)
                #expect(!transaction.isConnectionReused && !transaction.isProxyConnection)
                #expect(transaction.protocolName == "http/1.1" && transaction.tlsVersion == nil)
                #expect(transaction.remoteEndpoint == NetworkEndpoint(address: "127.0.0.1", port: server.port))
                #expect(transaction.localEndpoint?.address == "127.0.0.1")
                #expect(transaction.localEndpoint?.port != server.port)
                #expect(transaction.queue?.end != nil && transaction.connect?.end != nil)
                #expect(transaction.nameLookup == nil && transaction.tls == nil)
                #expect(transaction.sending?.end != nil && transaction.receiving?.end == transaction.end)
                Self.checkOrder(transaction)
                let duration = try #require(metrics.duration)
                #expect(try #require(transaction.end) <= duration)
                #expect(abs(metrics.startDate.timeIntervalSince(before)) < 5)
                #expect(metrics.startInstant <= .now && metrics.startInstant > .now - .seconds(60))
                let bytes = transaction.bytes
                #expect(bytes.requestHead == server.requests[0].head.count && bytes.requestBody == 0)
                #expect(bytes.responseHead == "HTTP/1.1 200 Scripted\r\nContent-Length: 5\r\n\r\n".utf8.count)
                #expect(bytes.responseBody == 5 && bytes.decodedResponseBody == 5)
                #expect(metrics.bytes == bytes)
            }
        }
    }

    @Test func `the second request tells that its connection was reused, and has no connect phase`() async throws {
        try await FaultServer.run(Self.answer) { server in
            try await withSession { session in
                let first = try await session.data(for: Request(to: server.baseURL)).metrics.transactions[0]
                let second = try await session.data(for: Request(to: server.baseURL)).metrics.transactions[0]
                #expect(second.isConnectionReused)
                #expect(second.connect == nil && second.queue?.end != nil)
                #expect(first.connectionIdentifier != nil)
                #expect(first.connectionIdentifier == second.connectionIdentifier)
                #expect(first.localEndpoint == second.localEndpoint)
            }
        }
    }

    @Test func `a host name has a lookup, and a secure connection a handshake with its version`() async throws {
        let certificates = try TestCertificates.shared()
        let options = FaultServer.Options(tls: ServerTLS(certificates.localhost))
        try await FaultServer.run(Self.answer, options: options) { server in
            try await withSession(SessionConfiguration(trusting: certificates.authority) { _ in }) { session in
                let url = "https://localhost:\(server.port)/"
                let transaction = try await session.data(for: Request(to: url)).metrics.transactions[0]
                #expect(transaction.tlsVersion == .tls1_3)
                #expect(transaction.nameLookup?.end != nil && transaction.tls?.end != nil)
                Self.checkOrder(transaction)
                let again = try await session.data(for: Request(to: url)).metrics.transactions[0]
                #expect(again.tls == nil && again.tlsVersion == .tls1_3)
                #expect(transaction.tlsCipherSuite?.description.hasPrefix("TLS_") == true)
                #expect(again.tlsCipherSuite == transaction.tlsCipherSuite)
            }
        }
    }

    @Test func `a response of HTTP/1.0 names its protocol`() async throws {
        try await FaultServer.run([.readRequest, .send("HTTP/1.0 200 OK\r\n\r\nold"), .close]) { server in
            try await withSession { session in
                let transaction = try await session.data(for: Request(to: server.baseURL)).metrics.transactions[0]
                #expect(transaction.protocolName == "http/1.0")
                #expect(transaction.bytes.responseBody == 3)
            }
        }
    }

    @Test func `the end of a Unix-domain socket has a path and no port`() async throws {
        try await withDirectory { directory in
            let path = directory.appending(path: "socket").path()
            try await LocalServer.run(LocalServer.Options(address: .unixSocket(path))) { _ in
                try await withSession { session in
                    let host = path.replacing("/", with: "%2F")
                    let response = try await session.data(for: Request(to: "http+unix://\(host)/get"))
                    #expect(response.metrics.transactions[0].remoteEndpoint == NetworkEndpoint(address: path))
                }
            }
        }
    }

    // MARK: Bytes

    @Test func `the bytes of a chunked body count with their framing, and those of 1xx with the head`() async throws {
        let early = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        let body = "5\r\nhello\r\n6\r\n world\r\n0\r\nA: b\r\n\r\n"
        try await FaultServer.run([.readRequest, .send(early), .send(head), .send(body)]) { server in
            try await withSession { session in
                let bytes = try await session.data(for: Request(to: server.baseURL)).metrics.bytes
                #expect(bytes.responseHead == early.utf8.count + head.utf8.count)
                #expect(bytes.responseBody == body.utf8.count)
                #expect(bytes.decodedResponseBody == 11)
            }
        }
    }

    @Test func `a compressed body counts as it came and as it was decoded`() async throws {
        try await LocalServer.run { server in
            try await withSession { session in
                let response = try await session.data(for: Request(to: server.baseURL + "/gzip"))
                let bytes = response.metrics.bytes
                #expect(bytes.decodedResponseBody == response.body.count)
                #expect(response.head[.contentLength] == String(bytes.responseBody))
                #expect(bytes.responseBody != bytes.decodedResponseBody)
            }
        }
    }

    @Test(arguments: [3, 200_000])
    func `the bytes of a body that is sent count, also of one that is streamed in chunks`(count: Int) async throws {
        let data = Data(repeating: 7, count: count)
        try await FaultServer.run(Self.answer) { server in
            try await withSession { session in
                let whole = try await session.data(for: Request(.post, to: server.baseURL, body: .data(data)))
                #expect(whole.metrics.bytes.requestBody == count)
                #expect(whole.metrics.bytes.requestHead == server.requests[0].head.count)
                let stream = AsyncStream { continuation in
                    continuation.yield(data)
                    continuation.finish()
                }
                let body = RequestBody.stream(stream)
                let chunked = try await session.data(for: Request(.post, to: server.baseURL, body: body))
                #expect(chunked.metrics.bytes.requestBody == server.requests[1].rawBody.count)
                #expect(chunked.metrics.transactions[0].sending?.end != nil)
            }
        }
    }

    @Test func `a file that the system sends counts as the body`() async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "file")
            try Data(repeating: 1, count: 300_000).write(to: file)
            try await FaultServer.run(Self.answer) { server in
                try await withSession { session in
                    let request = try Request(.put, to: server.baseURL, body: .file(file))
                    let task = session.uploadTask(for: request)
                    _ = try await task.value
                    #expect(task.metrics?.bytes.requestBody == 300_000)
                    #expect(task.metrics?.bytes.requestHead == server.requests[0].head.count)
                }
            }
        }
    }

    // MARK: Several transactions

    @Test func `each hop of a redirect is a transaction`() async throws {
        try await LocalServer.run { server in
            try await withSession { session in
                let metrics = try await session.data(for: Request(to: server.baseURL + "/redirect/3")).metrics
                #expect(metrics.redirectCount == 3 && metrics.retryCount == 0)
                #expect(metrics.transactions.map { $0.response?.status.code } == [302, 302, 302, 200])
                #expect(metrics.transactions.map(\.isConnectionReused) == [false, true, true, true])
                #expect(metrics.transactions.map { $0.request.url.path() }.first == "/redirect/3")
                #expect(metrics.transactions.map(\.number) == [0, 1, 2, 3])
                for (before, after) in zip(metrics.transactions, metrics.transactions.dropFirst()) {
                    #expect(try #require(before.end) <= after.start)
                    Self.checkOrder(after)
                }
            }
        }
    }

    @Test func `a request that is sent again after a stale connection is a transaction of its own`() async throws {
        let script = FaultServer.Script.connections([
            [.readRequest, .respond(body: "first"), .readRequest, .close], [.readRequest, .respond(body: "second")],
        ])
        try await FaultServer.run(script) { server in
            try await withSession { session in
                _ = try await session.data(for: Request(to: server.baseURL))
                let metrics = try await session.data(for: Request(to: server.baseURL)).metrics
                #expect(metrics.retryCount == 1 && metrics.redirectCount == 0)
                #expect(metrics.transactions.map { $0.error?.code } == [.connectionLost, nil])
                #expect(metrics.transactions.map(\.isConnectionReused) == [true, false])
                #expect(metrics.transactions[0].response == nil && metrics.transactions[0].end != nil)
                #expect(metrics.transactions[0].bytes.requestHead > 0)
            }
        }
    }

    @Test func `an interceptor that sends a request again makes another transaction`() async throws {
        struct Twice: Interceptor {
            func intercept(_ request: Request, context: ExchangeContext, next: Next) async throws -> TransportResponse {
                await (try next(request)).body.discard()
                return try await next(request)
            }
        }
        try await FaultServer.run(Self.answer) { server in
            try await withSession(SessionConfiguration { $0.interceptors = [Twice()] }) { session in
                let metrics = try await session.data(for: Request(to: server.baseURL)).metrics
                #expect(metrics.transactionCount == 2 && metrics.retryCount == 1)
            }
        }
    }

    @Test func `of very many transactions the first and the last ones are kept`() async throws {
        struct Often: Interceptor {
            func intercept(_ request: Request, context: ExchangeContext, next: Next) async throws -> TransportResponse {
                for _ in 0..<250 { await (try next(request)).body.discard() }
                return try await next(request)
            }
        }
        try await FaultServer.run(Self.answer) { server in
            try await withSession(SessionConfiguration { $0.interceptors = [Often()] }) { session in
                let metrics = try await session.data(for: Request(to: server.baseURL)).metrics
                #expect(metrics.transactions.count <= 100 && metrics.retryCount == 250)
                #expect(metrics.transactions.first?.number == 0 && metrics.transactions.last?.number == 250)
                #expect(metrics.bytes.responseBody == 251 * 5)
            }
        }
    }

    @Test func `the decoded size is that of the transaction whose body was decoded`() async throws {
        /// Sends the request twice, and returns the first response.
        struct First: Interceptor {
            func intercept(_ request: Request, context: ExchangeContext, next: Next) async throws -> TransportResponse {
                let first = try await next(request)
                await (try next(Request(to: request.url.absoluteString.replacing("/gzip", with: "/get")))).body
                    .discard()
                return first
            }
        }
        try await LocalServer.run { server in
            try await withSession(SessionConfiguration { $0.interceptors = [First()] }) { session in
                let response = try await session.data(for: Request(to: server.baseURL + "/gzip"))
                let transactions = response.metrics.transactions
                #expect(transactions.count == 2)
                #expect(transactions[0].bytes.decodedResponseBody == response.body.count)
                #expect(transactions[1].bytes.decodedResponseBody == transactions[1].bytes.responseBody)
            }
        }
    }

    @Test func `a redirect that is not followed any more does not count`() async throws {
        let redirect = "HTTP/1.1 302 Found\r\nLocation: /next\r\nContent-Length: 9\r\n\r\nfour"
        try await FaultServer.run([.readRequest, .send(redirect), .stall]) { server in
            try await withSession(SessionConfiguration()) { session in
                let task = session.dataTask(for: try Request(to: server.baseURL))
                task.resume()
                // From then on, the rest of its body is awaited.
                try await until("the redirect came") { task.metrics?.transactions.first?.response != nil }
                task.cancel()
                let error = try await networkingError { try await task.value }
                #expect(error.isCancelled)
                #expect(error.metrics?.redirectCount == 0 && error.metrics?.transactionCount == 1)
            }
        }
    }

    // MARK: Failures

    @Test func `a server that refuses connections leaves a transaction without a connection`() async throws {
        let port = FaultServer.unusedPort
        try await withSession { session in
            let error = try await networkingError {
                try await session.data(for: Request(to: "http://127.0.0.1:\(port)/"))
            }
            let metrics = try #require(error.metrics)
            let transaction = try #require(metrics.transactions.first)
            #expect(transaction.error?.code == .connectFailed)
            #expect(transaction.connect != nil && transaction.connect?.end == nil)
            #expect(transaction.sending == nil && transaction.end != nil)
            #expect(transaction.connectionIdentifier == nil && transaction.remoteEndpoint == nil)
            #expect(metrics.duration != nil)
            Self.checkOrder(transaction)
        }
    }

    @Test func `a certificate that is refused has a handshake without an end`() async throws {
        let certificates = try TestCertificates.shared()
        let options = FaultServer.Options(tls: ServerTLS(certificates.selfSigned))
        try await FaultServer.run(Self.answer, options: options) { server in
            try await withSession { session in
                let error = try await networkingError { try await session.data(for: Request(to: server.baseURL)) }
                let transaction = try #require(error.metrics?.transactions.first)
                #expect(transaction.connect?.end != nil && transaction.tls != nil)
                #expect(transaction.tls?.end == nil && transaction.sending == nil)
                Self.checkOrder(transaction)
            }
        }
    }

    @Test func `a request that ends while it is connected has the phases of that until then`() async throws {
        // It accepts connections and never speaks.
        try await FaultServer.run([.stall]) { server in
            try await withSession { session in
                var request = try Request(to: "https://localhost:\(server.port)/")
                // Enough for a busy machine to look up the name and to connect.
                request.timeouts = Timeouts(connect: .seconds(5))
                let late = request
                let timeout = try await networkingError { try await session.data(for: late) }
                #expect(timeout.code == .connectTimeout)
                var transaction = try #require(timeout.metrics?.transactions.first)
                #expect(transaction.nameLookup?.end != nil && transaction.connect?.end != nil)
                #expect(transaction.tls != nil && transaction.tls?.end == nil)
                Self.checkOrder(transaction)

                request.timeouts = nil
                let count = server.connections.count
                let task = session.dataTask(for: request)
                task.resume()
                try await until("the server has the connection") { server.connections.count > count }
                task.cancel()
                let error = try await networkingError { try await task.value }
                transaction = try #require(error.metrics?.transactions.first)
                #expect(error.isCancelled && transaction.connect != nil)
                #expect(transaction.sending == nil && transaction.connectionIdentifier == nil)
                Self.checkOrder(transaction)
            }
        }
    }

    @Test func `a name that is not found has a lookup without an end`() async throws {
        try await withSession(SessionConfiguration { $0.nameResolver = StubResolver() }) { session in
            let error = try await networkingError { try await session.data(for: Request(to: "http://no.invalid/")) }
            let transaction = try #require(error.metrics?.transactions.first)
            #expect(transaction.nameLookup != nil && transaction.nameLookup?.end == nil)
            #expect(transaction.connect == nil && transaction.end != nil)
        }
    }

    @Test func `a body that is cut off keeps what was known of its transaction`() async throws {
        let half = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"
        try await FaultServer.run([.readRequest, .send(half), .close]) { server in
            try await withSession { session in
                let error = try await networkingError { try await session.data(for: Request(to: server.baseURL)) }
                let transaction = try #require(error.metrics?.transactions.first)
                #expect(transaction.error?.code == .truncatedResponse)
                #expect(transaction.response?.status.code == 200)
                #expect(transaction.receiving != nil && transaction.receiving?.end == nil)
                #expect(transaction.bytes.responseBody == 4)
            }
        }
    }

    @Test func `a task that is cancelled in the middle keeps what was known until then`() async throws {
        let half = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"
        try await FaultServer.run([.readRequest, .send(half), .stall]) { server in
            try await withSession { session in
                let task = try session.dataTask(for: Request(to: server.baseURL))
                #expect(task.metrics == nil)
                task.resume()
                try await until("four bytes are there") {
                    task.head != nil && task.currentProgress.download.completed == 4
                }
                let early = try #require(task.metrics)
                #expect(early.duration == nil)
                #expect(early.transactions.first?.end == nil && early.transactions.first?.response != nil)
                task.cancel()
                let error = try await networkingError { try await task.value }
                let transaction = try #require(error.metrics?.transactions.first)
                #expect(error.isCancelled && transaction.error?.code == .cancelled)
                #expect(transaction.response?.status.code == 200 && transaction.bytes.responseBody == 4)
                #expect(transaction.end != nil && transaction.connectionIdentifier != nil)
                #expect(task.metrics?.duration != nil)
            }
        }
    }

    @Test func `a request that nobody watches keeps the head of a response whose body did not come`() async throws {
        let half = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"
        try await FaultServer.run([.readRequest, .send(half), .stall]) { server in
            try await withSession { session in
                let request = try Request(to: server.baseURL)
                let running = Task { try await networkingError { try await session.data(for: request) } }
                try await until("the head is there") {
                    session.tasks.first?.metrics?.transactions.first?.response != nil
                }
                running.cancel()
                let error = try await running.value
                let transaction = try #require(error.metrics?.transactions.first)
                #expect(error.isCancelled && transaction.error?.code == .cancelled)
                #expect(transaction.response?.status.code == 200 && transaction.protocolName == "http/1.1")
                #expect(transaction.bytes.responseBody == 4 && transaction.end != nil)
            }
        }
    }

    @Test func `a response that is refused has its metrics on the error`() async throws {
        try await LocalServer.run { server in
            try await withAPI(at: server.baseURL) { api in
                let error = try await networkingError { try await api.get("/status/503", as: .data) }
                #expect(error.metrics?.transactions.first?.response?.status.code == 503)
                #expect(error.metrics?.duration != nil)
            }
        }
    }

    // MARK: Every kind of task

    @Test func `a stream has its metrics at the head, and all of them at the end of its body`() async throws {
        try await FaultServer.run(Self.answer) { server in
            try await withSession { session in
                let task = try session.streamTask(for: Request(to: server.baseURL))
                let response = try await task.value
                #expect(response.metrics?.transactions.first?.response?.status.code == 200)
                for try await _ in response.body {}
                let metrics = try #require(response.body.metrics)
                #expect(metrics.transactions[0].receiving?.end != nil)
                #expect(metrics.bytes.responseBody == 5)
                try await until("the task is over") { task.metrics?.duration != nil }
            }
        }
    }

    @Test func `a stream that breaks off has its metrics on the error of its reader`() async throws {
        let half = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"
        try await FaultServer.run([.readRequest, .send(half), .close]) { server in
            try await withSession { session in
                let response = try await session.open(Request(to: server.baseURL))
                let error = try await networkingError { for try await _ in response.body {} }
                #expect(error.metrics?.transactions.first?.error?.code == .truncatedResponse)
            }
        }
    }

    @Test func `a download has the transactions of its redirects`() async throws {
        try await withDirectory { directory in
            try await LocalServer.run { server in
                try await withSession { session in
                    let request = try Request(to: server.baseURL + "/redirect/1")
                    let task = session.downloadTask(for: request, to: directory.appending(path: "file"))
                    let response = try await task.response
                    #expect(response.metrics.transactionCount == 2)
                    #expect(task.metrics?.bytes == response.metrics.bytes)
                }
            }
        }
    }

    @Test func `a transport of the user has transactions without phases`() async throws {
        struct Fixed: Transport {
            func send(_ request: Request, context: ExchangeContext) async throws -> TransportResponse {
                TransportResponse(head: ResponseHead(status: .ok), body: .data(Data("four".utf8)), request: request)
            }
        }
        try await withSession(SessionConfiguration(), transport: Fixed()) { session in
            let metrics = try await session.data(for: Request(to: "http://test.example/")).metrics
            let transaction = try #require(metrics.transactions.first)
            #expect(transaction.response?.status == .ok && transaction.end != nil)
            #expect(transaction.sending == nil && transaction.connect == nil && transaction.connectionIdentifier == nil)
            #expect(transaction.bytes.decodedResponseBody == 4)
        }
    }

    @Test func `metrics describe themselves without secrets`() async throws {
        try await FaultServer.run(Self.answer) { server in
            try await withSession { session in
                let metrics = try await session.data(for: Request(to: server.baseURL + "/a?token=secret")).metrics
                #expect("\(metrics)".hasPrefix("1 transaction, "))
                #expect("\(metrics.transactions[0])".contains("/a?"))
                #expect(!"\(metrics.transactions[0])".contains("secret"))
            }
        }
    }
}
