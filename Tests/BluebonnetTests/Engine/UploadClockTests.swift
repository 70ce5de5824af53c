import Foundation
import HTTPTypes
import LocalServer
import Testing

@testable import Bluebonnet

/// The timeouts of an upload follow the bytes that are sent, for every body source, with and
/// without TLS.
@Suite(.timeLimit(.minutes(3)))
struct UploadClockTests {
    enum Source: CaseIterable {
        case memory, sequence, file, form
    }

    private static let piece = Data(repeating: 7, count: 65_536)

    /// A body of `count` bytes; a form has a few more.
    private func withBody<Result>(
        _ source: Source,
        _ count: Int,
        _ work: (RequestBody) async throws -> Result
    ) async throws -> Result {
        try await withDirectory { directory in
            let file = directory.appending(path: "file")
            try Data(repeating: 7, count: count).write(to: file)
            switch source {
            case .memory: return try await work(.data(Data(repeating: 7, count: count)))
            case .file: return try await work(.file(file))
            case .sequence:
                let left = Counter()
                let pieces = AsyncStream(unfolding: { left.increment() <= count / Self.piece.count ? Self.piece : nil })
                return try await work(.stream(pieces))
            case .form:
                var form = MultipartFormData()
                form.append("text", name: "first")
                try form.append(fileURL: file, name: "file")
                return try await work(form.makeBody())
            }
        }
    }

    /// Runs with a session, and a server whose receive buffer is small.
    private func withServer(
        _ script: FaultServer.Script,
        overTLS: Bool,
        _ timeouts: Timeouts,
        _ work: (FaultServer, SessionManager, Engine) async throws -> Void
    ) async throws {
        let certificates = try TestCertificates.shared()
        let tls = overTLS ? ServerTLS(certificates.localhost) : nil
        let configuration = SessionConfiguration { configuration in
            configuration.tls.trustRoots = .pem(certificates.authority.certificatePEM)
            configuration.timeouts = timeouts
        }
        try await FaultServer.run(script, options: .init(tls: tls, receiveBuffer: 65_536)) { server in
            try await withEngine(configuration) { session, engine in try await work(server, session, engine) }
        }
    }

    @Test(arguments: Source.allCases, [false, true])
    func `an upload to a server that stops reading ends with the between-bytes timeout`(source: Source, overTLS: Bool)
        async throws
    {
        // If it does not, the request timeout ends the test.
        let timeouts = Timeouts(firstByte: nil, betweenBytes: .milliseconds(300), request: .seconds(60))
        try await withServer([.readHead, .stopReading], overTLS: overTLS, timeouts) { server, session, engine in
            try await withBody(source, 12 << 20) { body in
                let request = try Request(.put, to: server.baseURL, body: body)
                let error = try await networkingError { _ = try await session.data(for: request) }
                #expect(error.code == .betweenBytesTimeout, "\(error)")
                try await until("the pool has removed the connection") { engine.openConnections == 0 }
            }
        }
    }

    @Test(arguments: [false, true])
    func `an upload that the kernel has buffered and the server does not read times out too`(overTLS: Bool) async throws
    {
        for (timeouts, code) in [
            (Timeouts(firstByte: nil, betweenBytes: .milliseconds(300), request: .seconds(60)), .betweenBytesTimeout),
            (Timeouts(firstByte: .milliseconds(300), betweenBytes: nil, request: .seconds(60)), .firstByteTimeout),
        ] as [(Timeouts, NetworkingError.Code)] {
            try await withServer([.readHead, .stopReading], overTLS: overTLS, timeouts) { server, session, _ in
                let body = RequestBody.data(Data(repeating: 7, count: 1 << 20))
                let request = try Request(.put, to: server.baseURL, body: body)
                let error = try await networkingError { _ = try await session.data(for: request) }
                #expect(error.code == code, "\(error)")
            }
        }
    }

