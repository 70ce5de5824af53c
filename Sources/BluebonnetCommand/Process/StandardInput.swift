import FoundationEssentials

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Standard input and the kind of file it is.
enum StandardInput {
    /// Whether it is a terminal.
    static var isTerminal: Bool { isatty(0) == 1 }

    /// Whether it is a pipe, a socket or a file, which is meant for the command. A terminal,
    /// `/dev/null` and a closed input are not.
    static var isPiped: Bool {
        if isTerminal { return false }
        // On Linux this link names the descriptor's file: `pipe:[7]`, `socket:[7]` or a path.
        guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/0") else {
            return false
        }
        if target == "/dev/null" { return false }
        let kinds = ["pipe:", "socket:"]
        if kinds.contains(where: target.hasPrefix) || target.hasSuffix(" (deleted)") { return true }
        let type = try? FileManager.default.attributesOfItem(atPath: target)[.type] as? FileAttributeType
        return type.map { $0 != .typeCharacterSpecial && $0 != .typeDirectory } ?? false
    }

    /// Whether the program that called the command has the same standard input, and is not one that
    /// only runs this command (`timeout 5 bluebonnet …`). The input is then not meant for the
    /// command alone: the caller is a script, and may read it, too.
    static var isShared: Bool {
        let files = FileManager.default
        let caller = "/proc/\(getppid())"
        // On Linux these links name the files of the descriptors. Those of another user's process
        // cannot be read.
        guard let own = try? files.destinationOfSymbolicLink(atPath: "/proc/self/fd/0"),
            let theirs = try? files.destinationOfSymbolicLink(atPath: "\(caller)/fd/0"), own == theirs
        else { return false }
        let words = (try? InputFile(path: "\(caller)/cmdline").readToEnd()) ?? []
        return !isWrapper(words, of: CommandLine.arguments)
    }

    /// Whether the arguments of a process end with those of this command.
    ///
    /// - Parameters:
    ///   - words: The arguments of the process, each with a NUL behind it.
    ///   - arguments: Those of this command, its name included.
    /// - Returns: Whether they do, with others in front of them.
    static func isWrapper(_ words: [UInt8], of arguments: [String]) -> Bool {
        let words = words.split(separator: 0, omittingEmptySubsequences: false).dropLast()
        return words.count > arguments.count
            && zip(words.suffix(arguments.count), arguments).allSatisfy { $0.elementsEqual($1.utf8) }
    }

    /// Says that there is input that is not sent, or that there may be some later.
    static func tellIfUnsent() {
        guard isPiped, isShared, mayHaveMore else { return }
        StandardStream.error.write(
            line: "bluebonnet: Standard input is not sent, because the calling program reads it as well. "
                + "Write POST to send it, or --ignore-stdin (-I)."
        )
    }

    /// Says that there are bytes that are not sent, since something else is the body. Input that
    /// the calling program has as well is its own.
    static func tellIfLeftOver() {
        guard isPiped, hasBytes, !isShared else { return }
        StandardStream.error.write(
            line: "bluebonnet: Standard input is not sent. Write @- as the body to send it, or --ignore-stdin (-I)."
        )
    }

    private static var hasBytes: Bool {
        var count: Int32 = 0
        // The call writes one `Int32`, and does not keep the pointer.
        return unsafe ioctl(0, UInt(FIONREAD), &count) == 0 && count > 0
    }

    /// Whether it has bytes, or is a pipe that somebody can still write to.
    private static var mayHaveMore: Bool {
        if hasBytes { return true }
        var entry = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
        // The count is that of the entries, and `poll` does not keep the pointer. A pipe that
        // nobody writes to is at its end, and a file is always ready.
        return unsafe poll(&entry, 1, 0) == 0
    }

    /// The time after which a line says that the command waits.
    private static let patience = Duration.seconds(2)

    /// Reads it to its end. When it has no bytes for two seconds, a line on standard error says
    /// that the command waits for it.
    ///
    /// - Parameter deadline: The end of the waiting; nil waits for ever.
    /// - Returns: All bytes.
    /// - Throws: ``SystemFailure``; its code is `ETIMEDOUT` at the deadline.
    static func readToEnd(until deadline: ContinuousClock.Instant?) throws(SystemFailure) -> [UInt8] {
        let input = try InputFile(path: "-")
        let hint = ContinuousClock.now + patience
        if deadline.map({ hint < $0 }) ?? true, !input.isReadable(until: hint) {
            StandardStream.error.write(
                line: "bluebonnet: Waiting for the body on standard input; with --ignore-stdin nothing is read."
            )
        }
        return try input.readToEnd(until: deadline)
    }
}
