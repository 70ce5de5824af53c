import LocalServer

@testable import Bluebonnet

/// A case of the Autobahn test suite for clients, by its number there: the server sends frames, the
/// client returns each message, and the server looks at what comes.
struct AutobahnCase: Sendable, CustomStringConvertible {
    let number: String
    /// What the server sends, before a Close frame with 1000.
    let frames: [WebSocketFrame]
    /// The messages that come back, as bytes.
    let messages: [[UInt8]]
    /// The payloads of the pongs.
    let pongs: [[UInt8]]
    /// The code of the client's Close frame; nil for one without.
    let closeCode: UInt16?
    /// The size of the pieces in which the server sends.
    let pieces: Int

    init(
        _ number: String,
        _ frames: [WebSocketFrame],
        _ messages: [[UInt8]] = [],
        pongs: [[UInt8]] = [],
        close: UInt16? = 1000,
        pieces: Int = .max
    ) {
        self.number = number
        self.frames = frames
        self.messages = messages
        self.pongs = pongs
        closeCode = close
        self.pieces = pieces
    }

    var description: String { number }

    private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    /// A message in frames.
    private static func fragments(_ opcode: UInt8, _ pieces: [[UInt8]]) -> [WebSocketFrame] {
        pieces.enumerated().map { index, piece in
            WebSocketFrame(index == 0 ? opcode : 0, piece, isFinal: index == pieces.count - 1)
        }
    }

    /// Payloads cut into pieces.
    private static func cut(_ bytes: [UInt8], _ size: Int) -> [[UInt8]] {
        stride(from: 0, to: max(bytes.count, 1), by: size).map { Array(bytes[$0..<min($0 + size, bytes.count)]) }
    }

    static let framing: [AutobahnCase] = [(1, UInt8(1), UInt8(ascii: "*")), (2, 2, 0xFE)].flatMap {
        group,
        opcode,
        byte in
        [
            (0, Int.max), (125, .max), (126, .max), (127, .max), (128, .max), (65_535, .max), (65_536, .max),
            (65_536, 997),
        ]
        .enumerated().map { index, size in
            let payload = Array(repeating: byte, count: size.0)
            let frame = WebSocketFrame(opcode, payload)
            return AutobahnCase("1.\(group).\(index + 1)", [frame], [payload], pieces: size.1)
        }
    }

    static let pings: [AutobahnCase] = {
        let full = Array(repeating: UInt8(0xFE), count: 125)
        let ten = (0..<10).map { bytes("payload-\($0)") }
        return [
            .init("2.1", [.ping()], pongs: [[]]),
            .init("2.2", [.ping(bytes("Hello, world!"))], pongs: [bytes("Hello, world!")]),
            .init("2.3", [.ping([0, 0xFF, 0xFE, 0xFD, 0xFC])], pongs: [[0, 0xFF, 0xFE, 0xFD, 0xFC]]),
            .init("2.4", [.ping(full)], pongs: [full]),
            .init("2.5", [.ping(full + [0xFE])], close: 1002),
            .init("2.6", [.ping(full)], pongs: [full], pieces: 1),
            .init("2.7", [.pong()]),
            .init("2.8", [.pong(bytes("unsolicited"))]),
            .init("2.9", [.pong(bytes("unsolicited")), .ping(bytes("ping"))], pongs: [bytes("ping")]),
            .init("2.10", ten.map { .ping($0) }, pongs: ten),
            .init("2.11", ten.map { .ping($0) }, pongs: ten, pieces: 1),
        ]
    }()

    static let reserved: [AutobahnCase] = {
        let small = WebSocketFrame.text("small")
        let message = bytes("small")
        let bits = [
            AutobahnCase("3.1", [WebSocketFrame(1, message, reservedBits: 1)], close: 1002),
            .init("3.2", [small, WebSocketFrame(1, message, reservedBits: 2), .ping()], [message], close: 1002),
            .init(
                "3.3",
                [small, WebSocketFrame(1, message, reservedBits: 3), .ping()],
                [message],
                close: 1002,
                pieces: 3
            ),
            .init(
                "3.4",
                [small, WebSocketFrame(1, message, reservedBits: 4), .ping()],
                [message],
                close: 1002,
                pieces: 1
            ),
            .init("3.5", [WebSocketFrame(2, message, reservedBits: 5)], close: 1002),
            .init("3.6", [WebSocketFrame(9, message, reservedBits: 6)], close: 1002),
            .init("3.7", [WebSocketFrame(8, reservedBits: 7)], close: 1002),
        ]
        let opcodes = [(1, 3...7), (2, 11...15)].flatMap { group, opcodes in
            opcodes.enumerated().flatMap { index, opcode in
                [
                    AutobahnCase("4.\(group).\(index + 1)", [WebSocketFrame(UInt8(opcode))], close: 1002),
                    AutobahnCase(
                        "4.\(group).\(index + 1)+",
                        [small, WebSocketFrame(UInt8(opcode), message), .ping()],
                        [message],
                        close: 1002,
                        pieces: index % 2 == 0 ? .max : 1
                    ),
                ]
            }
        }
        return bits + opcodes
    }()

