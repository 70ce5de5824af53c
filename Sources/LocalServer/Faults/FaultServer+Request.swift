extension FaultServer {
    /// A request as it was received.
    package struct Request: Sendable {
        /// The number of its connection, from 0.
        package var connection: Int

        /// The head as sent, up to and including the empty line.
        package var head: [UInt8]

        /// The body as sent, with any chunk framing and trailers.
        package var rawBody: [UInt8] = []

        /// The body without its framing.
        package var body: [UInt8] = []

        /// The trailer lines of a chunked body, in order.
        package var trailers: [(name: String, value: String)] = []

        /// The head as text.
        package var headText: String { String(decoding: head, as: UTF8.self) }

        /// The body without its framing, as text.
        package var bodyText: String { String(decoding: body, as: UTF8.self) }

        /// The first line of the head, without its line end.
        package var requestLine: String { lines.first ?? "" }

        /// The first word of the request line.
        package var method: String { word(0) }

        /// The second word of the request line.
        package var target: String { word(1) }

        /// The header fields in the order they were sent, names as written.
        package var headers: [(name: String, value: String)] {
            lines.dropFirst().compactMap(Request.field)
        }

        /// The first value of the field with this name, in any case.
        package func value(of name: String) -> String? {
            values(of: name).first
        }

        /// All values of the field with this name, in any case, in the order they were sent.
        package func values(of name: String) -> [String] {
            headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
        }

        private var lines: [String] {
            head.split(separator: UInt8(ascii: "\n")).map { line in
                String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
            }
            .filter { !$0.isEmpty }
        }

        private func word(_ index: Int) -> String {
            let words = requestLine.split(separator: " ")
            return index < words.count ? String(words[index]) : ""
        }

        /// A field line split at its first colon, white space around the value removed (RFC 9112
        /// §5).
        static func field(_ line: String) -> (name: String, value: String)? {
            guard let colon = line.firstIndex(of: ":") else { return nil }
            var value = line[line.index(after: colon)...]
            while let first = value.first, first == " " || first == "\t" {
                value.removeFirst()
            }
            while let last = value.last, last == " " || last == "\t" || last == "\r" || last == "\r\n" {
                value.removeLast()
            }
            return (String(line[..<colon]), String(value))
        }
    }
}
