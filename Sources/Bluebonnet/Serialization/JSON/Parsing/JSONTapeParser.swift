/// Checks a text and writes its tape.
///
/// It is a loop without recursion. The word of an open container has the index of its parent and
/// the number of children that the parent had before it; when the container closes, its word gets
/// its end and its count.
///
/// The cost of a text is its bytes and the words written, so that nothing else needs to be counted:
/// each step of a loop moves the position forward, none moves it back, and none reads further ahead
/// than the twelve bytes of two escapes.
enum JSONTapeParser {
    /// The parent in the word of an open container that is the outermost one.
    private static let noParent = 0xFFFF_FFFF

    /// Parses a text.
    /// - Parameters:
    ///   - bytes: The text, followed by `JSONTape.padding` zero bytes.
    ///   - count: The length of the text.
    ///   - maximumDepth: The depth to which containers may be nested; one container is depth 1.
    ///   - words: An empty tape with room for `capacity(for:maximumDepth:)` words. After a failure
    ///     it has the words that were read, for the path in the error.
    /// - Throws: The first failure.
    static func parse(
        _ bytes: Span<UInt8>,
        count: Int,
        maximumDepth: Int,
        into words: inout OutputSpan<UInt64>
    ) throws(JSONScanFailure) {
        var state = State(maximumDepth: maximumDepth)
        do {
            try parse(bytes, count: count, &state, &words)
        } catch {
            // A text that ends too early fails at the padding, beyond its end.
            var failure =
                error.offset >= count && error.reason != .empty && error.reason != .tooDeep
                ? JSONScanFailure(.unexpectedEnd, at: count) : error
            failure.container = state.parent == noParent ? -1 : state.parent
            throw failure
        }
    }

    /// The largest number of words of a text.
    ///
    /// A value takes two bytes at least: a scalar one and a comma, a container its brackets. The
    /// last scalar of a container has no comma, a container that is still open no closing bracket.
    static func capacity(for count: Int, maximumDepth: Int) -> Int {
        count / 2 + min(count, maximumDepth) + 2
    }

    private struct State {
        let maximumDepth: Int
        var position = 0
        var depth = 0
        /// The open container; `noParent` at the top.
        var parent = JSONTapeParser.noParent
        /// The number of children that the open container has so far.
        var children = 0
        var isObject = false
    }

    private static func parse(
        _ bytes: Span<UInt8>,
        count: Int,
        _ state: inout State,
        _ words: inout OutputSpan<UInt64>
    ) throws(JSONScanFailure) {
        skipWhitespace(bytes, &state.position)
        guard state.position < count else { throw JSONScanFailure(.empty, at: count) }
        var hasMore = true
        while hasMore {
            let first = bytes.byte(state.position)
            switch first {
            case UInt8(ascii: "\""):
                try appendString(bytes, &state.position, &words)
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                if try open(bytes, isObject: first == UInt8(ascii: "{"), &state, &words) { continue }
            case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                try appendNumber(bytes, &state.position, &words)
            default:
                try appendWord(bytes, first, &state.position, &words)
            }
            hasMore = try finishValue(bytes, &state, &words)
        }
        skipWhitespace(bytes, &state.position)
        guard state.position == count else { throw JSONScanFailure(.trailingContent, at: state.position) }
    }

