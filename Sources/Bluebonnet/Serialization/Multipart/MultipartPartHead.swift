import HTTPTypes
import NIOCore

/// Writes the header section of a part.
enum MultipartPartHead {
    /// A head of `Content-Disposition` with name and file name, and `Content-Type` where there is
    /// one (RFC 7578 §4.2, §4.4).
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

    /// A head of given fields, as they are: `HTTPField` allows no CR, LF or NUL.
    static func bytes(_ fields: HTTPFields) -> ByteBuffer {
        var head = ByteBuffer()
        for field in fields {
            head.writeString("\(field.name.rawName): ")
            // The bytes are valid in the closure, which copies them.
            unsafe field.withUnsafeBytesOfValue { bytes in _ = unsafe head.writeBytes(bytes) }
            head.writeString("\r\n")
        }
        head.writeString("\r\n")
        return head
    }

    /// A name for messages: control characters are shown as spaces.
    static func display(_ name: String) -> String {
        String(String.UnicodeScalarView(name.unicodeScalars.map { $0.value < 0x20 ? " " : $0 }))
    }

    /// Appends a name, escaped as browsers do it (RFC 7578 §4.2; the multipart/form-data encoding
    /// algorithm of the HTML standard), except that line ends, which browsers turn into `%0D` and
    /// `%0A`, are refused: a reader of the form cannot tell them from a name with these characters,
    /// and they are a mistake or an attack.
    private static func append(_ value: String, of what: String, to head: inout ByteBuffer) throws(NetworkingError) {
        guard !value.utf8.contains(where: { $0 == 0x0D || $0 == 0x0A || $0 == 0 }) else {
            throw NetworkingError(
                .requestSerializationFailed,
                "The \(what) “\(display(value))” of a form part contains CR, LF or NUL, which are not allowed."
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
