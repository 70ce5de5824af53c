import Bluebonnet

/// A failure as it is written on standard error: a sentence for people, or JSON for programs.
enum ErrorReport {
    /// Whether `--json-errors` is among the arguments, which is also for those that cannot be used.
    static let isJSON = CommandLine.arguments.prefix { $0 != "--" }.contains("--json-errors")

    /// Writes the line of a failure.
    static func write(_ failure: CommandFailure) {
        StandardStream.error.write(line: line(failure, isJSON: isJSON))
    }

    /// The line of a failure.
    ///
    /// - Parameters:
    ///   - failure: The failure.
    ///   - isJSON: Whether it is JSON: an object with `error`, as `batch` has it, and `exitStatus`.
    /// - Returns: The line without its end.
    static func line(_ failure: CommandFailure, isJSON: Bool) -> String {
        guard isJSON else { return "\(MainCommand.name): \(ShownText.harmless(failure.message))" }
        let report: JSONValue = [
            "error": ["code": .string(failure.code), "message": .string(failure.message)],
            "exitStatus": JSONValue(Int(failure.status.rawValue)),
        ]
        // A terminal may show it: the characters that steer one are escapes.
        return JSONText.harmless(report.description)
    }
}
