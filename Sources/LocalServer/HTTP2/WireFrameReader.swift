import NIOCore

/// Finds the preface and the frames in the bytes of a client.
struct WireFrameReader {
    enum Event: Equatable {
        case preface
        case frame(WireFrame)
        /// The bytes do not begin with the preface of RFC 9113 §3.4; nothing after it is read.
        case noPreface
    }

    private enum Place {
        case preface
        case frames
        case lost
    }

    private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    private var place = Place.preface
    private var bytes = ByteBuffer()

    mutating func append(_ buffer: inout ByteBuffer) {
        bytes.discardReadBytes()
        bytes.writeBuffer(&buffer)
    }

    mutating func next() -> Event? {
        switch place {
        case .preface:
            guard let found = bytes.readBytes(length: Self.preface.count) else { return nil }
            place = found == Self.preface ? .frames : .lost
            return place == .frames ? .preface : .noPreface
        case .frames: return nextFrame().map(Event.frame)
        case .lost: return nil
        }
    }

    private mutating func nextFrame() -> WireFrame? {
        var header = bytes
        guard let high = header.readInteger(as: UInt8.self), let low = header.readInteger(as: UInt16.self),
            let kind = header.readInteger(as: UInt8.self), let flags = header.readInteger(as: UInt8.self),
            let stream = header.readInteger(as: UInt32.self),
            let payload = header.readBytes(length: Int(high) << 16 | Int(low))
        else { return nil }
        bytes = header
        return WireFrame(.init(rawValue: kind), flags: .init(rawValue: flags), stream: Int(stream), payload: payload)
    }
}
