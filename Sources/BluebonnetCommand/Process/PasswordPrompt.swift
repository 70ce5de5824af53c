#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Asks for a password on the terminal, which does not show it.
enum PasswordPrompt {
    /// What has been typed, key by key.
    struct Line: Equatable, Sendable {
        /// What a key does.
        enum Outcome: Equatable, Sendable {
            case more
            case done
            /// Ctrl-C, which the terminal does not make a signal of meanwhile.
            case interrupted
            /// Ctrl-D where nothing has been typed.
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

        /// A whole character of UTF-8.
        private mutating func removeLast() {
            while let last = bytes.popLast(), last & 0xC0 == 0x80 {}
        }
    }

    /// Asks.
    ///
    /// - Parameter question: What is written before the place where nothing appears.
    /// - Returns: The bytes up to the end of the line.
    /// - Throws: ``CommandFailure`` when there is no terminal, or no password was given.
    static func ask(_ question: String) throws(CommandFailure) -> [UInt8] {
        // Standard input may be the body. The C functions use what they are given while they run.
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

/// A terminal that does not show what is typed, until it is told to, or a signal ends the process:
/// the shell behind the command is to show it again in either case.
private struct HiddenTerminal {
    private static let numbers = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

    private let descriptor: Int32
    private let handlers: [(number: Int32, handler: TerminationSignals.Handler)]

    // What the handler of signals reads. Written before a handler stands that could read it; a
    // process asks for one password at a time. Behind a pointer, because a handler must not take
    // part in the run-time checks of access to variables.
    private nonisolated(unsafe) static let restored =
        UnsafeMutablePointer<(descriptor: Int32, modes: termios)>.allocate(capacity: 1)

    /// Hides what is typed. Nil when this is no terminal.
    init?(_ descriptor: Int32) {
        var modes = termios()
        guard unsafe tcgetattr(descriptor, &modes) == 0 else { return nil }
        self.descriptor = descriptor
        unsafe Self.restored.initialize(to: (descriptor, modes))
        handlers = Self.numbers.map { number in
            let handler = signal(number) { number in
                // POSIX allows these functions in a handler (XSH 2.4.3). The signal ends the
                // process when this returns. In the background, the terminal is the shell's
                // already, and changing it would stop the process.
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
