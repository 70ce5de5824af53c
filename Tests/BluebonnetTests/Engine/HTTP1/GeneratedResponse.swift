@testable import Bluebonnet

/// A valid response made of random parts.
struct GeneratedResponse {
    var kind = HTTP1ResponseParser.RequestKind.ordinary
    var bytes: [UInt8] = []

    private let allowsBareLineFeed: Bool

    /// - Parameters:
    ///   - generator: The source of randomness.
    ///   - allowsBareLineFeed: Whether some lines of the head end in LF alone, which NIOHTTP1
    ///     refuses.
    init(using generator: inout SeededGenerator, allowsBareLineFeed: Bool) {
        self.allowsBareLineFeed = allowsBareLineFeed
        kind = Int.random(in: 0..<6, using: &generator) == 0 ? .head : .ordinary
        if Int.random(in: 0..<8, using: &generator) == 0 {
            append("HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n")
        }
        let status = [200, 201, 204, 206, 301, 304, 404, 500, 599].randomElement(using: &generator) ?? 200
        append("HTTP/1.1 \(status)")
        append([" OK", " Not Quite What You Hoped", " ", " \t"].randomElement(using: &generator) ?? "")
        endLine(&generator)
        let framing = Int.random(in: 0..<3, using: &generator)
        let length = Int.random(in: 0..<300, using: &generator)
        let framingField = [0: "Content-Length: \(length)", 1: "Transfer-Encoding: chunked"][framing]
        let count = Int.random(in: 0..<12, using: &generator)
        for position in 0...count {
            if position == count, let framingField {
                append(framingField)
                endLine(&generator)
            } else if position < count {
                field(&generator)
            }
        }
        append("\r\n")
        guard kind != .head, status != 204, status != 304 else { return }
        if framing == 1 {
            chunks(&generator)
        } else {
            data(length, &generator)
        }
    }

    /// Cuts the bytes at random places.
    func pieces(using generator: inout SeededGenerator) -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let most = [3, 40, 4_000].randomElement(using: &generator) ?? 3
            let count = Int.random(in: 1...most, using: &generator)
            pieces.append(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        return pieces
    }

    private static let unusualBytes = "\r\n\0 \t:,;0123456789abcdefHTTP/1.1\u{7F}\u{80}\u{FF}".latin1Bytes

    /// Changes, adds or removes a few bytes.
    mutating func breakSomething(using generator: inout SeededGenerator) {
        for _ in 0..<Int.random(in: 1...4, using: &generator) where bytes.count > 1 {
            let position = Int.random(in: 0..<bytes.count, using: &generator)
            let byte = Self.unusualBytes.randomElement(using: &generator) ?? 0
            switch Int.random(in: 0..<5, using: &generator) {
            case 0: bytes[position] = byte
            case 1: bytes.insert(byte, at: position)
            case 2: bytes[position] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            case 3: bytes.remove(at: position)
            default: bytes.removeLast(position)
            }
        }
    }

    private mutating func append(_ text: String) {
        bytes += text.latin1Bytes
    }

    private mutating func endLine(_ generator: inout SeededGenerator) {
        append(allowsBareLineFeed && Int.random(in: 0..<10, using: &generator) == 0 ? "\n" : "\r\n")
    }

    private mutating func data(_ count: Int, _ generator: inout SeededGenerator) {
        for _ in 0..<count { bytes.append(UInt8.random(in: 0...255, using: &generator)) }
    }

    private static let nameBytes = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
        .latin1Bytes

    private mutating func field(_ generator: inout SeededGenerator) {
        append("x")
        for _ in 0..<Int.random(in: 0..<20, using: &generator) {
            bytes.append(Self.nameBytes.randomElement(using: &generator) ?? 0)
        }
        append([":", ": ", ":\t", ":  "].randomElement(using: &generator) ?? ":")
        let length = Int.random(in: 0..<40, using: &generator)
        for position in 0..<length {
            // Only whitespace inside the value, and only ASCII: NIOHTTP1 shows other bytes
            // differently.
            let isInside = position > 0 && position < length - 1
            let isBlank = isInside && Int.random(in: 0..<6, using: &generator) == 0
            bytes.append(isBlank ? 0x20 : UInt8.random(in: 0x21...0x7E, using: &generator))
        }
        append(["", "", "", " ", " \t"].randomElement(using: &generator) ?? "")
        endLine(&generator)
    }

    private mutating func chunks(_ generator: inout SeededGenerator) {
        for _ in 0..<Int.random(in: 0..<5, using: &generator) {
            let size = Int.random(in: 1..<60, using: &generator)
            append(String(repeating: "0", count: Int.random(in: 0..<3, using: &generator)))
            append(String(size, radix: 16, uppercase: Bool.random(using: &generator)))
            append(["", "", ";name=value", ";name=\"quoted\""].randomElement(using: &generator) ?? "")
            append("\r\n")
            data(size, &generator)
            append("\r\n")
        }
        append("0\r\n")
        for _ in 0..<Int.random(in: 0..<3, using: &generator) { field(&generator) }
        append("\r\n")
    }
}