    /// Opens a container and moves to its first value, or closes it when it is empty.
    /// - Returns: Whether a value follows.
    @inline(__always)
    private static func open(
        _ bytes: Span<UInt8>,
        isObject: Bool,
        _ state: inout State,
        _ words: inout OutputSpan<UInt64>
    ) throws(JSONScanFailure) -> Bool {
        let kind: JSONTape.Kind = isObject ? .object : .array
        guard state.depth < state.maximumDepth else { throw JSONScanFailure(.tooDeep, at: state.position) }
        state.position += 1
        skipWhitespace(bytes, &state.position)
        if bytes.byte(state.position) == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
            state.position += 1
            words.append(JSONTape.word(kind, offset: words.count + 1))
            return false
        }
        words.append(JSONTape.word(kind, length: state.children, offset: state.parent))
        state.depth += 1
        state.parent = words.count - 1
        state.children = 0
        state.isObject = isObject
        if isObject { try appendKey(bytes, &state.position, &words) }
        return true
    }

    /// Moves from the end of a value to the next one, and closes every container that ends between.
    /// - Returns: Whether a value follows.
    @inline(__always)
    private static func finishValue(
        _ bytes: Span<UInt8>,
        _ state: inout State,
        _ words: inout OutputSpan<UInt64>
    ) throws(JSONScanFailure) -> Bool {
        while state.parent != noParent {
            state.children += 1
            skipWhitespace(bytes, &state.position)
            let next = bytes.byte(state.position)
            if next == UInt8(ascii: ",") {
                state.position += 1
                skipWhitespace(bytes, &state.position)
                if state.isObject {
                    try appendKey(bytes, &state.position, &words)
                } else if bytes.byte(state.position) == UInt8(ascii: "]") {
                    throw JSONScanFailure(.trailingComma, at: state.position)
                }
                return true
            }
            guard next == (state.isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else {
                throw JSONScanFailure(
                    state.isObject ? .expectedCommaOrBrace : .expectedCommaOrBracket,
                    at: state.position
                )
            }
            state.position += 1
            close(&state, &words)
        }
        return false
    }

    @inline(__always)
    private static func close(_ state: inout State, _ words: inout OutputSpan<UInt64>) {
        let open = words[state.parent]
        let kind: JSONTape.Kind = state.isObject ? .object : .array
        words[state.parent] = JSONTape.word(kind, length: state.children, offset: words.count)
        state.parent = JSONTape.offset(of: open)
        state.depth -= 1
        guard state.parent != noParent else { return }
        state.children = JSONTape.length(of: open)
        state.isObject = JSONTape.kind(of: words[state.parent]) == .object
    }

    /// Reads a key, its colon and the whitespace around it.
    @inline(__always)
    private static func appendKey(
        _ bytes: Span<UInt8>,
        _ position: inout Int,
        _ words: inout OutputSpan<UInt64>
    ) throws(JSONScanFailure) {
        guard bytes.byte(position) == UInt8(ascii: "\"") else {
            let isTrailing = bytes.byte(position) == UInt8(ascii: "}")
            throw JSONScanFailure(isTrailing ? .trailingComma : .expectedKey, at: position)
        }
        try appendString(bytes, &position, &words)
        skipWhitespace(bytes, &position)
        guard bytes.byte(position) == UInt8(ascii: ":") else { throw JSONScanFailure(.expectedColon, at: position) }
        position += 1
        skipWhitespace(bytes, &position)
    }

    /// Skips the four whitespace characters of RFC 8259 §2.
    @inline(__always)
    static func skipWhitespace(_ bytes: Span<UInt8>, _ position: inout Int) {
        // Most tokens are followed by no space or by one.
        guard bytes.byte(position) <= 0x20 else { return }
        while isWhitespace(bytes.byte(position)) { position += 1 }
    }

    @inline(__always)
    private static func isWhitespace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }

    /// Reads `null`, `true` or `false`.
    @inline(__always)
    private static func appendWord(
        _ bytes: Span<UInt8>,
        _ first: UInt8,
        _ position: inout Int,
        _ words: inout OutputSpan<UInt64>
    ) throws(JSONScanFailure) {
        let next = bytes.eightBytes(position)
        if next & 0xFFFF_FFFF == 0x6C6C_756E {  // "null"
            words.append(JSONTape.word(.null, offset: position))
            position += 4
        } else if next & 0xFFFF_FFFF == 0x6575_7274 {  // "true"
            words.append(JSONTape.word(.true, offset: position))
            position += 4
        } else if next & 0xFF_FFFF_FFFF == 0x65_736C_6166 {  // "false"
            words.append(JSONTape.word(.false, offset: position))
            position += 5
        } else {
            throw failedWord(bytes, first, position)
        }
    }

    /// The failure at the first wrong letter of one of the three words, or where no value starts.
    private static func failedWord(_ bytes: Span<UInt8>, _ first: UInt8, _ position: Int) -> JSONScanFailure {
        for word in [StaticString("null"), "true", "false"] {
            let letters = Array(word.description.utf8)
            guard letters[0] == first else { continue }
            let same = letters.indices.prefix { bytes.byte(position + $0) == letters[$0] }.count
            return JSONScanFailure(.word, at: position + same)
        }
        return JSONScanFailure(.expectedValue, at: position)
    }
}

extension Span<UInt8> {
    @inline(__always)
    func byte(_ offset: Int) -> UInt8 {
        self[offset]
    }

    /// Eight bytes from anywhere, the first one lowest.
    @inline(__always)
    func eightBytes(_ offset: Int) -> UInt64 {
        // `unsafeLoadUnaligned` checks the bounds and needs no alignment; bytes have no padding,
        // and every bit pattern is a valid integer.
        UInt64(littleEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
}

extension [UInt8] {
    /// Eight bytes from anywhere, the first one lowest.
    @inline(__always)
    func eightBytes(_ offset: Int) -> UInt64 {
        span.eightBytes(offset)
    }
}
