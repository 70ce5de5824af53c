import Foundation
import LocalServer
import Testing

@testable import Bluebonnet

/// The close handshake, cancellation at each point, and the end of the session.
@Suite(.timeLimit(.minutes(5)))
struct WebSocketCloseTests {
    @Test(arguments: [nil, 1000, 1001] as [UInt16?])
    func `a close that was to be expected ends the messages`(code: UInt16?) async throws {
        let replies = Notes<UInt16?>()
        try await withWebSocket(to: { peer, _ in
            try await peer.open()
            try await peer.send(.text("last"))
            replies.note(try await peer.close(code, code == nil ? "" : "bye").closeCode)
        }) { socket in
            let all = try await socket.all()
            #expect(all == [.text("last")])
            #expect(socket.closure?.code.rawValue == code ?? 1005)
            #expect(socket.closure?.reason == (code == nil ? "" : "bye"))
            let late = try await networkingError { try await socket.send("late") }
            #expect(late.code == .webSocketClosed)
        }
        #expect(replies.all == [code])
    }

    @Test(arguments: [1002, 1008, 1011, 4000] as [UInt16])
    func `a close with an error throws it, behind the messages`(code: UInt16) async throws {
        try await withWebSocket(to: { peer, _ in
            try await peer.open()
            try await peer.send(.text("last"))
            try await peer.close(code, "because")
        }) { socket in
            try await socket.expect(.text("last"))
            let error = try await networkingError { try await socket.receive() }
            #expect(error.code == .webSocketClosed)
            #expect(error.webSocketClosure == WebSocketClosure(code: .init(rawValue: code), reason: "because"))
            #expect(error.message.contains("because"))
        }
    }

    @Test func `what was sent before the close arrives before it`() async throws {
        let seen = Notes<String>()
        try await withWebSocket(to: { peer, _ in
            try await peer.open()
            while true {
                let frame = try await peer.readFrame()
                if frame.opcode == 8 {
                    seen.note(
                        "close \(frame.closeCode ?? 0) \(String(decoding: frame.payload.dropFirst(2), as: UTF8.self))"
                    )
                    return try await peer.send(.close(frame.closeCode))
                }
                if frame.isFinal { seen.note("message") }
            }
        }) { socket in
            for _ in 0..<50 { try await socket.send(.binary(Data(repeating: 1, count: 100_000))) }
            let closure = await socket.close(4321, reason: "enough")
            #expect(closure.code == 4321)
        }
        #expect(seen.all == Array(repeating: "message", count: 50) + ["close 4321 enough"])
    }

    @Test func `messages that come during the close are still read`() async throws {
        try await withWebSocket(to: { peer, _ in
            try await peer.open()
            let close = try await peer.readClose()
            try await peer.send(.text("meanwhile"))
            try await peer.send(.close(close.closeCode))
        }) { socket in
            _ = try await socket.value
            await socket.close()
            let all = try await socket.all()
            #expect(all == [.text("meanwhile")])
        }
    }

    @Test func `a server that never closes is not waited for`() async throws {
        try await withWebSocket(
            to: { peer, _ in
                try await peer.open()
                _ = try await peer.drain()
            },
            options: { $0.closeTimeout = .milliseconds(50) }
        ) { socket in
            _ = try await socket.value
            let closure = await socket.close()
            #expect(closure.code == .abnormalClosure)
            try await socket.expect(nil)
        }
    }

    @Test func `a server that closes and keeps the connection is not waited for`() async throws {
        try await withWebSocket(
            to: { peer, _ in
                try await peer.open()
                try await peer.send(.close(1000))
                _ = try await peer.drain()
            },
            options: { $0.closeTimeout = .milliseconds(50) }
        ) { socket in
            try await socket.expect(nil)
            #expect(socket.closure?.code == .normalClosure)
        }
    }

