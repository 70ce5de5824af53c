import Foundation
import LocalServer
import NIOCore
import Testing

@testable import Bluebonnet

/// The bytes of a server before they are messages.
@Suite struct WebSocketIntakeTests {
    private static let deflate = PerMessageDeflate()

    private func intake(room: Int, deflate: PerMessageDeflate? = nil) -> WebSocketIntake {
        WebSocketIntake(WebSocketMessageReader(WebSocketOptions(), deflate: deflate), room: room)
    }

    private func bytes(_ frames: [WebSocketFrame]) -> ByteBuffer { ByteBuffer(bytes: frames.flatMap(\.bytes)) }

    /// A message of a million zeros, about a kilobyte of frames.
    private func bomb() throws -> WebSocketFrame {
        let deflater = try #require(WebSocketDeflater(Self.deflate))
        let payload = deflater.deflate(ByteBuffer(repeating: 0, count: 1_000_000), isLast: true)
        return WebSocketFrame(2, Array(buffer: payload), reservedBits: 0b100)
    }

    @Test func `messages are read while they have room, and the rest when they have it again`() throws {
        var intake = intake(room: 100)
        // Each counts 32 bytes more than it has.
        intake.append(bytes((0..<5).map { .text("\($0)" + String(repeating: "x", count: 17)) }))
        let event1 = try intake.next()
        #expect(event1 == nil)
        #expect(intake.messages.count == 3 && intake.size == 150 && intake.byteCount == 54)
        #expect(!intake.isRead)
        let event2 = try intake.next()
        #expect(event2 == nil)
        #expect(intake.messages.count == 3)
        let taken = intake.takeMessages()
        #expect(taken.first == .text("0" + String(repeating: "x", count: 17)))
        #expect(intake.size == 0)
        intake.room = -1
        let event3 = try intake.next()
        #expect(event3 == nil)
        #expect(intake.messages.isEmpty && !intake.isRead)
        intake.room = 0
        let event4 = try intake.next()
        #expect(event4 == nil)
        #expect(intake.messages.count == 1 && !intake.isRead)
        intake.room = 1000
        let event5 = try intake.next()
        #expect(event5 == nil)
        #expect(intake.messages.count == 2 && intake.isRead)
    }

    @Test func `of messages that are large when decompressed, one is made at a time`() throws {
        var intake = intake(room: 1000, deflate: Self.deflate)
        // Each with a compressor of its own: no bytes refer to the message before.
        intake.append(bytes(try (0..<50).map { _ in try bomb() }))
        for _ in 0..<50 {
            let event6 = try intake.next()
            #expect(event6 == nil)
            let taken16 = intake.takeMessages()
            #expect(taken16.map(\.byteCount) == [1_000_000])
        }
        #expect(intake.isRead)
    }

    @Test func `however large the room is, messages are read in parts`() throws {
        var intake = intake(room: .max, deflate: Self.deflate)
        intake.append(bytes(try (0..<50).map { _ in try bomb() }))
        let event7 = try intake.next()
        #expect(event7 == nil)
        #expect(!intake.isRead)
        #expect(intake.size <= WebSocketIntake.mostAtOnce + 1_000_032)
    }

    @Test func `empty messages count, too`() throws {
        var intake = intake(room: 1000)
        intake.append(bytes(Array(repeating: WebSocketFrame(2), count: 10_000)))
        let event8 = try intake.next()
        #expect(event8 == nil)
        #expect(intake.messages.count == 32)
    }

    @Test func `the events between messages come in their order, and need no room`() throws {
        var intake = intake(room: 0)
        intake.append(bytes([.ping([1]), .text("a")]))
        intake.append(bytes([.ping([2]), .text("b"), .close(1000)]))
        let event9 = try intake.next()
        #expect(event9 == .ping(ByteBuffer(bytes: [1])))
        let event10 = try intake.next()
        #expect(event10 == nil)
        #expect(intake.messages == [.text("a")])
        _ = intake.takeMessages()
        let event11 = try intake.next()
        #expect(event11 == .ping(ByteBuffer(bytes: [2])))
        let event12 = try intake.next()
        #expect(event12 == nil)
        let taken17 = intake.takeMessages()
        #expect(taken17 == [.text("b")])
        let event13 = try intake.next()
        #expect(event13 == .close(WebSocketClosure(code: .normalClosure)))
    }

    @Test(arguments: [1, 2, 7, 1000])
    func `frames may come in pieces of any size`(size: Int) throws {
        var intake = intake(room: 1000)
        let all = bytes([.text("hello"), WebSocketFrame(2), .ping(), .binary([1, 2, 3])])
        var rest = Array(buffer: all)[...]
        var pings = 0
        while !rest.isEmpty {
            intake.append(ByteBuffer(bytes: rest.prefix(size)))
            rest = rest.dropFirst(size)
            while try intake.next() != nil { pings += 1 }
            #expect(intake.isRead)
        }
        #expect(intake.messages == [.text("hello"), .binary(Data()), .binary(Data([1, 2, 3]))])
        #expect(pings == 1)
    }

    @Test func `messages that are skipped need no room and no memory, and the close is found`() throws {
        var intake = intake(room: 0, deflate: Self.deflate)
        // The rest of a message that has begun is skipped as well, and so is what is no DEFLATE.
        intake.append(bytes([WebSocketFrame(1, Array("be".utf8), isFinal: false)]))
        let event14 = try intake.next()
        #expect(event14 == nil)
        intake.skipMessages()
        let bad = WebSocketFrame(1, [0xFF, 0xFF], reservedBits: 0b100)
        intake.append(bytes([WebSocketFrame(0, Array("gun".utf8)), try bomb(), bad, .close(4000)]))
        let event15 = try intake.next()
        #expect(event15 == .close(WebSocketClosure(code: 4000)))
        #expect(intake.messages.isEmpty)
    }

    @Test func `a fault comes behind the messages before it`() throws {
        var intake = intake(room: 1000)
        intake.append(bytes([.text("whole"), WebSocketFrame(3)]))
        var fault: WebSocketFault?
        do throws(WebSocketFault) {
            _ = try intake.next()
        } catch {
            fault = error
        }
        #expect(fault?.closeCode == .protocolError)
        #expect(intake.messages == [.text("whole")])
        intake.dropBytes()
        #expect(intake.isRead)
    }
}
