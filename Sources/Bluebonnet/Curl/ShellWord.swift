/// Some bytes as one word of a POSIX shell.
///
/// The shell knows bytes and no characters: an apostrophe that carries an accent ends a quotation
/// like any other. So nothing here looks at more than one byte.
package struct ShellWord: Sendable {
    /// The word, quoted where it has to be.
    package let text: String

    /// - Parameter word: The word, without NUL.
    package init(_ word: String) {
        self.init(bytes: word.utf8)
    }

    /// Letters, digits and signs that no shell takes for anything else stay as they are. Other text
    /// is in single quotes, where nothing has a meaning but the single quote, which is written
    /// outside of them. What a terminal would take for keys, and what is not UTF-8, is made by
    /// `printf` from octal numbers.
    ///
    /// - Parameter bytes: The word. No word of a command line can hold NUL: it is lost.
    init(bytes: some BidirectionalCollection<UInt8>) {
        if let word = String(validating: bytes, as: UTF8.self), Self.canCarry(word) {
            text = !word.isEmpty && bytes.allSatisfy(Self.isPlain) ? word : Self.quoted(bytes)
        } else {
            // The shell removes line ends from the end of what a command wrote.
            let ends = bytes.reversed().prefix { $0 == UInt8(ascii: "\n") }
            text =
                "\"$(printf '\(Self.escaped(bytes.dropLast(ends.count)))')\"" + (ends.isEmpty ? "" : Self.quoted(ends))
        }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."),
            UInt8(ascii: "/"), UInt8(ascii: "@"), UInt8(ascii: ":"):
            true
        default: false
        }
    }

    private static func quoted(_ bytes: some Collection<UInt8>) -> String {
        let quote = UInt8(ascii: "'")
        var word = [quote]
        word.reserveCapacity(bytes.count + 2)
        for byte in bytes {
            if byte == quote { word += Array("'\\''".utf8) } else { word.append(byte) }
        }
        word.append(quote)
        return String(decoding: word, as: UTF8.self)
    }

    /// A format of `printf` that writes the bytes: plain ones as they are, except where they would
    /// begin an option.
    private static func escaped(_ bytes: some Collection<UInt8>) -> String {
        var format = ""
        for byte in bytes {
            if isPlain(byte), byte != UInt8(ascii: "-") {
                format.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                let digits = String(byte, radix: 8)
                format += "\\" + String(repeating: "0", count: 3 - digits.utf8.count) + digits
            }
        }
        return format
    }

    /// Whether a text can be shown on a terminal, and pasted into one between quotes: control
    /// characters would be taken for keys, or steer it, and some change the direction of the text
    /// behind them (Unicode Standard Annex 9).
    static func canCarry(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            switch scalar.value {
            case 0x0A: true
            case 0..<0x20, 0x7F..<0xA0, 0x202A...0x202E, 0x2066...0x2069: false
            default: true
            }
        }
    }
}
