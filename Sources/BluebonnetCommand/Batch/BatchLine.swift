import Bluebonnet

/// A parsed line of the input: its identifier, and its request or the reason why there is none.
struct BatchLine: Sendable {
    /// The `id` of the result as JSON: the line's `id` as it is written there, else its number.
    let id: String

    /// The request, or the error of the line.
    let request: Result<BatchRequest, BatchError>

    /// Reads a line.
    ///
    /// - Parameters:
    ///   - line: The line.
    ///   - timeouts: The session's timeouts, which a line changes only in part.
    init(_ line: LineReader.Line, timeouts: Timeouts = Timeouts()) {
        var id = "\(line.number)"
        do throws(BatchError) {
            let bytes = try Self.bytes(of: line.content)
            let members = try Self.members(of: bytes)
            let written = Self.written(in: bytes, of: members)
            if let text = written["id"] { id = String(decoding: text, as: UTF8.self) }
            request = .success(try BatchRequest(members, json: written["json"], timeouts: timeouts))
        } catch {
            request = .failure(error)
        }
        self.id = id
    }

    private static func bytes(of content: LineCutter.Line) throws(BatchError) -> [UInt8] {
        switch content {
        case .bytes(let bytes): return bytes
        case .tooLong(let limit):
            throw .invalidLine(
                "The line is longer than \(limit) bytes; send a large body as “bodyFile”, or set --max-line."
            )
        }
    }

    private static func members(of bytes: [UInt8]) throws(BatchError) -> JSONObject {
        let value: JSONValue
        do throws(JSONParsingError) {
            value = try JSONValue(parsing: bytes)
        } catch {
            // The parser counts lines within this one only.
            let path = error.path.isEmpty ? "" : " (in \(error.path))"
            throw .invalidLine("The line is not JSON: \(error.message) at column \(error.column)\(path).")
        }
        guard let members = value.object else {
            throw .invalidLine("The line is \(value.kindWithArticle), not an object.")
        }
        return members
    }

    /// The members whose text is kept, numbers such as `1.50` and repeated names included. Where a
    /// name is repeated, the last member counts, as in `members`.
    private static func written(in bytes: [UInt8], of members: JSONObject) -> [String: [UInt8]] {
        let wanted = Set(["id", "json"].filter { members[$0] != nil })
        var written: [String: [UInt8]] = [:]
        if !JSONTokens.canCut(bytes) {
            for name in wanted { written[name] = members[name].map { Array($0.description.utf8) } }
        } else if !wanted.isEmpty {
            for member in JSONTokens.members(of: bytes, where: wanted.contains) { written[member.name] = member.value }
        }
        return written
    }
}
