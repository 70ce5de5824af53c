import FoundationEssentials

/// The text of a form body in another charset than UTF-8.
enum FormText {
    /// Replaces escapes of UTF-8 by escapes of the bytes of a charset; characters that are not
    /// ASCII are escaped, too.
    ///
    /// - Parameters:
    ///   - text: Pairs of names and values, escaped as UTF-8 (RFC 3986 §2.1).
    ///   - charset: A charset in which ASCII is ASCII: form bodies are made of ASCII (URL Standard
    ///     §5.1).
    /// - Returns: The text, ASCII only.
    /// - Throws: ``NetworkingError/Code/requestSerializationFailed`` for a character that the
    ///   charset does not have, and for UTF-16 and UTF-32.
    static func transcoded(_ text: String, to charset: Charset) throws(NetworkingError) -> String {
        guard charset != .utf8 else { return text }
        guard (try? charset.encode("a=%"))?.elementsEqual("a=%".utf8) == true else {
            throw NetworkingError(
                .requestSerializationFailed,
                "A form cannot be written in \(charset): its bytes are ASCII with escapes (URL Standard §5.1)."
            )
        }
        var output: [UInt8] = []
        var run: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.first {
            if byte == UInt8(ascii: "%"), let escaped = value(of: rest.dropFirst().prefix(2)) {
                run.append(escaped)
                rest = rest.dropFirst(3)
            } else if byte >= 0x80 {
                run.append(byte)
                rest = rest.dropFirst()
            } else {
                try flush(&run, charset, into: &output)
                output.append(byte)
                rest = rest.dropFirst()
            }
        }
        try flush(&run, charset, into: &output)
        return String(decoding: output, as: UTF8.self)
    }

    private static func flush(
        _ run: inout [UInt8],
        _ charset: Charset,
        into output: inout [UInt8]
    ) throws(NetworkingError) {
        guard !run.isEmpty else { return }
        defer { run.removeAll(keepingCapacity: true) }
        // Escapes that are not UTF-8 were made of other bytes on purpose, and stay.
        var bytes = Data(run)
        if let text = String(validating: run, as: UTF8.self) {
            do {
                bytes = try charset.encode(text)
            } catch {
                throw NetworkingError(
                    .requestSerializationFailed,
                    "The parameters cannot be written in \(charset): \(error.description)",
                    underlying: error
                )
            }
        }
        for byte in bytes { QueryString.append(percentEscaped: byte, to: &output) }
    }

    private static func value(of digits: ArraySlice<UInt8>) -> UInt8? {
        guard digits.count == 2 else { return nil }
        return UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
    }
}
