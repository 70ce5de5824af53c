import Bluebonnet
import FoundationEssentials

/// Writes the body of an answer to standard output.
struct BodyPrinter {
    let style: OutputStyle
    let output: StandardStream

    /// What became of the body.
    enum Outcome: Equatable {
        case shown
        /// It is binary, and the output is a terminal.
        case withheld
    }

    /// Writes the body: JSON formatted when that is wanted, everything else as it comes.
    ///
    /// - Throws: `NetworkingError`.
    func print(_ body: ResponseBody, of head: ResponseHead) async throws -> Outcome {
        if style.formats || style.colors, MediaType.isJSON(head.mediaType) {
            let bytes = try await body.collect()
            if let value = try? JSONValue(parsing: bytes) {
                output.write(line: JSONText.render(value, style: style))
                return .shown
            }
            return try await write(.data(bytes))
        }
        return try await write(body)
    }

    private func write(_ body: ResponseBody) async throws -> Outcome {
        var last: UInt8?
        for try await piece in body {
            // Text has no NUL; what has one would upset the terminal.
            if style.isTerminal, piece.contains(0) { return .withheld }
            output.write(piece)
            last = piece.last
        }
        // The prompt of the shell begins on a line of its own.
        if style.isTerminal, let last, last != UInt8(ascii: "\n") { output.write("\n".utf8) }
        return .shown
    }
}
