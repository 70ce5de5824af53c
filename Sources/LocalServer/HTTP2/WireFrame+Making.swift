extension WireFrame {
    /// SETTINGS with these values, in order.
    package static func settings(_ settings: [(Setting, UInt32)] = []) -> WireFrame {
        WireFrame(.settings, payload: settings.flatMap { bytes($0.rawValue) + bytes($1) })
    }

    /// The acknowledgement of a SETTINGS frame.
    package static let settingsAcknowledgement = WireFrame(.settings, flags: .acknowledgement)

    /// HEADERS with these fields; the pseudo-header fields are among them, as they are.
    package static func headers(
        _ fields: [(String, String)],
        stream: Int,
        endStream: Bool = false,
        endHeaders: Bool = true
    ) -> WireFrame {
        headers(block: HeaderBlock.literal(fields), stream: stream, endStream: endStream, endHeaders: endHeaders)
    }

    /// HEADERS with these bytes as the beginning of the field block.
    package static func headers(
        block: [UInt8],
        stream: Int,
        endStream: Bool = false,
        endHeaders: Bool = true
    ) -> WireFrame {
        var flags: Flags = []
        if endStream { flags.insert(.endStream) }
        if endHeaders { flags.insert(.endHeaders) }
        return WireFrame(.headers, flags: flags, stream: stream, payload: block)
    }

    /// CONTINUATION with these bytes of a field block.
    package static func continuation(_ block: [UInt8] = [], stream: Int, endHeaders: Bool = true) -> WireFrame {
        WireFrame(.continuation, flags: endHeaders ? .endHeaders : [], stream: stream, payload: block)
    }

    /// DATA with these bytes, whatever the windows of the client are.
    package static func data(
        _ bytes: [UInt8],
        stream: Int,
        endStream: Bool = false,
        padding: UInt8? = nil
    ) -> WireFrame {
        var frame = WireFrame(.data, flags: endStream ? .endStream : [], stream: stream, payload: bytes)
        if let padding {
            frame.flags.insert(.padded)
            frame.payload = [padding] + bytes + [UInt8](repeating: 0, count: Int(padding))
            frame.length = frame.payload.count
        }
        return frame
    }

    /// DATA with this text, whatever the windows of the client are.
    package static func data(_ text: String, stream: Int, endStream: Bool = false) -> WireFrame {
        data(Array(text.utf8), stream: stream, endStream: endStream)
    }

    /// RST_STREAM.
    package static func resetStream(_ code: ErrorCode, stream: Int) -> WireFrame {
        WireFrame(.resetStream, stream: stream, payload: bytes(code.rawValue))
    }

    /// GOAWAY: the last stream that the server may have processed, the reason, and a text.
    package static func goAway(lastStream: Int, _ code: ErrorCode = .noError, text: String = "") -> WireFrame {
        let payload = bytes(UInt32(truncatingIfNeeded: lastStream)) + bytes(code.rawValue) + Array(text.utf8)
        return WireFrame(.goAway, payload: payload)
    }

    /// PING with these eight bytes.
    package static func ping(_ value: UInt64 = 0, acknowledgement: Bool = false) -> WireFrame {
        WireFrame(.ping, flags: acknowledgement ? .acknowledgement : [], payload: bytes(value))
    }

    /// WINDOW_UPDATE; stream 0 is the connection.
    package static func windowUpdate(_ increment: UInt32, stream: Int = 0) -> WireFrame {
        WireFrame(.windowUpdate, stream: stream, payload: bytes(increment))
    }

    /// PUSH_PROMISE of a stream, with the fields of its request.
    package static func pushPromise(_ promised: Int, _ fields: [(String, String)], stream: Int) -> WireFrame {
        let payload = bytes(UInt32(truncatingIfNeeded: promised)) + HeaderBlock.literal(fields)
        return WireFrame(.pushPromise, flags: .endHeaders, stream: stream, payload: payload)
    }

    /// PRIORITY with these bytes (RFC 9113 §6.3: five of them).
    package static func priority(_ payload: [UInt8] = [0, 0, 0, 0, 15], stream: Int) -> WireFrame {
        WireFrame(.priority, stream: stream, payload: payload)
    }
}

/// Field blocks (RFC 7541) made without a dynamic table and without Huffman codes, so that each is
/// independent of those before it.
package enum HeaderBlock {
    /// Literal fields without indexing (RFC 7541 §6.2.2), names and values as they are.
    package static func literal(_ fields: [(String, String)]) -> [UInt8] {
        fields.flatMap { [0] + string($0) + string($1) }
    }

    /// Literal fields with incremental indexing (RFC 7541 §6.2.1).
    package static func indexed(_ fields: [(String, String)]) -> [UInt8] {
        fields.flatMap { [0x40] + string($0) + string($1) }
    }

    /// The first byte of a representation with the number that follows it (RFC 7541 §5.1).
    package static func integer(_ value: Int, prefix bits: Int, first: UInt8 = 0) -> [UInt8] {
        let most = (1 << bits) - 1
        guard value >= most else { return [first | UInt8(value)] }
        var bytes = [first | UInt8(most)]
        var rest = value - most
        while rest >= 128 {
            bytes.append(UInt8(rest & 127) | 128)
            rest >>= 7
        }
        return bytes + [UInt8(rest)]
    }

    private static func string(_ text: String) -> [UInt8] {
        integer(text.utf8.count, prefix: 7) + Array(text.utf8)
    }
}
