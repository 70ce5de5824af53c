/// A frame of HTTP/2 as it is on the wire (RFC 9113 §4.1), also one that breaks the rules.
package struct WireFrame: Sendable, Equatable {
    /// The type of a frame (RFC 9113 §6).
    package struct Kind: RawRepresentable, Sendable, Hashable {
        package var rawValue: UInt8

        package init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        package static let data = Kind(rawValue: 0)
        package static let headers = Kind(rawValue: 1)
        package static let priority = Kind(rawValue: 2)
        package static let resetStream = Kind(rawValue: 3)
        package static let settings = Kind(rawValue: 4)
        package static let pushPromise = Kind(rawValue: 5)
        package static let ping = Kind(rawValue: 6)
        package static let goAway = Kind(rawValue: 7)
        package static let windowUpdate = Kind(rawValue: 8)
        package static let continuation = Kind(rawValue: 9)
        /// PRIORITY_UPDATE (RFC 9218 §7.1).
        package static let priorityUpdate = Kind(rawValue: 16)
    }

    /// The flags of a frame; their meaning depends on its type.
    package struct Flags: OptionSet, Sendable {
        package var rawValue: UInt8

        package init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        package static let endStream = Flags(rawValue: 0x1)
        /// In SETTINGS and PING the bit that END_STREAM has in other frames.
        package static let acknowledgement = Flags(rawValue: 0x1)
        package static let endHeaders = Flags(rawValue: 0x4)
        package static let padded = Flags(rawValue: 0x8)
        package static let priority = Flags(rawValue: 0x20)
    }

    /// A reason for the end of a stream or a connection (RFC 9113 §7).
    package enum ErrorCode: UInt32, Sendable {
        case noError = 0
        case protocolError
        case internalError
        case flowControlError
        case settingsTimeout
        case streamClosed
        case frameSizeError
        case refusedStream
        case cancel
        case compressionError
        case connectError
        case enhanceYourCalm
        case inadequateSecurity
        case http11Required
    }

    /// The name of a setting (RFC 9113 §6.5.2, RFC 8441 §3, RFC 9218 §2.1).
    package enum Setting: UInt16, Sendable {
        case headerTableSize = 1
        case enablePush
        case maxConcurrentStreams
        case initialWindowSize
        case maxFrameSize
        case maxHeaderListSize
        case enableConnectProtocol = 8
        case noRFC7540Priorities = 9
    }

    /// The type.
    package var kind: Kind

    /// The flags.
    package var flags: Flags

    /// The number of the stream with the reserved bit; 0 is the connection.
    package var stream: Int

    /// The length that the header of the frame states, in bytes.
    package var length: Int

    /// The bytes after the header of the frame. The record of a server does not keep those of DATA.
    package var payload: [UInt8]

    /// Creates a frame; its stated length is that of the payload if no other one is given.
    package init(
        _ kind: Kind,
        flags: Flags = [],
        stream: Int = 0,
        payload: [UInt8] = [],
        length: Int? = nil
    ) {
        self.kind = kind
        self.flags = flags
        self.stream = stream
        self.length = length ?? payload.count
        self.payload = payload
    }

    /// The frame as bytes: nine of header, then the payload.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(9 + payload.count)
        bytes += [UInt8(truncatingIfNeeded: length >> 16)] + WireFrame.bytes(UInt16(truncatingIfNeeded: length))
        bytes += [kind.rawValue, flags.rawValue] + WireFrame.bytes(UInt32(truncatingIfNeeded: stream))
        return bytes + payload
    }

    /// A number in network byte order.
    static func bytes<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        (1...MemoryLayout<Number>.size).map { index in
            UInt8(truncatingIfNeeded: number >> ((MemoryLayout<Number>.size - index) * 8))
        }
    }

    /// The number in network byte order that begins at this place of the payload, or nil when the
    /// payload is shorter.
    package func number<Number: FixedWidthInteger>(at offset: Int, as type: Number.Type) -> Number? {
        let end = offset + MemoryLayout<Number>.size
        guard payload.count >= end else { return nil }
        return payload[offset..<end].reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) }
    }

    /// The error code of RST_STREAM or GOAWAY, if it is one of RFC 9113.
    package var errorCode: ErrorCode? {
        switch kind {
        case .resetStream: number(at: 0, as: UInt32.self).flatMap(ErrorCode.init)
        case .goAway: number(at: 4, as: UInt32.self).flatMap(ErrorCode.init)
        default: nil
        }
    }

    /// The settings of a SETTINGS frame by their numbers, in order.
    package var settings: [(name: UInt16, value: UInt32)] {
        guard kind == .settings else { return [] }
        return stride(from: 0, to: payload.count, by: 6).compactMap { offset in
            guard let name = number(at: offset, as: UInt16.self), let value = number(at: offset + 2, as: UInt32.self)
            else { return nil }
            return (name, value)
        }
    }

    /// The payload without padding and priority (RFC 9113 §6.1, §6.2); nil when there is more
    /// padding than payload.
    var content: ArraySlice<UInt8>? {
        var content = payload[...]
        var padding = 0
        if flags.contains(.padded), kind == .data || kind == .headers {
            guard let first = content.popFirst() else { return nil }
            padding = Int(first)
        }
        if kind == .headers, flags.contains(.priority) {
            guard content.count >= 5 else { return nil }
            content = content.dropFirst(5)
        }
        guard content.count >= padding else { return nil }
        return content.dropLast(padding)
    }
}
