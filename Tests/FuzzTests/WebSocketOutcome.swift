import NIOCore

@testable import Bluebonnet

/// The outcome of the frames of a WebSocket server, behind one byte that says what was agreed upon
/// about compression.
enum WebSocketOutcome {
    private typealias Event = WebSocketMessageReader.Event

    private struct Reading {
        var events: [Event] = []
        var fault: WebSocketFault?
    }

    private static let mostBytes = 20_000
    private static let mostFrameBytes = 10_000

    /// Messages and control frames do not depend on how the bytes were cut, nor on the room that
    /// messages have; none is larger than its limit; and who skips messages finds the same control
    /// frames.
    static func of(_ input: [UInt8], cut pieces: [ArraySlice<UInt8>]) throws(FuzzTarget.Violation) -> String {
        guard let first = input.first else { return "nothing" }
        let deflate = agreement(first)
        let whole = read([input.dropFirst()], deflate)
        var (isFirst, rest) = (true, pieces)
        while isFirst, let piece = rest.first {
            if piece.isEmpty { rest.removeFirst() } else { (isFirst, rest[0]) = (false, piece.dropFirst()) }
        }
        for room in [nil, -1, 0, 100] {
            let cut = read(rest, deflate, room: room)
            // Which of two faults of a message is found first depends on the pieces.
            guard cut.events == whole.events, (cut.fault == nil) == (whole.fault == nil) else {
                throw FuzzTarget.Violation(description: "in pieces \(cut), at once \(whole), room \(room ?? .max)")
            }
        }
        for case .message(let message) in whole.events where message.byteCount > mostBytes {
            throw FuzzTarget.Violation(description: "a message of \(message.byteCount) bytes")
        }
        let controls = whole.events.filter { if case .message = $0 { false } else { true } }
        let skipped = read(rest, deflate, skips: true)
        guard skipped.events.starts(with: controls) else {
            throw FuzzTarget.Violation(description: "skipping \(skipped), otherwise \(whole)")
        }
        return "\(deflate == nil) \(whole.events.prefix(3).map(kind)) \(whole.fault?.sentence.prefix(60) ?? "")"
    }

    private static func agreement(_ byte: UInt8) -> PerMessageDeflate? {
        guard byte & 1 == 1 else { return nil }
        var deflate = PerMessageDeflate()
        deflate.hasServerNoContext = byte & 2 == 2
        deflate.serverWindowBits = 8 + Int(byte >> 2 & 7)
        return deflate
    }

    /// Reads pieces. With room, messages are read as a connection does whose messages are taken one
    /// by one.
    private static func read(
        _ pieces: [ArraySlice<UInt8>],
        _ deflate: PerMessageDeflate?,
        room: Int? = nil,
        skips: Bool = false
    ) -> Reading {
        var options = WebSocketOptions()
        options.maximumMessageSize = mostBytes
        options.maximumFrameSize = mostFrameBytes
        var intake = WebSocketIntake(WebSocketMessageReader(options, deflate: deflate), room: room ?? .max)
        if skips { intake.skipMessages() }
        var reading = Reading()
        for piece in pieces where !piece.isEmpty {
            intake.append(ByteBuffer(bytes: piece))
            // A large room is that of all messages: they come in one batch.
            repeat {
                do throws(WebSocketFault) {
                    let event = try intake.next()
                    reading.events += intake.takeMessages().map { .message($0) }
                    if let event { reading.events.append(event) }
                    // Without room, one message is asked for at a time.
                    if room == -1 { intake.room = intake.room < 0 ? 0 : -1 }
                } catch {
                    reading.events += intake.takeMessages().map { .message($0) }
                    reading.fault = error
                    return reading
                }
            } while !intake.isRead
        }
        return reading
    }

    private static func kind(_ event: Event) -> String {
        switch event {
        case .message(.text(let text)): "text\(FuzzTarget.bucket(text.utf8.count))"
        case .message(.binary(let bytes)): "binary\(FuzzTarget.bucket(bytes.count))"
        case .ping: "ping"
        case .pong: "pong"
        case .close(let closure): "close \(closure.code.rawValue / 1000)"
        }
    }
}
