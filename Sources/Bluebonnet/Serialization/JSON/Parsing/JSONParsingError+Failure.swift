extension JSONParsingError {
    /// Makes the error for users from the failure of the parser.
    init(_ failure: JSONScanFailure, input: JSONInput, words: [UInt64]) {
        let found = Self.character(in: input, at: failure.offset)
        (code, message) = Self.sentence(for: failure.reason, found: found)
        offset = failure.offset
        (line, column) = Self.place(of: failure.offset, in: input)
        let tape = JSONTape(bytes: input.bytes, words: words)
        path = failure.container < 0 ? "" : tape.path(intoOpen: failure.container)
    }

    private static func sentence(for reason: JSONScanFailure.Reason, found: String) -> (Code, String) {
        switch reason {
        case .empty: (.empty, "The text is empty where JSON was expected")
        case .unexpectedEnd: (.unexpectedEnd, "The JSON ends in the middle of a value")
        case .expectedValue: (.syntax, "Expected a JSON value but found \(found)")
        case .expectedKey: (.syntax, "Expected a key in double quotes but found \(found)")
        case .expectedColon: (.syntax, "Expected ':' after the key but found \(found)")
        case .expectedCommaOrBracket: (.syntax, "Expected ',' or ']' after the element but found \(found)")
        case .expectedCommaOrBrace: (.syntax, "Expected ',' or '}' after the value but found \(found)")
        case .trailingComma: (.syntax, "Expected another element after ',' but found \(found)")
        case .trailingContent: (.syntax, "Expected nothing after the JSON value but found \(found)")
        case .word: (.syntax, "Expected null, true or false but found \(found)")
        case .number: (.number, "Expected a digit in the number but found \(found)")
        case .leadingZero: (.number, "A number must not have leading zeros")
        case .controlCharacter: (.string, "A control character in a string must be escaped, but found \(found)")
        case .escape: (.string, "A backslash followed by \(found) is not an escape")
        case .unicodeEscape: (.string, "Expected four hexadecimal digits after \\u but found \(found)")
        case .surrogate: (.string, "A surrogate escape has no other half")
        case .encoding: (.encoding, "The bytes are not valid Unicode")
        case .tooDeep: (.tooDeep, "Arrays and objects are nested deeper than allowed")
        case .tooLarge: (.tooLarge, "The JSON is too large to be parsed in memory")
        case .fragment: (.fragment, "Expected an object or an array at the top but found \(found)")
        }
    }

    private static func character(in input: JSONInput, at offset: Int) -> String {
        guard offset < input.count else { return "the end" }
        let rest = input.bytes[offset..<min(offset + 4, input.count)]
        var decoder = UTF8()
        var iterator = rest.makeIterator()
        guard case .scalarValue(let scalar) = decoder.decode(&iterator) else { return "an invalid byte" }
        let isVisible = scalar.value > 0x20 && !(0x7F..<0xA0).contains(scalar.value)
        return isVisible ? "'\(scalar)'" : "U+" + hexadecimal(scalar.value)
    }

    private static func hexadecimal(_ value: UInt32) -> String {
        let digits = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
    }

    private static func place(of offset: Int, in input: JSONInput) -> (line: Int, column: Int) {
        var line = 1
        var column = 1
        var previous: UInt8 = 0
        for byte in input.bytes.prefix(offset) {
            switch byte {
            case 0x0A where previous == 0x0D:
                break
            case 0x0A, 0x0D:
                line += 1
                column = 1
            // Continuation bytes belong to a scalar that is counted already.
            case 0x80..<0xC0:
                break
            default:
                column += 1
            }
            previous = byte
        }
        return (line, column)
    }
}

extension JSONTape {
    /// The path of the child that was being read in a container that is still open.
    ///
    /// The words of open containers hold their parents, see `JSONTapeParser`.
    func path(intoOpen container: Int) -> String {
        var parts: [String] = []
        var open = container
        var next = words.count
        while open < words.count {
            parts.append(pathPart(in: open, before: next).shortened)
            next = open
            open = Self.offset(of: words[open])
        }
        return CodingPath.text(of: parts.reversed())
    }

    /// The key or index of the child of an open container that starts at, or would start at, an
    /// index.
    private func pathPart(in open: Int, before next: Int) -> String {
        var child = open + 1
        var count = 0
        if Self.kind(of: words[open]) == .array {
            while child < next {
                child = end(of: child)
                count += 1
                spend(1)
            }
            return "[\(count)]"
        }
        var key = -1
        while child < next {
            key = child
            child += 1
            if child < next { child = end(of: child) }
            spend(1)
        }
        return key < 0 ? "" : string(at: key)
    }
}

/// A failure of the parser and its place; ``JSONParsingError`` makes a sentence of it.
struct JSONScanFailure: Error {
    enum Reason {
        case empty, unexpectedEnd, expectedValue, expectedKey, expectedColon, expectedCommaOrBracket
        case expectedCommaOrBrace, trailingComma, trailingContent, word, number, leadingZero, controlCharacter
        case escape, unicodeEscape, surrogate, encoding, tooDeep, tooLarge, fragment
    }

    let reason: Reason
    let offset: Int
    /// The open container of the failure, as an index into the tape; -1 at the top.
    var container = -1

    init(_ reason: Reason, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }
}
