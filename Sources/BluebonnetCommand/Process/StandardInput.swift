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
