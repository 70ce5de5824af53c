import Foundation
import LocalServer
import Testing

@testable import Bluebonnet

/// Back-pressure in both directions, suspension, and openings that are repeated.
@Suite(.timeLimit(.minutes(5)))
struct WebSocketFlowTests {
    // MARK: Back-pressure

    /// A server opens the WebSocket, and sends 40 MB in 400 messages. It has to wait while nobody
    /// reads, and then all messages come.
    private func expectWait(
        receiveBuffer: Int,
        opening open: @escaping @concurrent @Sendable (inout WebSocketPeer) async throws -> Int
    ) async throws {
        let sent = Notes<Int>()
        let opened = Notes<Int>()
        try await WebSocketServer.run(sendBuffer: 65_536) { peer, _ in
            opened.note(try await open(&peer))
            for number in 0..<400 {
                try await peer.send(.binary(Array(repeating: 1, count: 100_000)))
                sent.note(number)
            }
            try await peer.close(1000)
        } _: { server in
            try await withSession(SessionConfiguration()) { session in
                let socket = try session.webSocket(to: server) { $0.receiveBuffer = receiveBuffer }
                _ = try await socket.value
                let count = try await settled { sent.all.count }
                // What the buffers of the system and of the session take, of 40 MB.
                #expect(count < 200)
                let all = try await socket.all()
                #expect(all.count == 400 + (opened.all.first ?? 0))
            }
        }
    }

    @Test func `a reader that is slow slows the server down`() async throws {
        try await expectWait(receiveBuffer: 300_000) { peer in
            try await peer.open()
            return 0
        }
    }

    @Test func `messages that come with the response count for the buffer`() async throws {
        try await expectWait(receiveBuffer: 100) { peer in
            _ = try await peer.readRequest()
            let small = Array(repeating: WebSocketFrame.text("small").bytes, count: 20).flatMap(\.self)
            try await peer.send(peer.response() + small)
            return 20
        }
    }

    @Test func `a server that is slow slows the sender down`() async throws {
        let gate = FaultGate()
        let sent = Notes<Int>()
        try await withWebSocket(
            to: { peer, _ in
                try await peer.open()
                await gate.wait()
                for _ in 0..<400 { _ = try await peer.readMessage() }
                try await peer.finish()
            },
            options: { $0.sendBuffer = 300_000 }
        ) { socket in
            let sender = Task {
                for number in 0..<400 {
                    try await socket.send(.binary(Data(repeating: 1, count: 100_000)))
                    sent.note(number)
                }
            }
            let count = try await settled { sent.all.count }
            #expect(count < 300)
            // One that gives up while it waits leaves its message out.
            let other = Task { try await socket.send("left out") }
            await Task.yield()
            other.cancel()
            let error = try await networkingError { try await other.value }
            #expect(error.code == .cancelled)
            gate.open()
            try await sender.value
            await socket.close()
        }
        #expect(sent.all.count == 400)
    }

    @Test func `a server that is slow slows a sender with a large buffer down, also over TLS`() async throws {
        let gate = FaultGate()
        let sent = Notes<Int>()
        let certificates = try TestCertificates.shared()
        try await WebSocketServer.run(tls: ServerTLS(certificates.localhost)) { peer, _ in
            try await peer.open()
            await gate.wait()
            for _ in 0..<400 { _ = try await peer.readMessage() }
            try await peer.finish()
        } _: { server in
            try await withSession(SessionConfiguration(trusting: certificates.authority)) { session in
                let socket = try session.webSocket(to: server) { $0.sendBuffer = 2_000_000 }
                let sender = Task {
                    for number in 0..<400 {
                        try await socket.send(.binary(Data(repeating: 1, count: 100_000)))
                        sent.note(number)
                    }
                }
                let count = try await settled { sent.all.count }
                #expect(count < 300)
                gate.open()
                try await sender.value
                await socket.close()
            }
        }
        #expect(sent.all.count == 400)
    }

    @Test func `a suspended task neither sends nor reads`() async throws {
        try await withWebSocket(to: WebSocketServer.echo) { socket in
            try await socket.send("first")
            try await socket.expect(.text("first"))
            socket.suspend()
            #expect(socket.state == .suspended)
            try await socket.send("second")
            let received = Notes<WebSocketMessage?>()
            let reader = Task { received.note(try await socket.receive()) }
            try await Task.sleep(for: .milliseconds(50))
            #expect(received.all.isEmpty)
            socket.resume()
            try await reader.value
            #expect(received.all == [.text("second")])
            await socket.close()
        }
    }

    // MARK: Openings that are repeated

    private func reconnecting(_ options: inout WebSocketOptions, most: Int? = nil) {
        options.reconnection = WebSocketReconnection(
            backoff: RetryBackoff(first: .milliseconds(1), longest: .milliseconds(5)),
            maximumAttempts: most
        )
    }

