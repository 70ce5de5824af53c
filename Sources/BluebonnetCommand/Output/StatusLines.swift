/// Lines at the bottom of a terminal that are drawn again and again, and are removed before other
/// output.
///
/// It only computes the bytes to write; ``Terminal`` writes them.
struct StatusLines: Equatable, Sendable {
    /// A line as it is drawn.
    struct Row: Equatable, Sendable {
        /// One line, narrower than the terminal; it may have colours.
        var text: String
        /// The columns that it takes.
        var width: Int

        /// A line without colours.
        init(_ text: String) {
            self.init(text, width: ShownText.width(of: text))
        }

        init(_ text: String, width: Int) {
            self.text = text
            self.width = width
        }
    }

    /// What is to be seen at one moment.
    struct Frame: Equatable, Sendable {
        /// Lines that scroll up and stay.
        var finished: [String] = []
        /// The status lines below them.
        var rows: [Row] = []
    }

    /// The lines that are shown; empty when there are none.
    private var shown: [Row] = []
    private var isAtLineStart = true
    private var hasEnded = false

    /// Whether other output has to wait for ``makeWay(for:columns:)``.
    var isShown: Bool { !shown.isEmpty }

    /// Draws the lines over those that are there, unless the cursor is behind other output.
    ///
    /// - Parameters:
    ///   - frame: The lines.
    ///   - columns: The width of the window.
    /// - Returns: The bytes to write.
    mutating func show(_ frame: Frame, columns: Int) -> [UInt8] {
        let rows = hasEnded || !isAtLineStart && frame.finished.isEmpty ? [] : frame.rows
        guard !frame.finished.isEmpty || rows != shown else { return [] }
        var text = isAtLineStart ? start(columns: columns) : "\n"
        isAtLineStart = true
        // Clearing the rest of a line after its text does not flicker.
        for line in frame.finished { text += "\(line)\u{1B}[K\n" }
        text += rows.map { "\($0.text)\u{1B}[K" }.joined(separator: "\n")
        if frame.finished.count + rows.count < Self.height(of: shown, columns: columns) || rows.isEmpty {
            text += "\u{1B}[J"
        }
        shown = rows
        return Array(text.utf8)
    }

    /// Removes the lines.
    mutating func clear(columns: Int) -> [UInt8] {
        guard isShown else { return [] }
        defer { shown = [] }
        return Array("\(start(columns: columns))\u{1B}[J".utf8)
    }

    /// Leaves the lines where they are, and begins below what was written after them.
    mutating func forget() {
        shown = []
        isAtLineStart = true
    }

    /// Removes the lines for good.
    mutating func end(columns: Int) -> [UInt8] {
        hasEnded = true
        return clear(columns: columns)
    }

    /// Removes the lines, since other output follows.
    mutating func makeWay(for bytes: some BidirectionalCollection<UInt8>, columns: Int) -> [UInt8] {
        guard let last = bytes.last else { return [] }
        isAtLineStart = last == UInt8(ascii: "\n")
        return clear(columns: columns)
    }

    /// Moves the cursor to the beginning of the first line that is shown.
    private func start(columns: Int) -> String {
        let height = Self.height(of: shown, columns: columns)
        return height > 1 ? "\r\u{1B}[\(height - 1)A" : "\r"
    }

    /// The lines of the window that they take: in one that became narrower, terminals break those
    /// that do not fit any more.
    private static func height(of rows: [Row], columns: Int) -> Int {
        rows.reduce(0) { $0 + max(1, ($1.width + columns - 1) / max(1, columns)) }
    }
}
