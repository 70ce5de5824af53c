/// The state that all containers of one decoding share: the tape, the strategies, and the place
/// where keys were last found.
///
/// Used by one decoding on one thread; a decoder is not `Sendable`.
final class JSONDecodingContext {
    let bytes: [UInt8]
    let words: [UInt64]
    let tape: JSONTape
    let options: JSONBodyDecoder
    /// Whether keys are compared as they are written.
    let hasPlainKeys: Bool

    /// The place where a key was last found.
    var cursor = JSONKeyCursor()
    /// The sets of keys met lately, in objects whose keys are not compared as they are written.
    var shapes: [JSONKeyShape] = []
    /// The notes of containers to which a type returned or may return.
    var notes: [Int: JSONContainerNote] = [:]
    /// The containers with a note, in the order in which they got it.
    var noted: [Int] = []
    /// The objects that are being decoded as dictionaries, whose keys no strategy changes.
    var dictionaries: Set<Int> = [] {
        didSet { lastParent = (0, []) }
    }
    /// Values that are needed but missing, as in `superDecoder(forKey:)`: indices after the
    /// tape's words.
    var absentValues: [(parent: Int, key: any CodingKey)] = []
    /// For each depth, the child at which the last walk to a coding path ended.
    var pathMarks: [PathMark] = []
    /// The container of the last value whose path was needed, with the path of the container: one
    /// error is often followed by others in the same container.
    var lastParent: (container: Int, path: [any CodingKey]) = (0, [])
    /// The number of keys that coding paths may still have together, see `codingPath(to:)`.
    var keysForPaths: Int
    /// The number of keys that a coding path may always have: as many as messages show.
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
        // Enough for several paths at each value of a usual document, and for a few of any depth.
        keysForPaths = 65_536 + 8 * tape.bytes.count
    }

    /// The word at an index; the word of `null` for a missing value.
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

    /// Makes an index for a key that an object does not have; its value is `null`.
    func absentValue(in parent: Int, key: any CodingKey) -> Int {
        absentValues.append((parent, key))
        return words.count + absentValues.count - 1
    }
}