    @Test func `a WebSocket that was lost is opened again, and its messages go on`() async throws {
        try await WebSocketServer.run { peer, number in
            try await peer.open()
            try await peer.send(.text("\(number)"))
            switch number {
            case 1: return
            case 2: try await peer.reset()
            case 3:
                try await peer.close(1012)
            default:
                try await peer.close(1000)
            }
        } _: { server in
            try await withSession(SessionConfiguration()) { session in
                let socket = try session.webSocket(to: server) { reconnecting(&$0) }
                let openings = Task { [stream = socket.openings] in
                    var numbers: [Int] = []
                    for await opening in stream { numbers.append(opening.number) }
                    return numbers
                }
                let all = try await socket.all()
                // What came with RST may be lost.
                #expect(Set(all.compactMap(\.text)).isSuperset(of: ["1", "3", "4"]))
                #expect(await openings.value == [1, 2, 3, 4])
                #expect(socket.metrics?.transactions.count == 4)
            }
        }
    }

    @Test func `a message waits for the next opening`() async throws {
        try await WebSocketServer.run { peer, number in
            if number == 1 { return }
            try await peer.open()
            let message = try await peer.readMessage()
            try await peer.send(WebSocketFrame(1, message))
            try await peer.finish()
        } _: { server in
            try await withSession(SessionConfiguration()) { session in
                let socket = try session.webSocket(to: server) { reconnecting(&$0) }
                try await socket.send("patient")
                try await socket.expect(.text("patient"))
                await socket.close()
            }
        }
    }

    @Test func `attempts that fail are counted, and the last error is thrown`() async throws {
        let attempts = Notes<Int>()
        try await WebSocketServer.run { peer, number in
            attempts.note(number)
            _ = try await peer.readRequest()
            try await peer.send(Array("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n".utf8))
        } _: { server in
            try await withSession(SessionConfiguration()) { session in
                let socket = try session.webSocket(to: server) { reconnecting(&$0, most: 3) }
                let error = try await networkingError { try await socket.value }
                #expect(error.code == .webSocketRefused && error.response?.statusCode == 503)
            }
        }
        #expect(attempts.all.count == 4)
    }

    @Test func `an observer, a hook and an event have each attempt that failed, and the wait after it`() async throws {
        struct Observer: TaskObserver {
            let log: Notes<String>

            func taskDidEnd(_ report: TaskReport) {}
            func taskWillRetry(_ retry: TaskRetry) { log.note(text(retry)) }

            func text(_ retry: TaskRetry) -> String {
                let reason = retry.attempt.statusCode.map(String.init) ?? retry.attempt.error?.code.rawValue ?? ""
                return "\(retry.attempt.number) \(reason) \(retry.delay)"
            }
        }
        let log = Notes<String>()
        try await WebSocketServer.run { peer, number in
            if number == 1 {
                _ = try await peer.readRequest()
                let fields = "Retry-After: 7\r\nConnection: close\r\nContent-Length: 0"
                let head = "HTTP/1.1 503 Busy\r\n\(fields)\r\n\r\n"
                return try await peer.send(Array(head.utf8))
            }
            try await peer.open()
            if number == 3 { try await peer.close(1000) }
        } _: { server in
            var configuration = SessionConfiguration {
                $0.observers = [Observer(log: log)]
                $0.hooks.taskWillRetry = { task, retry in
                    log.note("hook \(retry.attempt.number) \(task.identifier == retry.taskIdentifier)")
                }
            }
            configuration.retryTiming.sleep = { _, time in log.note("wait \(time)") }
            try await withSession(configuration) { session in
                let events = session.events
                let socket = try session.webSocket(to: server) {
                    let backoff = RetryBackoff(first: .seconds(1), isRandom: false)
                    $0.reconnection = WebSocketReconnection(backoff: backoff)
                }
                try await socket.expect(nil)
                var retries: [Int] = []
                for await event in events {
                    if let retry = event.retry { retries.append(retry.attempt.number) }
                    if event.kind == .didComplete { break }
                }
                #expect(retries == [1, 2])
            }
        }
        let (first, second) = (Duration.seconds(7), Duration.seconds(2))
        #expect(
            log.all == [
                "1 503 \(first)", "hook 1 true", "wait \(first)",
                "2 connection-lost \(second)", "hook 2 true", "wait \(second)",
            ]
        )
    }

    @Test func `a close with an error is no reason to come back, nor is a refusal that is final`() async throws {
        let attempts = Notes<Int>()
        try await WebSocketServer.run { peer, number in
            attempts.note(number)
            try await peer.open()
            try await peer.close(1008)
        } _: { server in
            try await withSession(SessionConfiguration()) { session in
                let socket = try session.webSocket(to: server) { reconnecting(&$0) }
                let error = try await networkingError { try await socket.receive() }
                #expect(error.code == .webSocketClosed)
            }
        }
        #expect(attempts.all == [1])
    }

    @Test func `a task that is cancelled between two openings ends`() async throws {
        try await WebSocketServer.run { peer, _ in
            _ = try await peer.readRequest()
        } _: { server in
            try await withSession(SessionConfiguration()) { session in
                let socket = try session.webSocket(to: server) {
                    $0.reconnection = WebSocketReconnection(backoff: RetryBackoff(first: .seconds(1000), longest: nil))
                }
                socket.resume()
                try await Task.sleep(for: .milliseconds(50))
                socket.cancel()
                let error = try await networkingError { try await socket.receive() }
                #expect(error.code == .cancelled)
            }
        }
    }
}
