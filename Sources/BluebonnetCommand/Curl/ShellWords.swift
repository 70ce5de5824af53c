/// The words of a command line as bash splits it: quotes, escapes, `$'…'` and continued lines.
///
/// Nothing is run and nothing is replaced: what only a shell can do is an error.
struct ShellWords {
    /// The words without their quotes, as bytes: `$'\xff'` is no text.
    let words: [[UInt8]]

    /// Splits a line.
    ///
    /// - Parameters:
    ///   - line: The line; a backslash or a quote may continue it on the next one.
    ///   - home: The home folder, for a `~` without quotes in front of a word.
    /// - Throws: ``CommandFailure`` with ``ExitStatus/usage``.
    init(
        _ line: String,
        home: String? = EnvironmentVariables.all["HOME"]
    ) throws(CommandFailure) {
        var reader = Reader(rest: Array(line.utf8)[...], home: home)
        words = try reader.readWords()
    }

    private struct Reader {
        var rest: ArraySlice<UInt8>
        let home: String?
        var words: [[UInt8]] = []
        /// The word that is being read; nil between two of them.
        var word: [UInt8]?

        mutating func readWords() throws(CommandFailure) -> [[UInt8]] {
            while let byte = rest.popFirst() {
                switch byte {
                case 0x20, 0x09, 0x0D: endWord()
                case 0x0A:
                    endWord()
                    guard rest.allSatisfy({ [0x20, 0x09, 0x0D, 0x0A].contains($0) }) || words.isEmpty else {
                        throw .usage("There is more than one command; a backslash continues a line on the next one.")
                    }
                case UInt8(ascii: "'"): try readQuoted()
                case UInt8(ascii: "\""): try readDoubleQuoted()
                case UInt8(ascii: "\\"): readEscaped()
                case UInt8(ascii: "$") where rest.first == UInt8(ascii: "'"):
                    rest.removeFirst()
                    try readANSI()
                case UInt8(ascii: "~") where word == nil: try readTilde()
                case UInt8(ascii: "#") where word == nil: rest = rest.drop { $0 != 0x0A }
                case UInt8(ascii: "^") where rest.first == 0x0A || rest.first == 0x0D || rest.first == 0x22:
                    throw .usage("The line is written for Windows; copy it as cURL (bash) or (POSIX).")
                default:
                    try check(byte, isQuoted: false)
                    append(byte)
                }
            }
            endWord()
            return words
        }

        private mutating func append(_ byte: UInt8) { append(CollectionOfOne(byte)) }

        /// Appends in place: a line may have megabytes of data.
        private mutating func append(_ bytes: some Collection<UInt8>) {
            if word == nil { word = [] }
            word?.append(contentsOf: bytes)
        }

        private mutating func endWord() {
            if let word { words.append(word) }
            word = nil
        }

        private func check(_ byte: UInt8, isQuoted: Bool) throws(CommandFailure) {
            let isExpansion =
                byte == UInt8(ascii: "$")
                && rest.first.map { Self.begins($0) } ?? false
            if isExpansion || byte == UInt8(ascii: "`") {
                throw .usage("The line has a variable or a command in it, which only a shell can replace.")
            }
            guard !isQuoted,
                [
                    UInt8(ascii: "|"), UInt8(ascii: "&"), UInt8(ascii: ";"), UInt8(ascii: "<"),
                    UInt8(ascii: ">"), UInt8(ascii: "("), UInt8(ascii: ")"),
                ].contains(byte)
            else { return }
            let sign = String(decoding: [byte], as: UTF8.self)
            throw .usage("The line has “\(sign)” outside of quotes, which is for a shell; write the URL in quotes.")
        }

