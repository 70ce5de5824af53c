/// What all containers of one decoding share: the tape, the strategies, and where keys were last
/// found.
///
/// Used by one decoding on one thread; a decoder is not `Sendable`.
final class JSONDecodingContext {
    let bytes: [UInt8]
    let words: [UInt64]
    let tape: JSONTape
    let options: JSONBodyDecoder
    /// Whether keys are compared as they are written.
    let hasPlainKeys: Bool

    /// Where a key was last found.
    var cursor = JSONKeyCursor()
    /// The sets of keys met lately, in objects whose keys are not compared as they are written.
    var shapes: [JSONKeyShape] = []
    /// What is remembered of containers to which a type came, or may come, back.
    var notes: [Int: JSONContainerNote] = [:]
    /// The containers with a note, in the order in which they got it.
    var noted: [Int] = []
    /// The objects that are being decoded as dictionaries, whose keys no strategy changes.
    var dictionaries: Set<Int> = [] {
        didSet { lastParent = (0, []) }
    }
    /// Values that are asked for but not there, as `superDecoder(forKey:)` does: indices after the
    /// tape's words.
    var absentValues: [(parent: Int, key: any CodingKey)] = []
    /// For each depth, the child that the last walk to a coding path came to.
    var pathMarks: [PathMark] = []
    /// The container of the last value whose path was asked for, with its own path: errors come in
    /// crowds.
    var lastParent: (container: Int, path: [any CodingKey]) = (0, [])
    /// How many keys coding paths may still have together, see `codingPath(to:)`.
    var keysForPaths: Int
    /// How many keys a coding path may always have: as many as are shown of one.
    static let alwaysWhole = CodingPath.mostParts
    var kinds = JSONTypeKind.Cache()

    /// A child on the way to a value.
    struct PathMark {
        var container: Int
        var child: Int
        var position: Int
        /// Whether the container was decoded as a dictionary.
        var isDictionary: Bool
        var key: any CodingKey
    }

    init(tape: JSONTape, options: JSONBodyDecoder) {
        self.tape = tape
        self.bytes = tape.bytes
        self.words = tape.words
        self.options = options
        hasPlainKeys = options.hasPlainKeys
        // Enough for several paths at each value of what people nest, and for a few of any depth.
        keysForPaths = 65_536 + 8 * tape.bytes.count
    }

    /// The word at an index, that of `null` for a value that is not there.
    @inline(__always)
    func word(at index: Int) -> UInt64 {
        index < words.count ? words[index] : 0
    }

    @inline(__always)
    func kind(at index: Int) -> JSONTape.Kind {
        JSONTape.kind(of: word(at: index))
    }

    @inline(__always)
    func isNull(at index: Int) -> Bool {
        kind(at: index) == .null
    }

    /// The index of the word after a value.
    @inline(__always)
    func end(of index: Int) -> Int {
        let word = word(at: index)
        return word >> JSONTape.kindShift >= JSONTape.Kind.array.rawValue ? JSONTape.offset(of: word) : index + 1
    }

    /// Makes an index that reads as `null` and stands for a key that an object does not have.
    func absentValue(in parent: Int, key: any CodingKey) -> Int {
        absentValues.append((parent, key))
        return words.count + absentValues.count - 1
    }
}