    static let fragmentation: [AutobahnCase] = {
        let (one, two) = (bytes("fragment1"), bytes("fragment2"))
        let open = WebSocketFrame(1, one, isFinal: false)
        let end = WebSocketFrame(0, two)
        let more = WebSocketFrame(0, two, isFinal: false)
        let alone = [WebSocketFrame(0, one), WebSocketFrame(0, one, isFinal: false)]
        var cases: [AutobahnCase] = [
            .init("5.1", [WebSocketFrame(9, one, isFinal: false), WebSocketFrame(0, two)], close: 1002),
            .init("5.2", [WebSocketFrame(10, one, isFinal: false), WebSocketFrame(0, two)], close: 1002),
            .init("5.3", [open, end], [one + two]),
            .init("5.4", [open, end], [one + two], pieces: 4),
            .init("5.5", [open, end], [one + two], pieces: 1),
            .init("5.6", [open, .ping(one), end], [one + two], pongs: [one]),
            .init("5.7", [open, .ping(one), end], [one + two], pongs: [one], pieces: 4),
            .init("5.8", [open, .ping(one), end], [one + two], pongs: [one], pieces: 1),
            .init("5.15", [open, end, WebSocketFrame(0, one, isFinal: false), .text("x")], [one + two], close: 1002),
            .init("5.16", [WebSocketFrame(0, one, isFinal: false), open, end], close: 1002),
            .init("5.17", [WebSocketFrame(0, one), open, end], close: 1002),
            .init("5.18", [open, .text("fragment2")], close: 1002),
        ]
        for (index, frame) in alone.enumerated() {
            for (chop, pieces) in [Int.max, 4, 1].enumerated() {
                cases.append(.init("5.\(9 + 3 * index + chop)", [frame, .text("after")], close: 1002, pieces: pieces))
            }
        }
        let five = [open, more, .ping(one), more, more, .ping(two), end]
        let whole = one + two + two + two + two
        for (number, pieces) in [("5.19", Int.max), ("5.20", 1)] {
            cases.append(.init(number, five, [whole], pongs: [one, two], pieces: pieces))
        }
        return cases
    }()

    static let text: [AutobahnCase] = {
        let kosme: [UInt8] = [0xCE, 0xBA, 0xE1, 0xBD, 0xB9, 0xCF, 0x83, 0xCE, 0xBC, 0xCE, 0xB5]
        let hello = bytes("Hello-µ@ßöäüàá-UTF-8!!")
        let bad = kosme + [0xED, 0xA0, 0x80] + bytes("edited")
        var cases: [AutobahnCase] = [
            .init("6.1.1", [.text("")], [[]]),
            .init("6.1.2", fragments(1, [[], [], []]), [[]]),
            .init("6.1.3", fragments(1, [[], bytes("middle frame payload"), []]), [bytes("middle frame payload")]),
            .init("6.2.1", [WebSocketFrame(1, hello)], [hello]),
            .init("6.2.2", fragments(1, [Array(hello[..<12]), Array(hello[12...])]), [hello]),
            .init("6.2.3", fragments(1, cut(hello, 1)), [hello]),
            .init("6.2.4", fragments(1, cut(kosme, 1)), [kosme]),
            .init("6.3.1", [WebSocketFrame(1, bad)], close: 1007),
            .init("6.3.2", fragments(1, cut(bad, 1)), close: 1007),
            // The message does not end: the fault is told all the same.
            .init("6.4.1", [WebSocketFrame(1, kosme + [0xF4, 0x90, 0x80], isFinal: false)], close: 1007),
            .init(
                "6.4.2",
                [WebSocketFrame(1, kosme + [0xF4], isFinal: false), WebSocketFrame(0, [0x90], isFinal: false)],
                close: 1007
            ),
            .init("6.4.3", Array(fragments(1, cut(bad, 1)).dropLast(3)), close: 1007, pieces: 1),
            .init("6.4.4", [WebSocketFrame(1, kosme + [0xF4, 0x90, 0x80, 0x80])], close: 1007, pieces: 1),
        ]
        let valid: [[UInt8]] = [
            kosme, [0x00], [0xC2, 0x80], [0xE0, 0xA0, 0x80], [0xF0, 0x90, 0x80, 0x80], [0x7F], [0xDF, 0xBF],
            [0xEF, 0xBF, 0xBF], [0xF4, 0x8F, 0xBF, 0xBF], [0xED, 0x9F, 0xBF], [0xEE, 0x80, 0x80], [0xEF, 0xBF, 0xBD],
            [0xEF, 0xBF, 0xBE], [0xF0, 0x9F, 0xBF, 0xBE], [0xF3, 0xAF, 0xBF, 0xBF],
        ]
        let invalid: [[UInt8]] = [
            [0xCE], [0xCE, 0xBA, 0xE1], [0xCE, 0xBA, 0xE1, 0xBD], [0xF8, 0x88, 0x80, 0x80, 0x80],
            [0xFC, 0x84, 0x80, 0x80, 0x80, 0x80], [0xF7, 0xBF, 0xBF, 0xBF], [0xFB, 0xBF, 0xBF, 0xBF, 0xBF],
            [0xF4, 0x90, 0x80, 0x80], [0x80], [0xBF], [0x80, 0xBF], [0xC0, 0x20, 0xC1, 0x20], [0xC0], [0xE0, 0x80],
            [0xF0, 0x80, 0x80], [0xDF], [0xEF, 0xBF], [0xF7, 0xBF, 0xBF], [0xFE], [0xFF], [0xFE, 0xFE, 0xFF, 0xFF],
            [0xC0, 0xAF], [0xE0, 0x80, 0xAF], [0xF0, 0x80, 0x80, 0xAF], [0xC1, 0xBF], [0xE0, 0x9F, 0xBF],
            [0xF0, 0x8F, 0xBF, 0xBF], [0xC0, 0x80], [0xE0, 0x80, 0x80], [0xF0, 0x80, 0x80, 0x80], [0xED, 0xA0, 0x80],
            [0xED, 0xAF, 0xBF], [0xED, 0xB0, 0x80], [0xED, 0xBF, 0xBF], [0xED, 0xA0, 0x80, 0xED, 0xB0, 0x80],
        ]
        for (index, bytes) in valid.enumerated() {
            cases.append(.init("6.5–6.22, valid \(index)", [WebSocketFrame(1, bytes)], [bytes]))
            cases.append(.init("6.5–6.22, valid \(index) in pieces", fragments(1, cut(bytes, 1)), [bytes]))
        }
        for (index, bytes) in invalid.enumerated() {
            cases.append(.init("6.6–6.23, invalid \(index)", [WebSocketFrame(1, bytes)], close: 1007))
            cases.append(.init("6.6–6.23, invalid \(index) in pieces", fragments(1, cut(bytes, 1)), close: 1007))
        }
        return cases
    }()

