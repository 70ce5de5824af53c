import HTTPTypes
import NIOCore

/// Writes requests as HTTP/1.1 (RFC 9112 §3, §5 to §7).
enum HTTP1RequestEncoder {
    /// Appends the request line and the header section with its empty line.
    ///
    /// Host comes first (RFC 9110 §7.2), then what a proxy wants, then the fields in their order
    /// with their spelling, then what the framing of the body needs and the fields do not say.
    ///
    /// - Parameters:
    ///   - head: The head to write. Its field values are sent as they are.
    ///   - buffer: Where the head is appended.
    static func encode(_ head: RequestHead, into buffer: inout ByteBuffer) {
        let fixed =
            head.method.rawValue.utf8.count + head.target.utf8.count + head.host.utf8.count + 96
            + ContentCoding.Offer.longest + (head.proxyAuthorization.map { $0.count + 24 } ?? 0)
        unsafe buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: fixed + head.survey.byteCount) { bytes in
            var writer = unsafe HTTP1ByteWriter(bytes)
            writer.write(head.method.rawValue)
            writer.write(" ")
            writer.write(head.target)
            writer.write(" HTTP/1.1\r\nHost: ")
            if let position = head.survey.host {
                writer.write(valueOf: head.fields[position])
            } else {
                writer.write(head.host)
            }
            writer.write("\r\n")
            if let authorization = head.proxyAuthorization {
                writer.write("Proxy-Authorization: ")
                writer.write(authorization)
                writer.write("\r\n")
            }
            for position in head.fields.indices where position != head.survey.host {
                writer.write(line: head.fields[position])
            }
            if let offer = head.offer {
                writer.write("Accept-Encoding: ")
                writer.write(offer.value)
                writer.write("\r\n")
            }
            switch head.missingFraming {
            case nil: break
            case .length(let length):
                writer.write("Content-Length: ")
                writer.write(String(length))
                writer.write("\r\n")
            case .unknownLength:
                writer.write("Transfer-Encoding: chunked\r\n")
            }
            writer.write("\r\n")
            return writer.count
        }
    }

    /// Appends the line in front of the data of a chunk (RFC 9112 §7.1); ``encodeChunkEnd(into:)``
    /// follows the data.
    ///
    /// - Parameters:
    ///   - size: The number of data bytes, at least 1: a chunk of 0 would end the body.
    ///   - buffer: Where the line is appended.
    static func encodeChunkHeader(_ size: Int, into buffer: inout ByteBuffer) {
        // The upload that the pieces come from takes no empty ones.
        precondition(size > 0, "a chunk has at least one byte")
        buffer.writeString(String(size, radix: 16))
        encodeChunkEnd(into: &buffer)
    }

    /// Appends the line end behind the data of a chunk.
    static func encodeChunkEnd(into buffer: inout ByteBuffer) {
        buffer.writeStaticString("\r\n")
    }

    /// Appends the last chunk, the trailer section (RFC 9112 §7.1.2) and the empty line that end a
    /// chunked body.
    ///
    /// - Parameters:
    ///   - trailers: The trailer section. Default: none.
    ///   - buffer: Where they are appended.
    static func encodeLastChunk(trailers: HTTPFields = [:], into buffer: inout ByteBuffer) {
        buffer.writeStaticString("0\r\n")
        for field in trailers {
            buffer.writeString(field.name.rawName)
            buffer.writeStaticString(": ")
            // The bytes are copied before the closure returns.
            _ = unsafe field.withUnsafeBytesOfValue { unsafe buffer.writeBytes(UnsafeRawBufferPointer($0)) }
            buffer.writeStaticString("\r\n")
        }
        buffer.writeStaticString("\r\n")
    }
}
