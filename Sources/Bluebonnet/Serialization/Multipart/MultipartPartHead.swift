import HTTPTypes
import NIOCore

/// Writes the header section of a part.
enum MultipartPartHead {
    /// `Content-Disposition` with name and file name, and `Content-Type` where there is one (RFC
    /// 7578 §4.2, §4.4).
    static func bytes(name: String, fileName: String?, mimeType: String?) throws(NetworkingError) -> ByteBuffer {
        var head = ByteBuffer()
        head.reserveCapacity(128)
        head.writeStaticString("Content-Disposition: form-data; name=\"")
        try append(name, of: "name", to: &head)
        head.writeStaticString("\"")
        if let fileName {
            head.writeStaticString("; filename=\"")
            try append(fileName, of: "file name", to: &head)
            head.writeStaticString("\"")
        }
        head.writeStaticString("\r\n")
        if let mimeType {
            guard !mimeType.isEmpty, HTTPField.isValidValue(mimeType) else {
                throw NetworkingError(
                    .requestSerializationFailed,
                    "The MIME type of the form part “\(display(name))” cannot be a field value (RFC 9110 §5.5)."
                )
            }
            head.writeStaticString("Content-Type: ")
            head.writeString(mimeType)
            head.writeStaticString("\r\n")
        }
        head.writeStaticString("\r\n")
        return head
    }

    /// Fields as they are: their type lets no CR, LF or NUL in.
    static func bytes(_ fields: HTTPFields) -> ByteBuffer {
        var head = ByteBuffer()
        for field in fields {
            head.writeString("\(field.name.rawName): ")
            // The bytes are copied while the closure runs.
            unsafe field.withUnsafeBytesOfValue { bytes in _ = unsafe head.writeBytes(bytes) }
            head.writeString("\r\n")
        }
        head.writeString("\r\n")
        return head
    }

    /// A name for messages: what would break a line is shown as a space.
    static func display(_ name: String) -> String {
        String(String.UnicodeScalarView(name.unicodeScalars.map { $0.value < 0x20 ? " " : $0 }))
    }

    /// As browsers do it (RFC 7578 §4.2; the multipart/form-data encoding algorithm of the HTML
    /// standard), except that line ends, which browsers turn into `%0D` and `%0A`, are refused: who
    /// reads the form cannot know them from a name with these very characters, and they come by
    /// mistake or by malice.
    private static func append(_ value: String, of what: String, to head: inout ByteBuffer) throws(NetworkingError) {
        guard !value.utf8.contains(where: { $0 == 0x0D || $0 == 0x0A || $0 == 0 }) else {
            throw NetworkingError(
                .requestSerializationFailed,
                "The \(what) “\(display(value))” of a form part contains CR, LF or NUL, which it cannot."
            )
        }
        guard value.utf8.contains(UInt8(ascii: "\"")) else {
            head.writeString(value)
            return
        }
        for byte in value.utf8 {
            if byte == UInt8(ascii: "\"") { head.writeStaticString("%22") } else { head.writeInteger(byte) }
        }
    }
}
