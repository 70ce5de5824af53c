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
    /// Whether it is a pipe, a socket or a file: somebody means to give the command something. A
    /// terminal, `/dev/null` and a closed input are not.
    static var isPiped: Bool {
        if isatty(0) == 1 { return false }
        // Linux tells what a descriptor leads to: `pipe:[7]`, `socket:[7]` or the path of a file.
        guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/0") else {
            return false
        }
        if target == "/dev/null" { return false }
        let kinds = ["pipe:", "socket:"]
        if kinds.contains(where: target.hasPrefix) || target.hasSuffix(" (deleted)") { return true }
        let type = try? FileManager.default.attributesOfItem(atPath: target)[.type] as? FileAttributeType
        return type.map { $0 != .typeCharacterSpecial && $0 != .typeDirectory } ?? false
    }

    /// How long nothing is said about waiting.
    private static let patience = Duration.seconds(2)

    /// Reads it whole. Where nothing comes for two seconds, a line on standard error says what the
    /// command waits for.
    ///
    /// - Parameter deadline: When waiting for its end ends; nil waits for ever.
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
