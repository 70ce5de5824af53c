#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Asks for a password on the terminal, which does not show it.
enum PasswordPrompt {
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
        guard let modes = TerminalModes(descriptor, .hidden) else {
            throw .usage("The terminal cannot hide a password.")
        }
        try? OutputFile(descriptor: descriptor).write(question.utf8)
        let (line, outcome) = read(from: descriptor)
        modes.restore()
        try? OutputFile(descriptor: descriptor).write("\n".utf8)
        switch outcome {
        case .done: return line.bytes
        case .interrupted: TerminationSignals.end(by: SIGINT)
        case .more, .ended: throw .usage("No password was given.")
        }
    }

    private static func read(from descriptor: Int32) -> (TypedLine, TypedLine.Outcome) {
        var line = TypedLine()
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