    @Test(arguments: Source.allCases, [false, true])
    func `a server that reads slowly for many times the timeout gets the whole upload`(source: Source, overTLS: Bool)
        async throws
    {
        // The server reads for five times the timeouts; during the last two or three of them, the
        // client's system already has all bytes.
        let count = 6 << 20
        try await patiently(first: [.milliseconds(300), .seconds(1)], last: .seconds(5)) { timeout in
            let script: FaultServer.Script = [
                .readHead, .readSlowly(bytes: 65_536, every: timeout / 20), .readRequest, .respond(body: "ok"),
            ]
            let timeouts = Timeouts(firstByte: timeout, betweenBytes: timeout)
            try await withServer(script, overTLS: overTLS, timeouts) { server, session, _ in
                try await withBody(source, count) { body in
                    let request = try Request(.put, to: server.baseURL, body: body)
                    let response = try await session.data(for: request)
                    #expect(response.value == Data("ok".utf8))
                    let received = server.requests.first?.body.count ?? 0
                    #expect(source == .form ? received > count : received == count)
                }
            }
        }
    }

    @Test func `an upload that is written with its head does not time out while it is read slowly`() async throws {
        try await patiently(first: [.milliseconds(300), .seconds(1)], last: .seconds(5)) { timeout in
            let script: FaultServer.Script = [
                .readHead, .readSlowly(bytes: 4096, every: timeout * 0.15), .readRequest, .respond(body: "ok"),
            ]
            let configuration = SessionConfiguration { configuration in
                configuration.timeouts = Timeouts(firstByte: timeout, betweenBytes: timeout)
            }
            try await FaultServer.run(script, options: .init(receiveBuffer: 8192)) { server in
                try await withSession(configuration) { session in
                    let body = RequestBody.data(Data(repeating: 7, count: 65_000))
                    let response = try await session.data(for: Request(.put, to: server.baseURL, body: body))
                    #expect(response.value == Data("ok".utf8))
                    #expect(server.requests.first?.body.count == 65_000)
                }
            }
        }
    }

    // MARK: Responses that begin before the body has ended

    @Test(arguments: [false, true])
    func `an upload does not time out while the server responds without reading`(overTLS: Bool) async throws {
        try await patiently { timeout in
            let script: FaultServer.Script = [
                .readHead, .stopReading, .send("HTTP/1.1 200 OK\r\nContent-Length: 42\r\n\r\n"),
                .drip(String(repeating: "x", count: 40), every: timeout / 10), .startReading, .readRequest, .send("ok"),
            ]
            let timeouts = Timeouts(firstByte: timeout, betweenBytes: timeout)
            try await withServer(script, overTLS: overTLS, timeouts) { server, session, _ in
                try await withBody(.memory, 12 << 20) { body in
                    let response = try await session.data(for: Request(.put, to: server.baseURL, body: body))
                    #expect(response.value.count == 42 && server.requests.first?.body.count == 12 << 20)
                }
            }
        }
    }

    @Test func `a response that stalls while the upload's source is slow ends with the between-bytes timeout`()
        async throws
    {
        let half = FaultStep.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
        let timeouts = Timeouts(betweenBytes: .milliseconds(300), request: .seconds(60))
        try await withServer([.readHead, half], overTLS: false, timeouts) { server, session, _ in
            let source = AsyncStream<[UInt8]>.makeStream()
            source.continuation.yield([1, 2, 3])
            let request = try Request(.post, to: server.baseURL, body: .stream(source.stream))
            let error = try await networkingError { _ = try await session.data(for: request) }
            #expect(error.code == .betweenBytesTimeout, "\(error)")
            #expect(error.body == Data("half".utf8))
        }
    }

    @Test func `a slow upload source does not time out before the response begins`() async throws {
        try await patiently { timeout in
            let timeouts = Timeouts(firstByte: timeout, betweenBytes: timeout)
            try await withServer([.readRequest, .respond(body: "ok")], overTLS: false, timeouts) { server, session, _ in
                let asked = Counter()
                let pieces = AsyncStream<[UInt8]>(unfolding: {
                    // Longer than the timeouts.
                    if asked.increment() == 2 { try? await Task.sleep(for: timeout * 1.6) }
                    return asked.value <= 2 ? [1, 2, 3] : nil
                })
                let request = try Request(.post, to: server.baseURL, body: .stream(pieces))
                #expect(try await session.data(for: request).value == Data("ok".utf8))
            }
        }
    }
}
