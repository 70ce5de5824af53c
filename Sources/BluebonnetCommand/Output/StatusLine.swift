/// A line at the bottom of a terminal that is drawn again and again, and is removed before other
/// output.
///
/// It only computes the bytes to write; ``Terminal`` writes them.
struct StatusLine: Equatable, Sendable {
    /// The text that is shown; empty when there is none.
    private var shown = ""
    private var isAtLineStart = true
    private var hasEnded = false

    /// Whether other output has to wait for ``makeWay(for:)``.
    var isShown: Bool { !shown.isEmpty }

    /// Draws the line, unless the cursor is behind other output.
    ///
    /// - Parameter text: One line, narrower than the terminal.
    /// - Returns: The bytes to write.
    mutating func show(_ text: String) -> [UInt8] {
        guard !hasEnded, isAtLineStart, text != shown else { return [] }
        shown = text
        // Clearing the rest of the line after the text does not flicker.
        return Array("\r\(text)\u{1B}[K".utf8)
    }

    /// Removes the line.
    mutating func clear() -> [UInt8] {
        guard isShown else { return [] }
        shown = ""
        return Array("\r\u{1B}[K".utf8)
    }

    /// Removes the line for good.
    mutating func end() -> [UInt8] {
        hasEnded = true
        return clear()
    }

    /// Removes the line, since other output follows.
    mutating func makeWay(for bytes: some BidirectionalCollection<UInt8>) -> [UInt8] {
        guard let last = bytes.last else { return [] }
        isAtLineStart = last == UInt8(ascii: "\n")
        return clear()
    }
}