        /// Whether a byte behind a dollar sign begins the name of a variable, or an expression.
        private static func begins(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "{"), UInt8(ascii: "("):
                true
            default: false
            }
        }

        private mutating func readEscaped() {
            guard let next = rest.popFirst() else { return append(UInt8(ascii: "\\")) }
            if next == 0x0D, rest.first == 0x0A {
                rest.removeFirst()
            } else if next != 0x0A {
                append(next)
            }
        }

        /// Reads the beginning of a word behind `~`.
        private mutating func readTilde() throws(CommandFailure) {
            let isHome = rest.first.map { [0x20, 0x09, 0x0A, 0x0D, UInt8(ascii: "/")].contains($0) } ?? true
            guard isHome, let home else {
                throw .usage("The line has a “~” without quotes that is not the home folder, for a shell to replace.")
            }
            append(home.utf8)
        }

        private mutating func readQuoted() throws(CommandFailure) {
            guard let end = rest.firstIndex(of: UInt8(ascii: "'")) else { throw Self.unclosed("'") }
            append(rest[..<end])
            rest = rest[(end + 1)...]
        }

        private mutating func readDoubleQuoted() throws(CommandFailure) {
            word = word ?? []
            while let byte = rest.popFirst() {
                switch byte {
                case UInt8(ascii: "\""): return
                case UInt8(ascii: "\\"):
                    guard let next = rest.first else { continue }
                    if next == 0x0A {
                        rest.removeFirst()
                    } else if [UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "$"), UInt8(ascii: "`")].contains(
                        next
                    ) {
                        rest.removeFirst()
                        append(next)
                    } else {
                        append(byte)
                    }
                default:
                    try check(byte, isQuoted: true)
                    append(byte)
                }
            }
            throw Self.unclosed("\"")
        }

        /// Reads `$'…'` behind its quote.
        private mutating func readANSI() throws(CommandFailure) {
            word = word ?? []
            while let byte = rest.popFirst() {
                switch byte {
                case UInt8(ascii: "'"): return
                case UInt8(ascii: "\\"): try readANSIEscape()
                default: append(byte)
                }
            }
            throw Self.unclosed("$'")
        }

        private static let controls: [UInt8: UInt8] = [
            UInt8(ascii: "a"): 7, UInt8(ascii: "b"): 8, UInt8(ascii: "e"): 27, UInt8(ascii: "E"): 27,
            UInt8(ascii: "f"): 12, UInt8(ascii: "n"): 10, UInt8(ascii: "r"): 13, UInt8(ascii: "t"): 9,
            UInt8(ascii: "v"): 11, UInt8(ascii: "\\"): 0x5C, UInt8(ascii: "'"): 0x27, UInt8(ascii: "\""): 0x22,
            UInt8(ascii: "?"): 0x3F,
        ]

        private mutating func readANSIEscape() throws(CommandFailure) {
            guard let kind = rest.first else { throw Self.unclosed("$'") }
            if (UInt8(ascii: "0")...UInt8(ascii: "7")).contains(kind) {
                return try appendNumber(nil, radix: 8, most: 3)
            }
            rest.removeFirst()
            if let control = Self.controls[kind] { return append(control) }
            switch kind {
            case UInt8(ascii: "x"): try appendNumber(kind, radix: 16, most: 2)
            case UInt8(ascii: "u"): try appendNumber(kind, radix: 16, most: 4)
            case UInt8(ascii: "U"): try appendNumber(kind, radix: 16, most: 8)
            case UInt8(ascii: "c"):
                guard let letter = rest.popFirst() else { throw Self.unclosed("$'") }
                try appendNumbered(letter & 0x1F)
            default:
                append(UInt8(ascii: "\\"))
                append(kind)
            }
        }

        private mutating func appendNumbered(_ byte: UInt8) throws(CommandFailure) {
            guard byte != 0 else { throw Self.nul }
            append(byte)
        }

        /// Appends a byte, or with `\u` and `\U` a character, by its number.
        private mutating func appendNumber(_ kind: UInt8?, radix: Int, most: Int) throws(CommandFailure) {
            let digits = rest.prefix(most).prefix {
                let digit = Character(Unicode.Scalar($0)).hexDigitValue
                return digit.map { $0 < radix } ?? false
            }
            rest = rest.dropFirst(digits.count)
            guard let number = UInt32(String(decoding: digits, as: UTF8.self), radix: radix) else {
                append(UInt8(ascii: "\\"))
                if let kind { append(kind) }
                return
            }
            guard kind == UInt8(ascii: "u") || kind == UInt8(ascii: "U") else {
                return try appendNumbered(UInt8(truncatingIfNeeded: number))
            }
            guard number != 0 else { throw Self.nul }
            guard let scalar = Unicode.Scalar(number) else {
                throw .usage("The line has half of a character (\\u\(String(number, radix: 16))).")
            }
            append(String(Character(scalar)).utf8)
        }

        /// Bash ends the text at a NUL.
        private static let nul = CommandFailure.usage(
            "The line has a NUL in it, which no argument of a program can hold."
        )

        private static func unclosed(_ quote: String) -> CommandFailure {
            .usage("The line has a \(quote) that is not closed.")
        }
    }
}
