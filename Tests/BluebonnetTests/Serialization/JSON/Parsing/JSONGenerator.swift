/// Random JSON from a seed, the same on every run.
struct JSONGenerator: RandomNumberGenerator {
    private var random: SeededGenerator

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
    }

    mutating func next() -> UInt64 { random.next() }

    /// Chooses one of the values.
    mutating func pick<T>(_ choices: [T]) -> T {
        choices[Int(next() % UInt64(choices.count))]
    }

    /// True once in `count` calls, on average.
    mutating func once(in count: UInt64) -> Bool {
        next() % count == 0
    }

    /// Whitespace, mostly none.
    mutating func space() -> String {
        pick(["", "", "", " ", "\n", "\t", "\r\n", "  "])
    }

    /// A whole document; objects have no key twice.
    mutating func document(depth: Int = 5) -> String {
        space() + value(depth: depth) + space()
    }

    mutating func value(depth: Int) -> String {
        switch next() % (depth > 0 ? 9 : 6) {
        case 0: "null"
        case 1: pick(["true", "false"])
        case 2, 3: number()
        case 4, 5: string()
        case 6: array(depth: depth)
        default: object(depth: depth)
        }
    }

    mutating func array(depth: Int) -> String {
        let elements = (0..<Int(next() % 6)).map { _ in space() + value(depth: depth - 1) + space() }
        return "[" + (elements.isEmpty ? space() : elements.joined(separator: ",")) + "]"
    }

    mutating func object(depth: Int) -> String {
        let count = once(in: 20) ? 40 : Int(next() % 6)
        let members = (0..<count).map { index in
            // The index makes keys differ.
            let key = string().dropLast() + "\(index)\""
            return space() + key + space() + ":" + space() + value(depth: depth - 1) + space()
        }
        return "{" + (members.isEmpty ? space() : members.joined(separator: ",")) + "}"
    }

    mutating func number() -> String {
        switch next() % 8 {
        case 0: "\(Int64(bitPattern: next()))"
        case 1: "\(next())"
        case 2: "\(Int64(next() % 2000) - 1000)"
        case 3: "\(Double(Int64(next() % 2_000_000) - 1_000_000) / 1000)"
        case 4: finite().description
        case 5: "\(next() % 100).\(next() % 1_000_000_000_000)e\(Int(next() % 40) - 20)"
        case 6: pick(["0", "-0", "0.0", "-0.0", "1e5", "1E+2", "1.50", "10e-1", "0.1", "1e-7", "123456789012345678"])
        default: "\(1 + next() % 9)\(next() % 1000)E\(pick(["", "+", "-"]))\(next() % 300)"
        }
    }

    /// A double of any magnitude.
    mutating func finite() -> Double {
        let value = Double(bitPattern: next())
        return value.isFinite && value.isNormal ? value : 0.5
    }

    mutating func string() -> String {
        let pieces = (0..<Int(next() % 8)).map { _ in
            pick([
                "a", "key", "some longer piece of text", "é", "日本語", "😀", "e\u{301}", "\\n", "\\\"", "\\\\", "\\/",
                "\\u00e9", "\\u0000", "\\ud83d\\ude00", "\\t", "\\b\\f\\r", " ", "/", "\u{7F}", "\u{2028}",
            ])
        }
        return "\"" + pieces.joined() + "\""
    }

    /// A text with a few of its bytes changed, dropped, doubled or swapped.
    mutating func mutated(_ text: String) -> [UInt8] {
        var bytes = Array(text.utf8)
        for _ in 0..<(1 + next() % 3) where !bytes.isEmpty {
            let position = Int(next() % UInt64(bytes.count))
            switch next() % 4 {
            case 0: bytes[position] = pick(Array("[]{}:,\"\\0123456789-+.eEtfnu \u{1}é".utf8) + [0xFF, 0xC0, 0xED])
            case 1: bytes.remove(at: position)
            case 2: bytes.insert(bytes[position], at: position)
            default: bytes.swapAt(position, Int(next() % UInt64(bytes.count)))
            }
        }
        return bytes
    }
}
