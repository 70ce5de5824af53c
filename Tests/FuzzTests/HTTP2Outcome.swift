import HTTPTypes
import NIOCore
import NIOEmbedded

@testable import Bluebonnet

/// The outcome of the frames of an HTTP/2 server, for bytes and a close of the connection: what the
/// codec hands over for three open requests, and what the reader of fields makes of it.
enum HTTP2Outcome {
    static func of(_ pieces: [ArraySlice<UInt8>]) -> FuzzTarget.Outcome {
        let witness = FrameWitness()
        let channel = EmbeddedChannel()
        do {
            let handler = HTTP2FrameHandler(limits: Limits(headerSection: 4_000, headerLine: 1_000), receiver: witness)
            witness.handler = handler
            try handler.add(to: channel)
            try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
            for stream in [1, 3, 5] {
                let fields = [
                    HTTP2Field(":method", "GET"), HTTP2Field(":scheme", "http"), HTTP2Field(":path", "/"),
                    HTTP2Field(":authority", "a"),
                ]
                // The last one still sends its body.
                handler.send(fields: fields, on: stream, endsStream: stream != 5)
            }
            channel.embeddedEventLoop.run()
            for piece in pieces where !witness.isOver && channel.isActive {
                // A fault is reported to the handler, and is written here as well.
                _ = try? channel.writeInbound(ByteBuffer(bytes: piece))
                channel.embeddedEventLoop.run()
            }
            _ = try? channel.finish(acceptAlreadyClosed: true)
        } catch {
            return FuzzTarget.Outcome(text: "\(error)", kind: "\(error)")
        }
        return FuzzTarget.Outcome(text: witness.text, kind: witness.kind)
    }

    /// A block of fields, read as a head and as trailers.
    static func ofFields(_ input: [UInt8]) throws(FuzzTarget.Violation) -> String {
        var decoder = HPACK.Decoder(limit: 8_000)
        var fields = HTTP2FieldSection()
        do throws(HTTP2Fault) {
            try decoder.decode(input.span, into: &fields)
        } catch {
            return error.clause
        }
        var reader = HTTP2FieldReader(limits: HTTP1Limits(headerSection: 4_000, headerLine: 1_000))
        var kind = "\(FuzzTarget.bucket(fields.entries.count)) \(fields.isTooLarge)"
        let head: HTTP2FieldReader.Head?
        do throws(HTTP2Fault) {
            head = try reader.head(fields)
        } catch {
            head = nil
            kind += " \(error.kind)"
        }
        if let head {
            try check(head, of: fields)
            kind += " \(head.statusCode / 100) \(head.contentLength == nil)"
        }
        do throws(HTTP2Fault) {
            kind += " \(FuzzTarget.bucket(try reader.trailers(fields).count))"
        } catch {
            kind += " \(error.kind)"
        }
        return kind
    }

    /// A head within its limits, with lowercase names alone.
    private static func check(
        _ head: HTTP2FieldReader.Head,
        of fields: HTTP2FieldSection
    ) throws(FuzzTarget.Violation) {
        guard (100..<1_000).contains(head.statusCode), head.byteCount <= 4_000 else {
            throw FuzzTarget.Violation(description: "the head \(head)")
        }
        let response = ResponseHead(received: head.fields, statusCode: head.statusCode, httpVersion: .http2)
        guard response.headerFields.count < fields.entries.count,
            response.headerFields.allSatisfy({ $0.name.rawName == $0.name.canonicalName })
        else { throw FuzzTarget.Violation(description: "the fields \(response.headerFields)") }
    }
}

/// Writes down what the frames of a server are.
private final class FrameWitness: HTTP2FrameReceiver {
    private(set) var kind = ""
    private(set) var isOver = false
    /// Closed at a fault of the connection, as the connection does.
    weak var handler: HTTP2FrameHandler?
    private var events: [String] = []
    /// The streams whose last event was DATA, with its number, so that pieces of a frame are one.
    private var bodies: [Int: (event: Int, bytes: Int, windowLength: Int)] = [:]
    private var machines: [Int: HTTP2Stream.StateMachine] = [:]
    private var reader = HTTP2FieldReader(limits: HTTP1Limits(headerSection: 4_000, headerLine: 1_000))
    private var window = HTTP2ReceiveWindow(size: 8 << 20, available: 8 << 20)

    var text: String { events.joined(separator: "; ") }

    private func note(_ event: String, stream: Int = 0) {
        bodies[stream] = nil
        events.append(event)
    }

    func received(fields: HTTP2FieldSection, on stream: Int, endsStream: Bool) {
        var machine = machines[stream] ?? HTTP2Stream.StateMachine(isHead: stream == 3)
        do throws(HTTP2Fault) {
            if machine.stage == .awaitingHead {
                let head = try reader.head(fields)
                let section = try machine.received(
                    statusCode: head.statusCode,
                    contentLength: head.contentLength,
                    endsStream: endsStream
                )
                note("\(stream) head \(head.statusCode) \(section)", stream: stream)
                kind += "h\(head.statusCode / 100)"
            } else {
                try machine.receivedTrailers(endsStream: endsStream)
                note("\(stream) trailers \(try reader.trailers(fields))", stream: stream)
                kind += "t"
            }
        } catch {
            note("\(stream) \(error.kind)", stream: stream)
            kind += "\(error.kind)"
        }
        machines[stream] = machine
    }

    func received(_ bytes: ByteBuffer, windowLength: Int, on stream: Int, endsStream: Bool) {
        window.receive(windowLength)
        window.take()
        if window.takeIncrement() != nil { kind += "w" }
        var body = bodies[stream] ?? (events.count, 0, 0)
        body.bytes += bytes.readableBytes
        body.windowLength += windowLength
        let text = "\(stream) data \(body.bytes) \(body.windowLength)"
        if body.event == events.count { events.append(text) } else { events[body.event] = text }
        bodies[stream] = body
        guard var machine = machines[stream] else { return }
        do throws(HTTP2Fault) {
            try machine.received(bytes: bytes.readableBytes, endsStream: endsStream)
        } catch {
            kind += "\(error.kind)"
        }
        if endsStream { note("\(stream) end", stream: stream) }
        machines[stream] = machine
    }

    func receivedSettingsAcknowledgement() {
        note("settings acknowledged")
    }

    func receivedReset(_ code: HTTP2Code, on stream: Int) {
        note("\(stream) reset \(code)", stream: stream)
        kind += "r"
    }

    func received(settings change: (inout HTTP2Connection.PeerSettings) -> Void) {
        var machine = HTTP2Connection.StateMachine()
        let growth = machine.apply(change)
        note("settings \(machine.peer) \(growth)")
        kind += "s"
    }

    func receivedGoAway(_ code: HTTP2Code, lastStream: Int) {
        note("goaway \(code) \(lastStream)")
        kind += "g"
    }

    func receivedPingAcknowledgement(_ data: UInt64) {
        note("ping \(data)")
        kind += "p"
    }

    func receivedWindowUpdate(_ increment: Int, on stream: Int) {
        note("\(stream) window \(increment)", stream: stream)
        kind += "u"
    }

    func receivedAll() {}
    func writabilityChanged() {}

    func streamFailed(_ fault: HTTP2Fault, on stream: Int) {
        note("\(stream) fault \(fault.code)", stream: stream)
        kind += " \(fault.code)"
    }

    func connectionFailed(_ fault: HTTP2Fault) {
        note("fault \(fault.code)")
        kind += " \(fault.code)!"
        isOver = true
        handler?.close()
    }

    func inputEnded(reset: (any Error)?) {}

    func removed() {
        isOver = true
    }
}
