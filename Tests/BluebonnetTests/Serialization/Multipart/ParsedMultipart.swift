/// A multipart body, parsed strictly by RFC 2046 §5.1.1, without code of the encoder.
struct ParsedMultipart: Equatable {
    struct Part: Equatable {
        var headers: [String]
        var content: [UInt8]
    }

    /// The fault of a body.
    struct Malformed: Error, Equatable {
        var reason: String
    }

    var parts: [Part] = []

    /// Reads a body that has nothing before its first delimiter and nothing but a line end after
    /// its last.
    init(_ body: [UInt8], boundary: String) throws {
        var delimiter = Array("--\(boundary)".utf8)
        guard body.starts(with: delimiter) else { throw Malformed(reason: "does not begin with a delimiter") }
        var position = delimiter.count
        delimiter = [0x0D, 0x0A] + delimiter
        while true {
            let line = body[position...].prefix(2)
            position += 2
            if line.elementsEqual([0x2D, 0x2D]) { break }
            guard line.elementsEqual([0x0D, 0x0A]) else { throw Malformed(reason: "no line end after a delimiter") }
            let (headers, start) = try Self.headers(of: body, from: position)
            guard let end = Self.first(delimiter, in: body, from: start) else {
                throw Malformed(reason: "no delimiter")
            }
            parts.append(Part(headers: headers, content: Array(body[start..<end])))
            position = end + delimiter.count
        }
        guard body[min(position, body.count)...].elementsEqual([0x0D, 0x0A]) else {
            throw Malformed(reason: "does not end with a line end")
        }
    }

    private static func headers(of body: [UInt8], from start: Int) throws -> (lines: [String], end: Int) {
        var lines: [String] = []
        var position = start
        while true {
            guard let end = first([0x0D, 0x0A], in: body, from: position) else {
                throw Malformed(reason: "no header end")
            }
            defer { position = end + 2 }
            if end == position { return (lines, end + 2) }
            guard let line = String(validating: body[position..<end], as: UTF8.self) else {
                throw Malformed(reason: "a header that is not UTF-8")
            }
            lines.append(line)
        }
    }

    private static func first(_ pattern: [UInt8], in body: [UInt8], from start: Int) -> Int? {
        guard body.count >= start + pattern.count else { return nil }
        let second = pattern[1]
        let length = pattern.count
        var position = start
        while position + length <= body.count {
            if body[position + 1] == second, body[position..<(position + length)].elementsEqual(pattern) {
                return position
            }
            position += 1
        }
        return nil
    }
}