    @Test func `a server that is slow and takes longer than the close has time gets everything`() async throws {
        let seen = Notes<String>()
        try await withWebSocket(
            to: { peer, _ in
                try await peer.open()
                while true {
                    let frame = try await peer.readFrame()
                    if frame.opcode == 8 {
                        seen.note("close")
                        return try await peer.send(.close(frame.closeCode))
                    }
                    guard frame.isFinal else { continue }
                    seen.note("message")
                    try await Task.sleep(for: .milliseconds(80))
                }
            },
            options: {
                $0.compression = nil
                $0.sendBuffer = 1 << 26
                $0.closeTimeout = .seconds(2)
            }
        ) { socket in
            _ = try await socket.value
            for _ in 0..<40 { try await socket.send(.binary(Data(repeating: 1, count: 500_000))) }
            let closure = await socket.close()
            #expect(closure.code == .normalClosure)
            try await socket.expect(nil)
        }
        #expect(seen.all == Array(repeating: "message", count: 40) + ["close"])
    }

    @Test func `a close is an error where the server stops taking what was sent before`() async throws {
        let gate = Gate()
        try await withWebSocket(
            to: { peer, _ in
                try await peer.open()
                await gate.wait()
            },
            options: {
                $0.compression = nil
                $0.sendBuffer = 1 << 26
                $0.closeTimeout = .milliseconds(50)
            }
        ) { socket in
            defer { gate.open() }
            _ = try await socket.value
            for _ in 0..<64 { try await socket.send(.binary(Data(repeating: 1, count: 500_000))) }
            let closure = await socket.close()
            #expect(closure.code == .abnormalClosure)
            #expect(try await networkingError { try await socket.receive() }.code == .connectionLost)
        }
    }

    @Test func `closing twice is closing once, also from two tasks`() async throws {
        try await withWebSocket(to: WebSocketServer.echo) { socket in
            _ = try await socket.value
            async let first = socket.close()
            async let second = socket.close()
            let closures = await [first, second]
            #expect(closures.allSatisfy { $0.code == .normalClosure })
            #expect(await socket.close().code == .normalClosure)
        }
    }

    // MARK: Cancellation

    @Test func `a cancelled task tells its server, and fails`() async throws {
        let codes = Notes<UInt16?>()
        try await withWebSocket(to: { peer, _ in
            try await peer.open()
            codes.note(try await peer.readFrame().closeCode)
        }) { socket in
            _ = try await socket.value
            async let received = networkingError { try await socket.receive() }
            socket.cancel()
            #expect(try await received.code == .cancelled)
            #expect(socket.state == .completed)
            try await until("the server is told") { !codes.all.isEmpty }
        }
        #expect(codes.all == [1001])
    }

