import FoundationEssentials

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Standard input as somebody has connected it.
enum StandardInput {
    /// Whether it is a pipe, a socket or a file: somebody means to give the command something. A terminal, `/dev/null` and a
    /// closed input are not.
    static var isPiped: Bool {
        // Linux tells what a descriptor leads to: `pipe:[7]`, `socket:[7]` or the path of a file.
        guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/0") else {
            return false
        }
        let kinds = ["pipe:", "socket:"]
        if kinds.contains(where: target.hasPrefix) || target.hasSuffix(" (deleted)") { return true }
        let type = try? FileManager.default.attributesOfItem(atPath: target)[.type] as? FileAttributeType
        return type.map { $0 != .typeCharacterSpecial && $0 != .typeDirectory } ?? false
    }

    /// How long nothing is said about waiting, in milliseconds.
    private static let patience: Int32 = 2000

    /// Reads it whole. Where nothing comes for two seconds, a line on standard error says what the command waits for.
    ///
    /// - Throws: ``SystemFailure``.
    static func readToEnd() throws(SystemFailure) -> [UInt8] {
        var entry = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
        // One entry, and the pointer does not outlive the call.
        if unsafe poll(&entry, 1, patience) == 0 {
            StandardStream.error.write(
                line: "bluebonnet: Waiting for the body on standard input; with --ignore-stdin nothing is read."
            )
        }
        return try InputFile(path: "-").readToEnd()
    }
}
