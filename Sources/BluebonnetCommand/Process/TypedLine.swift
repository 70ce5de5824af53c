/// A line that is typed on a terminal, key by key, where the command reads the keys itself.
struct TypedLine: Equatable, Sendable {
    /// The state of the line after a key; only `more` is followed by another key.
    enum Outcome: Equatable, Sendable {
        case more
        case done
        /// Ctrl-C, where the terminal makes no signal of it.
        case interrupted
        /// Ctrl-D in an empty line.
        case ended
    }

    /// The place in what the terminal sends for a key such as an arrow: ESC and a character, or
    /// `ESC [`, parameters and a final byte (ECMA-48 §5.4).
    private enum Sequence: Sendable { case none, escape, control, shifted }

    private(set) var bytes: [UInt8] = []
    private var sequence = Sequence.none

    mutating func type(_ byte: UInt8) -> Outcome {
        if skips(byte) { return .more }
        switch byte {
        case 0x0A, 0x0D: return .done
        case 0x03: return .interrupted
        case 0x04: return bytes.isEmpty ? .ended : .more
        case 0x08, 0x7F: removeLast()
        case 0x15: bytes = []
        case 0x17: removeLastWord()
        default: bytes.append(byte)
        }
        return .more
    }

    /// Whether a byte belongs to a key that changes nothing. A line end never does.
    private mutating func skips(_ byte: UInt8) -> Bool {
        switch (sequence, byte) {
        case (_, 0x0A), (_, 0x0D), (_, 0x03): sequence = .none
        case (_, 0x1B): sequence = .escape
        case (.none, _): break
        case (.escape, UInt8(ascii: "[")): sequence = .control
        case (.escape, UInt8(ascii: "O")): sequence = .shifted
        case (.control, 0x20..<0x40): break
        case (.escape, _), (.control, _), (.shifted, _):
            sequence = .none
            return true
        }
        return sequence != .none
    }

    /// Removes a whole character of UTF-8.
    private mutating func removeLast() {
        while let last = bytes.popLast(), last & 0xC0 == 0x80 {}
    }

    /// Removes the last word and the spaces behind it, as terminals do with Ctrl-W.
    private mutating func removeLastWord() {
        while bytes.last == UInt8(ascii: " ") { bytes.removeLast() }
        while let last = bytes.last, last != UInt8(ascii: " ") { bytes.removeLast() }
    }
}
