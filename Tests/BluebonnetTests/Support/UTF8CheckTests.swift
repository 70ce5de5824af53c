import Testing

@testable import Bluebonnet

@Suite struct UTF8CheckTests {
    /// Whether the bytes pass in pieces of so many, and end with a whole character.
    private func passes(_ bytes: [UInt8], pieces: Int) -> Bool {
        var check = UTF8Check()
        for start in stride(from: 0, to: bytes.count, by: pieces) {
            let piece = Array(bytes[start..<min(start + pieces, bytes.count)])
            // The bytes are only read during the call.
            guard unsafe piece.withUnsafeBytes({ unsafe check.take($0) }) else { return false }
        }
        return check.isComplete
    }

    @Test func `every valid text passes however it is cut`() {
        let text = "plain text of some length, κόσμε, €, 𝄞, \u{0}, \u{7F}, \u{7FF}, \u{FFFF}, \u{10FFFF}"
        for pieces in 1...9 { #expect(passes(Array(text.utf8), pieces: pieces), "pieces of \(pieces)") }
    }

    @Test func `the check agrees with the standard library about every three bytes`() {
        let bytes: [UInt8] = [
            0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE,
            0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF,
        ]
        for first in bytes {
            for second in bytes {
                for third in bytes {
                    for fourth in [0x41, 0x80, 0xBF] as [UInt8] {
                        let text = [first, second, third, fourth]
                        let isValid = String(validating: text, as: UTF8.self) != nil
                        #expect(passes(text, pieces: 1) == isValid, "\(text)")
                        #expect(passes(text, pieces: 4) == isValid, "\(text)")
                    }
                }
            }
        }
    }

    @Test func `a fault is found at its first byte`() {
        var check = UTF8Check()
        // A surrogate: its second byte tells.
        let bytes: [UInt8] = [0xED, 0xA0]
        #expect(unsafe bytes[..<1].withUnsafeBytes { unsafe check.take($0) })
        #expect(unsafe !bytes[1...].withUnsafeBytes { unsafe check.take($0) })
    }

    @Test func `a fault behind a long text of ASCII is found`() {
        for length in 0...40 {
            #expect(!passes(Array(repeating: 0x61, count: length) + [0xFF], pieces: 64))
            #expect(!passes(Array(repeating: 0x61, count: length) + [0xC3], pieces: 64))
        }
    }
}
