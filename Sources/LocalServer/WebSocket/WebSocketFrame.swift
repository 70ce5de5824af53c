/// A frame as a test server sends or receives it (RFC 6455 §5.2): right or wrong, as it says.
package struct WebSocketFrame: Sendable, Hashable, CustomStringConvertible {
    /// The first four bits: FIN and the reserved ones.
    package var isFinal: Bool
    /// The three reserved bits.
    package var reservedBits: UInt8
    /// The opcode, also one that there is not.
    package var opcode: UInt8
    /// The payload, without its mask.
    package var payload: [UInt8]
    /// The key that it is masked with; nil for none.
    package var mask: [UInt8]?

    /// Makes a frame.
    package init(
        _ opcode: UInt8,
        _ payload: [UInt8] = [],
        isFinal: Bool = true,
        reservedBits: UInt8 = 0,
        mask: [UInt8]? = nil
    ) {
        self.opcode = opcode
        self.payload = payload
        self.isFinal = isFinal
        self.reservedBits = reservedBits
        self.mask = mask
    }

    /// A text in one frame.
    package static func text(_ text: String) -> WebSocketFrame { WebSocketFrame(1, Array(text.utf8)) }
    /// A binary message in one frame.
    package static func binary(_ bytes: [UInt8]) -> WebSocketFrame { WebSocketFrame(2, bytes) }
    /// A ping.
    package static func ping(_ payload: [UInt8] = []) -> WebSocketFrame { WebSocketFrame(9, payload) }
    /// A pong.
    package static func pong(_ payload: [UInt8] = []) -> WebSocketFrame { WebSocketFrame(10, payload) }

    /// A Close frame; without a code where it is nil.
    package static func close(_ code: UInt16?, _ reason: String = "") -> WebSocketFrame {
        guard let code else { return WebSocketFrame(8) }
        return WebSocketFrame(8, [UInt8(code >> 8), UInt8(code & 0xFF)] + Array(reason.utf8))
    }

    /// The code of a Close frame; nil where it has none.
    package var closeCode: UInt16? {
        guard opcode == 8, payload.count >= 2 else { return nil }
        return UInt16(payload[0]) << 8 | UInt16(payload[1])
    }

    /// The payload as text, with replacements for what is not UTF-8.
    package var text: String { String(decoding: payload, as: UTF8.self) }

    /// The first two bytes and the length, for a payload of a length that need not be there.
    package func header(length: UInt64, minimal: Bool = true) -> [UInt8] {
        let maskBit: UInt8 = mask == nil ? 0 : 0x80
        var bytes = [(isFinal ? 0x80 : 0) | (reservedBits & 7) << 4 | opcode & 0xF]
        switch length {
        case ...125 where minimal: bytes.append(maskBit | UInt8(length))
        case ...0xFFFF where minimal: bytes += [maskBit | 126, UInt8(length >> 8), UInt8(length & 0xFF)]
        default: bytes += [maskBit | 127] + (0..<8).map { UInt8(truncatingIfNeeded: length >> (56 - 8 * $0)) }
        }
        return bytes + (mask ?? [])
    }

    /// The bytes of the whole frame.
    package var bytes: [UInt8] {
        let header = header(length: UInt64(payload.count))
        guard let mask else { return header + payload }
        return header + payload.enumerated().map { $1 ^ mask[$0 % 4] }
    }

    /// The kind and the size, for messages of tests.
    package var description: String {
        "frame(\(isFinal ? "final " : "")\(opcode), reserved \(reservedBits), \(payload.count) bytes)"
    }
}
