import Foundation
import Synchronization
import Testing

@testable import Bluebonnet

/// The messages between callers and a connection.
@Suite(.timeLimit(.minutes(1))) struct WebSocketMailboxTests {
    private final class Carrier: WebSocketMailbox.Carrier {
        private let count = Atomic(0)
        private let readCount = Atomic(0)

        /// How often it was woken.
        var wakes: Int { count.load(ordering: .relaxed) }
        /// How often it was told that there is room again.
        var reads: Int { readCount.load(ordering: .relaxed) }

        func wake() { count.add(1, ordering: .relaxed) }
        func continueReading() { readCount.add(1, ordering: .relaxed) }
    }

    private func open(_ mailbox: WebSocketMailbox) -> Carrier {
        let carrier = Carrier()
        mailbox.opened()
        mailbox.attach(carrier)
        return carrier
    }

    @Test func `a ping wakes a connection that already sends`() async throws {
        let mailbox = WebSocketMailbox(WebSocketOptions())
        let carrier = open(mailbox)
        try await mailbox.send("first")
        #expect(carrier.wakes == 1)
        let ping = Task { try await mailbox.ping() }
        try await until("the connection is woken for the ping") { carrier.wakes == 2 }
        #expect(mailbox.takePings { 7 } == [7])
        mailbox.received(pongTo: 7, after: .seconds(1))
        #expect(try await ping.value == .seconds(1))
    }

    @Test func `room that a reader makes is told, whenever it is made`() async throws {
        let mailbox = WebSocketMailbox(WebSocketOptions { $0.receiveBuffer = 100 })
        let carrier = open(mailbox)
        let large = WebSocketMessage.binary(Data(repeating: 1, count: 1000))
        for _ in 0..<2000 {
            let reader = Task { try await mailbox.next() }
            let reads = carrier.reads
            mailbox.deliver([large])
            // As the connection does: twice to go on at once, and then for its socket.
            let goesOn = mailbox.hasRoom() || mailbox.hasRoom()
            _ = mailbox.hasRoom()
            #expect(try await reader.value == large)
            try #require(goesOn || carrier.reads > reads)
        }
    }

    @Test func `nothing is sent behind a close`() async throws {
        let mailbox = WebSocketMailbox(WebSocketOptions { $0.sendBuffer = 10 })
        let carrier = open(mailbox)
        try await mailbox.send("0123456789")
        let waiting = Task { try await mailbox.send("waits") }
        // The close finds it while it waits, or it finds the close.
        await Task.yield()
        #expect(mailbox.close(nil))
        await #expect(throws: NetworkingError.self) { try await waiting.value }
        let late = try await networkingError { try await mailbox.send("late") }
        #expect(late.code == .webSocketClosed)
        #expect(mailbox.takeOutgoing(upTo: 1000).count == 2)
        #expect(carrier.wakes == 2)
    }

    @Test(arguments: [0, -5, .min])
    func `buffers without room let one message through`(size: Int) async throws {
        let mailbox = WebSocketMailbox(
            WebSocketOptions {
                $0.sendBuffer = size
                $0.receiveBuffer = size
            }
        )
        _ = open(mailbox)
        try await mailbox.send("first")
        #expect(mailbox.takeOutgoing(upTo: 1000).count == 1)
        mailbox.deliver(["one"])
        #expect(!mailbox.hasRoom() && mailbox.room < 0)
        let message = try await mailbox.next()
        #expect(message == "one")
        #expect(mailbox.hasRoom() && mailbox.room == 0)
    }

    @Test func `where a connection sends no more, senders are told, and messages are still read`() async throws {
        let mailbox = WebSocketMailbox(WebSocketOptions { $0.sendBuffer = 10 })
        _ = open(mailbox)
        mailbox.deliver(["before"])
        try await mailbox.send("0123456789")
        async let sent = networkingError { try await mailbox.send("waits") }
        async let pong = networkingError { try await mailbox.ping() }
        // Each of them finds the end, or the end finds it while it waits.
        mailbox.endSending(NetworkingError(.connectionLost, "over"))
        #expect(try await sent.code == .connectionLost)
        #expect(try await pong.code == .connectionLost)
        #expect(try await networkingError { try await mailbox.send("late") }.code == .connectionLost)
        let message = try await mailbox.next()
        #expect(message == "before")
    }
}
