#if DEBUG
    import Synchronization
#endif

/// A parsed JSON document: its bytes, and one word for each value and key in the order of the text.
///
/// Everything else is made from it when it is needed: the whole `JSONValue`, a `Decodable` type,
/// single numbers and strings. The parser checks the whole text, so that reading a tape cannot
/// fail.
///
/// A word holds, from the lowest bit: 32 bits of offset (into the bytes, or for a container the
/// index of the word after it), 27 bits of length (bytes, elements or keys), 2 flags, 3 bits of
/// kind. Lengths that 27 bits cannot hold are written as the greatest one and counted again when
/// needed.
final class JSONTape: Sendable {
    #if DEBUG
        /// The number of steps of the parser and of all reading of the tape, for tests that count
        /// them.
        let work = Atomic(0)
    #endif

    enum Kind: UInt64 {
        case null, `false`, `true`, number, string, array, object
    }

    /// The greatest depth that is allowed, since values made from a tape are freed recursively.
    static let largestDepth = 2048
    /// Zero bytes after the text, so that eight bytes can be read at every offset and every scan
    /// ends.
    static let padding = 16
    static let largestLength: UInt64 = (1 << 27) - 1
    static let lengthShift: UInt64 = 32
    static let kindShift: UInt64 = 61
    /// The flag of a string with escapes, or a number with a fraction or an exponent.
    static let firstFlag: UInt64 = 1 << 59
    /// The flag of a string with characters beyond ASCII.
    static let secondFlag: UInt64 = 1 << 60

    /// The text in UTF-8, without byte-order mark, and the padding.
    let bytes: [UInt8]
    let words: [UInt64]

    /// Parses a whole text.
    /// - Throws: `JSONParsingError` with the place of the first error.
    init(
        parsing text: some Collection<UInt8>,
        maximumDepth: Int,
        allowsFragments: Bool = true
    ) throws(JSONParsingError) {
        let input = try JSONInput(text)
        let depth = min(max(maximumDepth, 0), Self.largestDepth)
        let capacity = JSONTapeParser.capacity(for: input.count, maximumDepth: depth)
        var failure: JSONScanFailure?
        let words = [UInt64](capacity: capacity) { words in
            do throws(JSONScanFailure) {
                try JSONTapeParser.parse(input.bytes.span, count: input.count, maximumDepth: depth, into: &words)
            } catch {
                failure = error
            }
        }
        if let failure { throw JSONParsingError(failure, input: input, words: words) }
        let first = words.first.map { $0 >> Self.kindShift } ?? 0
        if !allowsFragments, first < Kind.array.rawValue {
            throw JSONParsingError(JSONScanFailure(.fragment, at: 0), input: input, words: [])
        }
        self.bytes = input.bytes
        self.words = words
        spend(words.count)
    }

    /// Makes a tape from parts that are known to belong together.
    init(bytes: [UInt8], words: [UInt64]) {
        self.bytes = bytes
        self.words = words
    }
}

extension JSONTape {
    /// Counts steps; does nothing in a release build.
    @inline(__always)
    func spend(_ steps: Int) {
        #if DEBUG
            work.add(steps, ordering: .relaxed)
        #endif
    }

    static func word(_ kind: Kind, flags: UInt64 = 0, length: Int = 0, offset: Int) -> UInt64 {
        kind.rawValue << kindShift | flags | min(UInt64(length), largestLength) << lengthShift | UInt64(offset)
    }

    @inline(__always)
    func kind(at index: Int) -> Kind {
        Self.kind(of: words[index])
    }

    @inline(__always)
    static func kind(of word: UInt64) -> Kind {
        // Never nil: the parser writes only the seven values of `Kind` into these three bits.
        Kind(rawValue: word >> kindShift) ?? .null
    }

    /// The offset of a string's or a number's text; the index of the word after a container.
    @inline(__always)
    static func offset(of word: UInt64) -> Int {
        Int(word & 0xFFFF_FFFF)
    }

    /// The length in the word, at most `largestLength`.
    @inline(__always)
    static func length(of word: UInt64) -> Int {
        Int(word >> lengthShift & largestLength)
    }

    /// The index of the word after a value.
    @inline(__always)
    func end(of index: Int) -> Int {
        let word = words[index]
        return word >> Self.kindShift >= Kind.array.rawValue ? Self.offset(of: word) : index + 1
    }

    /// The number of elements or keys of a container.
    func count(at index: Int) -> Int {
        let word = words[index]
        let length = Self.length(of: word)
        guard length == Self.largestLength else { return length }
        let isObject = Self.kind(of: word) == .object
        var count = 0
        var child = index + 1
        while child < Self.offset(of: word) {
            child = end(of: isObject ? child + 1 : child)
            count += 1
        }
        return count
    }

    /// The length in bytes of a string as it is written, without its quotes.
    @inline(__always)
    func stringLength(of word: UInt64) -> Int {
        let length = Self.length(of: word)
        return length == Self.largestLength ? longStringLength(of: word) : length
    }

    private func longStringLength(of word: UInt64) -> Int {
        var position = Self.offset(of: word)
        while bytes[position] != UInt8(ascii: "\"") {
            position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
        }
        return position - Self.offset(of: word)
    }

    /// The length in bytes of a number.
    func numberLength(at index: Int) -> Int {
        numberLength(of: words[index])
    }

    @inline(__always)
    func numberLength(of word: UInt64) -> Int {
        let length = Self.length(of: word)
        return length == Self.largestLength ? longNumberLength(of: word) : length
    }

    private func longNumberLength(of word: UInt64) -> Int {
        var position = Self.offset(of: word)
        while JSONTapeParser.isPartOfNumber(bytes[position]) { position += 1 }
        return position - Self.offset(of: word)
    }
}
