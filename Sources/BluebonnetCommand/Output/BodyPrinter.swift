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

    /// The largest body that is formatted or coloured; a larger one is shown as it comes.
    private static let mostFormatted = 4 << 20
    /// The largest body that a filter is used on, since all of it is in memory with its values.
    private static let mostFiltered = 256 << 20

    private var text: BodyText { BodyText(style: style) }

    private var changesText: Bool { style.formats || style.colors || filter != nil }

    /// Writes the body: formatted, coloured and filtered where that is wanted, everything else as
    /// it comes. On a terminal it is text in UTF-8, without characters that steer the terminal.
    ///
    /// - Parameters:
    ///   - body: The body.
    ///   - contentType: The `Content-Type` of its message; nil without one.
    /// - Returns: Whether the body was shown.
    /// - Throws: `NetworkingError`.
    func print(_ body: ResponseBody, contentType: String?) async throws -> Outcome {
        let type = contentType.flatMap(MediaType.name)
        let kind = BodyKind(mediaType: type)
        if changesText, showsLinesAtOnce || kind.hasLines { return try await writeLines(of: body, kind) }
        var pieces = body.makeAsyncIterator()
        var start = Data()
        while start.isEmpty {
            guard let piece = try await pieces.next() else { return filter == nil ? .empty : .notJSON }
            start = piece
        }
        if style.isTerminal, filter == nil, text.isBinary(start, kind, contentType, type) { return .withheld }
        let isFormatted = filter != nil || changesText && (kind.hasSyntax || kind.mayBeJSON(start))
        guard isFormatted || style.isTerminal && !text.isUTF8(start, contentType, type) else {
            try await write(start, &pieces)
            return .shown
        }
        let limit = filter == nil ? Self.mostFormatted : Self.mostFiltered
        while start.count <= limit, let piece = try await pieces.next() { start += piece }
        guard filter == nil || start.count <= limit else {
            throw NetworkingError(.bodyTooLarge, "The body is larger than the \(limit) bytes that --filter reads.")
        }
        if let filter { return write(start, contentType, type, picking: filter) }
        if start.count <= limit, let shown = text.render(start, kind: kind, contentType, type) {
            output.write(line: shown)
        } else {
            try await write(start, &pieces)
        }
        return .shown
    }

    // MARK: Whole bodies

    private func write(_ data: Data, _ contentType: String?, _ type: String?, picking filter: JSONFilter) -> Outcome {
        guard let document = text.json(data, contentType, type) else { return .notJSON }
        return write(filter, of: document)
    }

    /// Writes the values that the filter picks, each on lines of its own.
    private func write(_ filter: JSONFilter, of document: JSONDocument) -> Outcome {
        let values = filter.values(in: document)
        for value in values {
            if unquotesStrings, let string = document.string(value) {
                output.write(line: style.isTerminal ? TerminalText.harmless(string) : string)
            } else {
                output.write(line: text.json(document.text(of: value), isPicked: true))
            }
        }
        return values.isEmpty ? .nothingPicked : .shown
    }

    // MARK: Lines

    /// Writes JSON lines, and the lines of server-sent events. With a filter, only what it picks of
    /// their values.
    private func writeLines(of body: ResponseBody, _ kind: BodyKind) async throws -> Outcome {
        var outcome = filter == nil ? Outcome.empty : .nothingPicked
        for try await line in body.lines {
            let isData = line.utf8.starts(with: "data:".utf8)
            let data = isData ? line.utf8.dropFirst(5) : line.utf8[...]
            guard let document = try? JSONDocument(parsing: Array(data)) else {
                guard filter == nil else { continue }
                outcome = .shown
                output.write(line: kind == .events ? text.event(line) : text.plain(line))
                continue
            }
            if let filter {
                if write(filter, of: document) == .shown { outcome = .shown }
            } else {
                outcome = .shown
                let name = isData && !showsLinesAtOnce ? text.eventName("data") + " " : ""
                output.write(line: name + text.json(document.text(of: document.root), isPicked: true))
            }
        }
        return outcome
    }

    // MARK: Bytes

    /// Writes what was read of a body, and the rest as it comes.
    private func write(_ start: Data, _ pieces: inout ResponseBody.AsyncIterator) async throws {
        guard style.isTerminal else {
            output.write(start)
            while let piece = try await pieces.next() { output.write(piece) }
            return
        }
        var shown = TerminalText()
        var isAtLineStart = false
        func write(_ text: String) {
            guard let last = text.utf8.last else { return }
            isAtLineStart = last == UInt8(ascii: "\n")
            output.write(Array(text.utf8))
        }
        write(shown.text(of: start))
        while let piece = try await pieces.next() { write(shown.text(of: piece)) }
        write(shown.finish())
        // The prompt of the shell begins on a new line.
        if !isAtLineStart { output.write(Array("\n".utf8)) }
    }
}