    static let closing: [AutobahnCase] = {
        let message = bytes("Hello World!")
        let close = WebSocketFrame.close(1000)
        let longest = String(repeating: "*", count: 123)
        var cases: [AutobahnCase] = [
            .init("7.1.1", [.text("Hello World!"), close], [message]),
            .init("7.1.2", [close, close]),
            .init("7.1.3", [close, .ping()]),
            .init("7.1.4", [close, .text("Hello World!")]),
            .init("7.1.5", [WebSocketFrame(1, message, isFinal: false), close, WebSocketFrame(0, message)]),
            .init(
                "7.1.6",
                [.text(String(repeating: "B", count: 262_144)), .text("Hello World!"), close, .ping()],
                [Array(repeating: UInt8(ascii: "B"), count: 262_144), message]
            ),
            .init("7.3.1", [.close(nil)], close: nil),
            .init("7.3.2", [WebSocketFrame(8, [0x61])], close: 1002),
            .init("7.3.3", [.close(1000)]),
            .init("7.3.4", [.close(1000, "Hello World!")]),
            .init("7.3.5", [.close(1000, longest)]),
            .init("7.3.6", [.close(1000, longest + "*")], close: 1002),
            .init("7.5.1", [WebSocketFrame(8, [0x03, 0xE8, 0xCE, 0xBA, 0xED, 0xA0, 0x80])], close: 1007),
        ]
        for code in [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 3999, 4000, 4999] as [UInt16] {
            cases.append(.init("7.7, \(code)", [.close(code)], close: code))
        }
        for code in [0, 999, 1004, 1005, 1006, 1016, 1100, 2000, 2999, 5000, 65_535] as [UInt16] {
            cases.append(.init("7.9 and 7.13, \(code)", [.close(code)], close: 1002))
        }
        return cases
    }()

    static let sizes: [AutobahnCase] = {
        var cases: [AutobahnCase] = []
        for (group, opcode) in [(1, UInt8(1)), (2, 2)] {
            for (index, size) in [65_536, 262_144, 1 << 20, 4 << 20].enumerated() {
                let payload = Array(repeating: UInt8(ascii: "*"), count: size)
                cases.append(.init("9.\(group).\(index + 1)", [WebSocketFrame(opcode, payload)], [payload]))
                cases.append(.init("9.\(group + 2).\(index + 1)", fragments(opcode, cut(payload, 4096)), [payload]))
            }
            let payload = Array(repeating: UInt8(ascii: "*"), count: 1 << 18)
            for (index, pieces) in [64, 512, 4096].enumerated() {
                cases.append(
                    .init("9.\(group + 4).\(index + 1)", [WebSocketFrame(opcode, payload)], [payload], pieces: pieces)
                )
            }
            for (index, size) in [0, 16, 64, 256].enumerated() {
                let payload = Array(repeating: UInt8(ascii: "*"), count: size)
                let frame = WebSocketFrame(opcode, payload)
                cases.append(
                    .init(
                        "9.\(group + 6).\(index + 1)",
                        Array(repeating: frame, count: 1000),
                        Array(repeating: payload, count: 1000)
                    )
                )
            }
        }
        let payload = Array(repeating: UInt8(ascii: "*"), count: 65_536)
        cases.append(.init("10.1.1", fragments(1, cut(payload, 1300)), [payload]))
        return cases
    }()
}
