import HTTPTypes

/// Turns the field sections of responses into ``RawHeaderFields``, and checks them (RFC 9113 §8.2,
/// §8.3). It has memory that is used again.
struct HTTP2FieldReader {
    /// The head of a response.
    struct Head {
        let statusCode: Int
        let fields: RawHeaderFields
        /// The content-length; nil without one.
        let contentLength: Int?
        /// The size of the section without compression.
        let byteCount: Int
    }

    private let limits: HTTP1Limits
    /// Where the fields lie behind `start`.
    private var entries: [RawHeaderFields.Entry] = []
    private var names: RawHeaderFields.FramingNames = []
    /// The end of the pseudo-header fields in the bytes of the section.
    private var start = 0
    /// The bytes of the names and values.
    private var byteCount = 0

    init(limits: HTTP1Limits) {
        self.limits = limits
    }

    /// Reads the head of a response, informational or final.
    mutating func head(_ section: HTTP2FieldSection) throws(HTTP2Fault) -> Head {
        var status: Int?
        begin()
        for entry in section.entries {
            guard entry.nameLength > 0, section.bytes[Int(entry.nameStart)] == ASCII.colon else {
                try append(entry, of: section)
                continue
            }
            // §8.3: pseudo-header fields come first, once each; §8.3.2: a response has this one.
            guard entries.isEmpty, status == nil, let code = Self.statusCode(entry, of: section) else {
                throw HTTP2Fault(.malformedFields, clause: "sent a response with a wrong pseudo-header field")
            }
            status = code
            start = Int(entry.valueEnd)
        }
        try checkSize(section)
        guard let status else { throw HTTP2Fault(.malformedFields, clause: "sent a response without :status") }
        let raw = finish(section)
        let length = try Self.length(raw)
        return Head(statusCode: status, fields: raw, contentLength: length, byteCount: byteCount)
    }

    /// Reads a trailer section.
    mutating func trailers(_ section: HTTP2FieldSection) throws(HTTP2Fault) -> HTTPFields {
        begin()
        // §8.1: pseudo-header fields must not be there; `append` refuses their names.
        for entry in section.entries { try append(entry, of: section) }
        try checkSize(section)
        return finish(section).httpFields
    }

    private mutating func begin() {
        entries.removeAll(keepingCapacity: true)
        names = []
        start = 0
        byteCount = 0
    }

    private mutating func append(
        _ entry: RawHeaderFields.Entry,
        of section: HTTP2FieldSection
    ) throws(HTTP2Fault) {
        let length = Int(entry.valueEnd - entry.nameStart)
        guard length <= limits.headerLine else {
            throw Self.tooLarge("a field of more than \(limits.headerLine) bytes")
        }
        guard entries.count < HTTP1Limits.fieldCount else {
            throw Self.tooLarge("more than \(HTTP1Limits.fieldCount) fields")
        }
        byteCount += length
        guard byteCount + (entries.count + 1) * HPACK.overhead <= limits.headerSection else {
            throw Self.tooLarge("a field section of more than \(limits.headerSection) bytes")
        }
        try check(entry, of: section)
        let offset = UInt32(truncatingIfNeeded: start)
        entries.append(
            RawHeaderFields.Entry(
                nameStart: entry.nameStart - offset,
                nameEnd: entry.nameEnd - offset,
                valueStart: entry.valueStart - offset,
                valueEnd: entry.valueEnd - offset
            )
        )
    }

    /// What is not kept of a section was more than the limit.
    private func checkSize(_ section: HTTP2FieldSection) throws(HTTP2Fault) {
        guard !section.isTooLarge else {
            throw Self.tooLarge("a field section of more than \(limits.headerSection) bytes")
        }
    }

    private static func tooLarge(_ what: String) -> HTTP2Fault {
        HTTP2Fault(.fieldsTooLarge, sending: .cancel, clause: "sent \(what)")
    }

