import Dispatch
import Foundation
import HTTPTypes
import LocalServer
import NIOCore
import NIOPosix
import Testing

@testable import Bluebonnet

/// A request that waits is never sent on a connection whose end was received together with the
/// response before it.
@Suite(.timeLimit(.minutes(5)))
struct EndAfterResponseTests {
    /// The first connection responds and closes without `Connection: close`; the others respond.
    private static func closing(after gate: FaultGate) -> FaultServer.Script {
        .connections([
            [.readRequest, .hold(gate), .respond(body: "first"), .close],
            [.readRequest, .respond(body: "ok"), .startOver],
        ])
    }

    /// Runs the work while the event loop of the session is blocked, so that it then reads all that
    /// was received meanwhile at once.
    private func whileBlocked(_ group: any EventLoopGroup, _ work: () async throws -> Void) async throws {
        let (entered, unblock) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        group.next().execute {
            entered.signal()
            unblock.wait()
        }
        defer { unblock.signal() }
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                entered.wait()
                continuation.resume()
            }
        }
        try await work()
    }

    /// Returns when the event loops of the servers have done the work that they have now.
    private func waitForServerLoops() async throws {
        for loop in MultiThreadedEventLoopGroup.singleton.makeIterator() { try await loop.submit {}.get() }
    }

    private func run(_ options: FaultServer.Options, _ tls: TLSSettings = TLSSettings()) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let gate = FaultGate()
        try await FaultServer.run(Self.closing(after: gate), options: options) { server in
            let configuration = SessionConfiguration {
                $0.maximumConnectionsPerHost = 1
                $0.eventLoopGroup = group
                $0.tls = tls
            }
            try await withEngine(configuration) { session, engine in
                let first = try session.dataTask(for: Request(to: server.baseURL + "/first"))
                first.resume()
                try await server.waitForRequests(1)
                // POST is not sent again, so it must not be sent on the connection that closes.
                let waiting = try [HTTPRequest.Method.post, .get, .patch].enumerated().map { number, method in
                    let body = method == .get ? nil : RequestBody.string("\(number)")
                    let request = try Request(method, to: server.baseURL + "/\(number)", body: body)
                    return session.dataTask(for: request)
                }
                for (number, task) in waiting.enumerated() {
                    task.resume()
                    try await until("\(number) waits") { engine.waitingExchanges == number + 1 }
                }
                try await whileBlocked(group) {
                    gate.open()
                    try await server.wait("the response") { $0.connections[0].bytesSent > 0 }
                    try await waitForServerLoops()
                }
                let body = try await first.value
                #expect(body == Data("first".utf8))
                for task in waiting {
                    let body = try await task.value
                    #expect(body == Data("ok".utf8))
                }
                #expect(server.requests.map(\.target) == ["/first", "/0", "/1", "/2"])
                #expect(server.requests.map(\.connection) == [0, 1, 1, 1])
            }
        }
        try await group.shutdownGracefully()
    }

    @Test func `a connection whose end follows its response is not used again`() async throws {
        try await run(.init())
    }

    @Test func `a TLS connection whose closing alert follows its response is not used again`() async throws {
        let certificates = try TestCertificates.shared()
        var tls = TLSSettings()
        tls.trustRoots = .pem(certificates.authority.certificatePEM)
        try await run(.init(tls: ServerTLS(certificates.localhost)), tls)
    }

    @Test func `a suspended task with bytes after its response does not give its connection back`() async throws {
        // The client reads 8 KiB first: the response ends there, and the bytes after it need a
        // second read.
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 8000\r\nX-Pad: "
        let padding = String(repeating: "p", count: 8192 - 8000 - head.utf8.count - 4)
        let response = head + padding + "\r\n\r\n" + String(repeating: "b", count: 8000)
        // A response to nobody's request: the next task must not get it.
        let poison = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison"
        let gate = FaultGate()
        let script = FaultServer.Script.connections([
            [.readRequest, .hold(gate), .send(response + poison), .readRequest, .stall],
            [.readRequest, .respond(body: "ok")],
        ])
        try await FaultServer.run(script) { server in
            try await withEngine { session, engine in
                let task = try session.dataTask(for: Request(to: server.baseURL))
                task.resume()
                try await server.waitForRequests(1)
                task.suspend()
                gate.open()
                try await server.wait("the response") { $0.connections[0].bytesSent > 8192 }
                task.resume()
                let body = try await task.value
                #expect(body.count == 8000)
                let next = try await session.data(for: Request(to: server.baseURL))
                #expect(next.value == Data("ok".utf8) && next.retries == 0)
                #expect(server.requests.map(\.connection) == [0, 1])
            }
        }
    }
}
