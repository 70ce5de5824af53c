/// A line at the bottom of a terminal that is drawn again and again, and makes way for everything
/// else that is written.
///
/// Knows what stands in the current line, and says which bytes to write; it writes none.
struct StatusLine: Equatable, Sendable {
    /// What is shown, empty when nothing is.
    private var shown = ""
    private var isAtLineStart = true
    private var hasEnded = false

    /// Whether other output has to wait for ``makeWay(for:)``.
    var isShown: Bool { !shown.isEmpty }

    /// Draws the line, unless other output stands in it.
    ///
    /// - Parameter text: One line, narrower than the terminal.
    /// - Returns: What to write.
    mutating func show(_ text: String) -> [UInt8] {
        guard !hasEnded, isAtLineStart, text != shown else { return [] }
        shown = text
        // Clearing behind the text and not before it does not flicker.
        return Array("\r\(text)\u{1B}[K".utf8)
    }

    /// Takes the line away.
    mutating func clear() -> [UInt8] {
        guard isShown else { return [] }
        shown = ""
        return Array("\r\u{1B}[K".utf8)
    }

    /// Takes the line away for good.
    mutating func end() -> [UInt8] {
        hasEnded = true
        return clear()
    }

    /// Takes the line away, since other output follows.
    mutating func makeWay(for bytes: some BidirectionalCollection<UInt8>) -> [UInt8] {
        guard let last = bytes.last else { return [] }
        isAtLineStart = last == UInt8(ascii: "\n")
        return clear()
    }
}
