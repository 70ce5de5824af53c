import NIOCore

/// What a server has sent, a frame or a part of one (RFC 9113 §6). It is well-formed by itself.
struct HTTP2Frame {
    enum Payload {
        /// A DATA frame begins. `windowLength` is what it takes of the windows: the payload with
        /// its padding (RFC 9113 §6.9.1).
        case dataBegins(windowLength: Int, isEmpty: Bool, endsStream: Bool)
        /// A part of the DATA frame that has begun.
        case data(ByteBuffer, windowLength: Int, endsStream: Bool)
        /// HEADERS with its CONTINUATION frames: a whole field block.
        case fields(ByteBuffer, endsStream: Bool)
        case priority
        case reset(HTTP2Code)
        case settings(HTTP2Settings)
        case settingsAcknowledgement
        case pushPromise
        case ping(UInt64)
        case pingAcknowledgement(UInt64)
        case goAway(HTTP2Code, lastStream: Int)
        case windowUpdate(Int)
    }

    let stream: Int
    let payload: Payload
}

extension HTTP2Frame {
    /// A type of frames (RFC 9113 §6, RFC 9218 §7.1).
    struct Kind: Hashable {
        let rawValue: UInt8

        static let data = Self(rawValue: 0x0)
        static let headers = Self(rawValue: 0x1)
        static let priority = Self(rawValue: 0x2)
        static let resetStream = Self(rawValue: 0x3)
        static let settings = Self(rawValue: 0x4)
        static let pushPromise = Self(rawValue: 0x5)
        static let ping = Self(rawValue: 0x6)
        static let goAway = Self(rawValue: 0x7)
        static let windowUpdate = Self(rawValue: 0x8)
        static let continuation = Self(rawValue: 0x9)
        static let priorityUpdate = Self(rawValue: 0x10)
    }

    /// The flags of frames; each has its meaning for some types (RFC 9113 §6).
    struct Flags: OptionSet {
        let rawValue: UInt8

        static let acknowledgement = Self(rawValue: 0x1)
        static let endStream = Self(rawValue: 0x1)
        static let endHeaders = Self(rawValue: 0x4)
        static let padded = Self(rawValue: 0x8)
        static let priority = Self(rawValue: 0x20)
    }

    /// What every frame begins with (RFC 9113 §4.1).
    struct Header {
        let length: Int
        let kind: Kind
        let flags: Flags
        let stream: Int

        /// The bytes that it takes.
        static let length = 9

        /// Reads a header; nil where the bytes are fewer.
        init?(_ bytes: ByteBuffer) {
            let start = bytes.readerIndex
            guard let first: UInt32 = bytes.getInteger(at: start),
                let second: UInt8 = bytes.getInteger(at: start + 4),
                let stream: UInt32 = bytes.getInteger(at: start + 5)
            else { return nil }
            length = Int(first >> 8)
            kind = Kind(rawValue: UInt8(truncatingIfNeeded: first))
            flags = Flags(rawValue: second)
            // §4.1: the reserved bit is ignored.
            self.stream = Int(stream & 0x7FFF_FFFF)
        }
    }

    /// The largest payload there is before anything else was said, which is also what this client
    /// takes (RFC 9113 §6.5.2).
    static let leastSize = 16_384
    /// The largest that a setting may allow.
    static let mostSize = 16_777_215
}

extension ByteBuffer {
    /// Appends the header of a frame.
    mutating func writeHeader(
        _ kind: HTTP2Frame.Kind,
        _ flags: HTTP2Frame.Flags = [],
        length: Int,
        stream: Int
    ) {
        writeInteger(UInt32(truncatingIfNeeded: length) &<< 8 | UInt32(kind.rawValue))
        writeMultipleIntegers(flags.rawValue, UInt32(truncatingIfNeeded: stream))
    }
}
