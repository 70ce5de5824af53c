import Bluebonnet
import FoundationEssentials

/// Writes a body to standard output.
struct BodyPrinter {
    let style: OutputStyle
    let output: StandardStream
    /// Picks the values that are shown; nil shows the whole body.
    var filter: JSONFilter?
    /// Whether strings that the filter picks are shown without quotes.
    var unquotesStrings = false
    /// Whether each line is shown as soon as it is received.
    var showsLinesAtOnce = false

    /// Whether the body was shown, and why not.
    enum Outcome: Equatable {
        case shown
        /// There is no body.
        case empty
        /// The body is binary, and the output is a terminal.
        case withheld
        /// There is a filter, and the body is not JSON.
        case notJSON
        /// The filter picked nothing.
        case nothingPicked
    }

    private var changesJSON: Bool { style.formats || style.colors || filter != nil }

    /// Writes the body: JSON formatted and filtered where that is wanted, everything else as it
    /// comes.
    ///
    /// - Throws: `NetworkingError`.
    func print(_ body: ResponseBody, mediaType: String?) async throws -> Outcome {
        if showsLinesAtOnce, changesJSON { return try await writeLines(of: body) }
        if filter != nil || changesJSON && MediaType.isJSON(mediaType) {
            let bytes = try await body.collect()
            if let value = try? JSONValue(parsing: bytes) { return write(value) }
            guard filter == nil else { return .notJSON }
            return try await write(.data(bytes))
        }
        return try await write(body)
    }

    /// Writes the values that the filter picks from a value, one a line.
    private func write(_ value: JSONValue) -> Outcome {
        let values = filter?.values(in: value) ?? [value]
        for value in values {
            let text = unquotesStrings ? value.string : nil
            output.write(line: text ?? JSONText.render(value, style: style))
        }
        return values.isEmpty ? .nothingPicked : .shown
    }

    /// Writes JSON lines, and the lines of server-sent events whose data is JSON. Other lines are
    /// shown as they are, unless there is a filter.
    private func writeLines(of body: ResponseBody) async throws -> Outcome {
        var outcome = filter == nil ? Outcome.empty : .nothingPicked
        for try await line in body.lines {
            let data = line.hasPrefix("data:") ? line.dropFirst(5) : line[...]
            if let value = try? JSONValue(parsing: data.utf8) {
                if write(value) == .shown { outcome = .shown }
            } else if filter == nil {
                outcome = .shown
                output.write(line: line)
            }
        }
        return outcome
    }

    private func write(_ body: ResponseBody) async throws -> Outcome {
        var last: UInt8?
        for try await piece in body {
            // Text has no NUL; binary bytes could change the state of the terminal.
            if style.isTerminal, piece.contains(0) { return .withheld }
            output.write(piece)
            last = piece.last
        }
        // The prompt of the shell begins on a new line.
        guard let last else { return .empty }
        if style.isTerminal, last != UInt8(ascii: "\n") { output.write("\n".utf8) }
        return .shown
    }
}