    private mutating func check(
        _ entry: RawHeaderFields.Entry,
        of section: HTTP2FieldSection
    ) throws(HTTP2Fault) {
        var names = names
        let fault = unsafe section.bytes.withUnsafeBytes { bytes -> HTTP2Fault? in
            // In bounds: the section has put them there.
            let name = unsafe UnsafeRawBufferPointer(rebasing: bytes[Int(entry.nameStart)..<Int(entry.nameEnd)])
            let value = unsafe UnsafeRawBufferPointer(rebasing: bytes[entry.value])
            // §8.2.1: lowercase, and a token as in RFC 9110 §5.1.
            guard unsafe !name.isEmpty, unsafe name.allSatisfy({ ASCII.isToken($0) && !(0x41...0x5A ~= $0) }) else {
                return HTTP2Fault(.malformedFields, clause: "sent a field name that is not lowercase or not a name")
            }
            if let base = value.baseAddress, let first = unsafe value.first, let last = unsafe value.last {
                // §8.2.1: no control character, and no white space around the value.
                guard unsafe ASCII.firstControl(base, from: 0, to: value.count) == nil, !ASCII.isBlank(first),
                    !ASCII.isBlank(last)
                else {
                    return HTTP2Fault(
                        .malformedFields,
                        clause: "sent a field value with a character that must not be there"
                    )
                }
            }
            return unsafe Self.note(name, &names)
                ? nil : HTTP2Fault(.malformedFields, clause: "sent a field about the connection over HTTP/2")
        }
        self.names = names
        if let fault { throw fault }
    }

    /// Remembers a name that frames the message; false for one that must not be there (§8.2.2).
    private static func note(_ name: UnsafeRawBufferPointer, _ names: inout RawHeaderFields.FramingNames) -> Bool {
        switch name.count {
        case 7: return unsafe !ASCII.isEqual(name, lowercased: "upgrade")
        case 10:
            return unsafe !ASCII.isEqual(name, lowercased: "connection")
                && !ASCII.isEqual(name, lowercased: "keep-alive")
        case 14 where unsafe ASCII.isEqual(name, lowercased: "content-length"): names.insert(.contentLength)
        case 16 where unsafe ASCII.isEqual(name, lowercased: "content-encoding"): names.insert(.contentEncoding)
        case 16: return unsafe !ASCII.isEqual(name, lowercased: "proxy-connection")
        case 17: return unsafe !ASCII.isEqual(name, lowercased: "transfer-encoding")
        default: break
        }
        return true
    }

    private func finish(_ section: HTTP2FieldSection) -> RawHeaderFields {
        // The bytes are copied before the closure returns.
        unsafe section.bytes.withUnsafeBytes { bytes in
            let fields = unsafe UnsafeRawBufferPointer(rebasing: bytes[start...])
            return unsafe RawHeaderFields(section: fields, entries: entries, framingNames: names, reason: 0..<0)
        }
    }

    private static func length(_ fields: RawHeaderFields) throws(HTTP2Fault) -> Int? {
        do {
            return try fields.contentLength().map { Int($0) }
        } catch {
            guard error.fault == .conflictingContentLength else {
                throw HTTP2Fault(.invalidContentLength, clause: "sent an invalid content-length")
            }
            throw HTTP2Fault(.lengthMismatch, clause: "sent several values of content-length that differ")
        }
    }

    /// The value of :status, which is three digits (RFC 9110 §15).
    private static func statusCode(_ entry: RawHeaderFields.Entry, of section: HTTP2FieldSection) -> Int? {
        let value = section.bytes[entry.value]
        guard section.bytes[Int(entry.nameStart)..<Int(entry.nameEnd)].elementsEqual(":status".utf8),
            value.count == 3, value.allSatisfy(ASCII.isDigit)
        else { return nil }
        let code = value.reduce(0) { 10 * $0 + Int($1 - UInt8(ascii: "0")) }
        return code >= 100 ? code : nil
    }
}
