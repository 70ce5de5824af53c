import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The lines that a person types at the bottom of the terminal, while messages are printed above.
///
/// The terminal would show each key where the cursor is, and a message that comes meanwhile would
/// be in the middle of the line. So the line is shown as a status line: it is removed before other
/// output, and shown again below it.
final class TypedLines: Sendable {
    private struct State {
        var line = TypedLine()
        /// The bytes that were read behind the end of a line.
        var rest: [UInt8] = []
        /// The modes of the terminal while lines are typed.
        var modes: TerminalModes?
    }

    private let state = Mutex(State())
    /// Held while something is drawn, so that no older line is drawn over a newer one. The state is
    /// not locked meanwhile: a terminal that Ctrl-S has stopped takes nothing.
    private let drawing = Mutex(())
    private let paint: Paint

    /// Nil where standard input and standard error are not the terminal of the command, or where it
    /// only writes line by line.
    init?() {
        let style = OutputStyle(.auto, for: .error)
        guard StandardInput.isTerminal, style.redraws, tcgetpgrp(0) == getpgrp() else { return nil }
        paint = Paint(style)
    }

    /// Begins with an empty line.
    func begin() {
        state.withLock { $0.modes = TerminalModes(0, .ownLines) }
        show()
    }

    /// Waits until a line is complete.
    ///
    /// - Returns: The line with its end, or nil at Ctrl-D in an empty line.
    /// - Throws: ``SystemFailure``.
    func next() throws(SystemFailure) -> [UInt8]? {
        let keys = InputFile(descriptor: 0)
        while true {
            let (line, outcome) = type()
            if outcome == .done { return line + [UInt8(ascii: "\n")] }
            show()
            guard outcome == .more, let block = try keys.next() else { break }
            state.withLock { $0.rest += block }
        }
        end()
        return nil
    }

    /// Types the keys that were read, up to the end of a line.
    private func type() -> ([UInt8], TypedLine.Outcome) {
        let (bytes, outcome) = state.withLock { state -> ([UInt8], TypedLine.Outcome) in
            for (index, byte) in state.rest.enumerated() {
                let outcome = state.line.type(byte)
                guard outcome != .more else { continue }
                state.rest.removeFirst(index + 1)
                let bytes = state.line.bytes
                if outcome == .done { state.line = TypedLine() }
                return (bytes, outcome)
            }
            state.rest = []
            return ([], .more)
        }
        if outcome == .done { drawing.withLock { _ in finish(bytes) } }
        return (bytes, outcome)
    }

    /// Shows the line, after other output has removed it.
    func show() {
        drawing.withLock { _ in
            guard let bytes = state.withLock({ $0.modes == nil ? nil : $0.line.bytes }) else { return }
            Terminal.shared.show { size in
                // The cursor stands behind the text.
                let text = ShownText.shortened(Self.text(of: bytes), to: max(0, size.columns - 3))
                let row = StatusLines.Row(paint("> ", .faint) + text, width: 2 + ShownText.width(of: text))
                return StatusLines.Frame(rows: [row])
            }
        }
    }

    /// Shows the line again, in modes that are set again, after the shell has continued the
    /// process.
    func showAgain() {
        state.withLock { $0.modes?.setAgain() }
        Terminal.shared.forgetStatus()
        show()
    }

    /// Gives the terminal back. A line that was begun is left there, and is not sent. Returns when
    /// that is done, also by another thread.
    func end() {
        drawing.withLock { _ in
            let last = state.withLock { state in
                defer { (state.modes, state.line) = (nil, TypedLine()) }
                return state.modes.map { (modes: $0, bytes: state.line.bytes) }
            }
            guard let last else { return }
            if last.bytes.isEmpty { Terminal.shared.show { _ in StatusLines.Frame() } } else { finish(last.bytes) }
            last.modes.restore()
        }
    }

    /// Leaves a line above the next one.
    private func finish(_ bytes: [UInt8]) {
        let text = paint("> ", .faint) + Self.text(of: bytes)
        Terminal.shared.show { _ in StatusLines.Frame(finished: [text]) }
    }

    private static func text(of bytes: [UInt8]) -> String {
        ShownText.harmless(String(decoding: bytes, as: UTF8.self).replacing("\t", with: " "))
    }
}