    @Test func `a task that is cancelled before it starts never starts`() async throws {
        try await withSession(SessionConfiguration()) { session in
            let socket = session.webSocket(try #require(URL(string: "ws://127.0.0.1:1/")))
            socket.cancel()
            #expect(try await networkingError { try await socket.value }.code == .cancelled)
            #expect(try await networkingError { try await socket.receive() }.code == .cancelled)
            #expect(session.tasks.isEmpty)
        }
    }

    @Test func `a task can be cancelled at any moment`() async throws {
        try await WebSocketServer.run(WebSocketServer.echo) { server in
            try await withSession(SessionConfiguration()) { session in
                for delay in 0..<60 {
                    let socket = try session.webSocket(to: server)
                    let user = Task {
                        for number in 0... {
                            try await socket.send(.text("\(number)"))
                            _ = try await socket.receive()
                        }
                    }
                    try await Task.sleep(for: .microseconds(delay * 50))
                    socket.cancel()
                    await #expect(throws: NetworkingError.self) { try await user.value }
                }
                try await until("no task is left") { session.tasks.isEmpty }
            }
        }
    }

    @Test func `cancelling a wait leaves the WebSocket open`() async throws {
        try await withWebSocket(to: WebSocketServer.echo) { socket in
            _ = try await socket.value
            for _ in 0..<20 {
                let reader = Task { try await socket.receive() }
                await Task.yield()
                reader.cancel()
                let error = try await networkingError { try await reader.value }
                #expect(error.code == .cancelled)
            }
            try await socket.send("still open")
            try await socket.expect(.text("still open"))
            await socket.close()
        }
    }

    @Test func `a task that is released is cancelled`() async throws {
        let codes = Notes<UInt16?>()
        try await WebSocketServer.run { peer, _ in
            try await peer.open()
            codes.note(try await peer.readFrame().closeCode)
        } _: { server in
            try await withSession(SessionConfiguration()) { session in
                do {
                    let socket = try session.webSocket(to: server)
                    _ = try await socket.value
                }
                try await until("the server is told") { !codes.all.isEmpty }
                try await until("no task is left") { session.tasks.isEmpty }
            }
        }
        #expect(codes.all == [1001])
    }

    @Test func `a session that ends when a WebSocket has just opened tells the server`() async throws {
        let codes = Notes<UInt16?>()
        let count = 400
        try await WebSocketServer.run { peer, _ in
            try await peer.open()
            codes.note(try? await peer.readClose().closeCode)
        } _: { server in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<count {
                    if number >= 8 { try await group.next() }
                    group.addTask {
                        let session = SessionManager()
                        _ = try await session.webSocket(to: server).value
                        await session.shutdown()
                    }
                }
                try await group.waitForAll()
            }
            try await until("all ends are seen") { codes.all.count == count }
        }
        #expect(codes.all.allSatisfy { $0 == 1001 })
    }

    @Test func `the end of the session ends its WebSockets, and leaves no connection`() async throws {
        try await WebSocketServer.run(WebSocketServer.echo) { server in
            let session = SessionManager()
            let socket = try session.webSocket(to: server)
            _ = try await socket.value
            await session.shutdown()
            let error = try await networkingError { try await socket.receive() }
            #expect(error.code == .sessionInvalidated)
            let late = try session.webSocket(to: server)
            #expect(try await networkingError { try await late.value }.code == .sessionInvalidated)
        }
    }

    @Test func `an open WebSocket takes no place from requests`() async throws {
        try await WebSocketServer.run(WebSocketServer.echo) { server in
            try await withSession(SessionConfiguration { $0.maximumConnectionsPerHost = 1 }) { session in
                var sockets: [WebSocketTask] = []
                for _ in 0..<3 {
                    let socket = try session.webSocket(to: server)
                    _ = try await socket.value
                    sockets.append(socket)
                }
                for socket in sockets {
                    try await socket.send("x")
                    try await socket.expect(.text("x"))
                    await socket.close()
                }
            }
        }
    }

    @Test func `closing a suspended task sends what was to be sent, and closes it in order`() async throws {
        let seen = Notes<String>()
        try await withWebSocket(to: { peer, _ in
            try await peer.open()
            seen.note(String(decoding: try await peer.readMessage(), as: UTF8.self))
            try await peer.send(.text("meanwhile"))
            seen.note("close \(try await peer.finish().closeCode ?? 0)")
        }) { socket in
            _ = try await socket.value
            socket.suspend()
            try await socket.send("before")
            let closure = await socket.close(4000)
            #expect(closure.code == 4000)
            let all = try await socket.all()
            #expect(all == [.text("meanwhile")])
        }
        #expect(seen.all == ["before", "close 4000"])
    }

    @Test func `a suspended task can be closed`() async throws {
        try await withWebSocket(
            to: { peer, _ in
                try await peer.open()
                _ = try await peer.drain()
            },
            options: {
                $0.pingInterval = nil
                $0.closeTimeout = .milliseconds(50)
            }
        ) { socket in
            _ = try await socket.value
            socket.suspend()
            let closure = await socket.close()
            #expect(closure.code == .abnormalClosure)
        }
    }
}
