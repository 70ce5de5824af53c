#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Asks for a password on the terminal, which does not show it.
enum PasswordPrompt {
    /// The line that is typed, key by key.
    struct Line: Equatable, Sendable {
        /// The state of the line after a key; only `more` is followed by another key.
        enum Outcome: Equatable, Sendable {
            case more
            case done
            /// Ctrl-C, of which the terminal makes no signal while it asks.
            case interrupted
            /// Ctrl-D in an empty line.
            case ended
        }

        private(set) var bytes: [UInt8] = []

        mutating func type(_ byte: UInt8) -> Outcome {
            switch byte {
            case 0x0A, 0x0D: return .done
            case 0x03: return .interrupted
            case 0x04: return bytes.isEmpty ? .ended : .more
            case 0x08, 0x7F: removeLast()
            case 0x15: bytes = []
            default: bytes.append(byte)
            }
            return .more
        }

        /// Removes a whole character of UTF-8.
        private mutating func removeLast() {
            while let last = bytes.popLast(), last & 0xC0 == 0x80 {}
        }
    }

    /// Asks for a password.
    ///
    /// - Parameter question: The text in front of the password.
    /// - Returns: The bytes up to the end of the line.
    /// - Throws: ``CommandFailure`` when there is no terminal, or no password was given.
    static func ask(_ question: String) throws(CommandFailure) -> [UInt8] {
        // Standard input may be the body. The C string of the path lives until `open` returns.
        let descriptor = unsafe open("/dev/tty", O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw .usage("There is no terminal to ask for the password; write --auth USER:PASSWORD (USER: for none).")
        }
        defer { close(descriptor) }
        guard tcgetpgrp(descriptor) == getpgrp() else {
            throw .usage("The command runs in the background, where it cannot ask for the password.")
        }
        guard let terminal = HiddenTerminal(descriptor) else { throw .usage("The terminal cannot hide a password.") }
        try? OutputFile(descriptor: descriptor).write(question.utf8)
        let (line, outcome) = read(from: descriptor)
        terminal.show()
        try? OutputFile(descriptor: descriptor).write("\n".utf8)
        switch outcome {
        case .done: return line.bytes
        case .interrupted: TerminationSignals.end(by: SIGINT)
        case .more, .ended: throw .usage("No password was given.")
        }
    }

    private static func read(from descriptor: Int32) -> (Line, Line.Outcome) {
        var line = Line()
        let file = InputFile(descriptor: descriptor)
        while let block = try? file.next() {
            for byte in block {
                let outcome = line.type(byte)
                if outcome != .more { return (line, outcome) }
            }
        }
        return (line, .ended)
    }
}

/// A terminal that does not show what is typed until ``show()`` is called or a signal ends the
/// process: the shell must show it again in both cases.
private struct HiddenTerminal {
    private static let numbers = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

    private let descriptor: Int32
    private let handlers: [(number: Int32, handler: TerminationSignals.Handler)]

    // The values that the signal handler reads. There is no race: they are written before a handler
    // is set that reads them, and a process asks for one password at a time. They are behind a
    // pointer, because a handler must not take part in the run-time checks of exclusive access.
    private nonisolated(unsafe) static let restored =
        UnsafeMutablePointer<(descriptor: Int32, modes: termios)>.allocate(capacity: 1)

    /// Hides what is typed. Nil when the descriptor is not a terminal.
    init?(_ descriptor: Int32) {
        var modes = termios()
        guard unsafe tcgetattr(descriptor, &modes) == 0 else { return nil }
        self.descriptor = descriptor
        unsafe Self.restored.initialize(to: (descriptor, modes))
        handlers = Self.numbers.map { number in
            let handler = signal(number) { number in
                // POSIX allows these functions in a handler (XSH 2.4.3), and the values were
                // written before it was set. The signal ends the process when this returns. In the
                // background, the shell has the terminal, and changing it would stop the process.
                let terminal = unsafe HiddenTerminal.restored.pointee.descriptor
                if tcgetpgrp(terminal) == getpgrp() {
                    unsafe tcsetattr(terminal, TCSAFLUSH, &HiddenTerminal.restored.pointee.modes)
                }
                signal(number, SIG_DFL)
                raise(number)
            }
            if TerminationSignals.isIgnoring(handler) { signal(number, SIG_IGN) }
            return (number, handler)
        }
        modes.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG)
        unsafe tcsetattr(descriptor, TCSAFLUSH, &modes)
    }

    /// Shows again what is typed.
    func show() {
        unsafe tcsetattr(descriptor, TCSAFLUSH, &Self.restored.pointee.modes)
        for (number, handler) in handlers { signal(number, handler) }
    }
}
