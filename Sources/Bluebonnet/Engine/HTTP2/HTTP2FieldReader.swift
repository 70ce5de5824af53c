import HTTPTypes
import NIOHPACK

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
    private var section: [UInt8] = []
    private var entries: [RawHeaderFields.Entry] = []
    private var names: RawHeaderFields.FramingNames = []

    /// RFC 9113 §6.5.2: the size of a field is that of its name and value, and this much more.
    static let overhead = 32

    init(limits: HTTP1Limits) {
        self.limits = limits
    }

    /// Reads the head of a response, informational or final.
    mutating func head(_ fields: HPACKHeaders) throws(HTTP2Fault) -> Head {
        var status: Int?
        begin()
        var hasFields = false
        for (name, value, _) in fields {
            guard name.utf8.first == UInt8(ascii: ":") else {
                hasFields = true
                try append(name, value)
                continue
            }
            // §8.3: pseudo-header fields come first, once each; §8.3.2: a response has this one.
            guard !hasFields, status == nil, name == ":status", let code = Self.statusCode(value) else {
                throw HTTP2Fault(.malformedFields, clause: "sent a response with a wrong pseudo-header field")
            }
            status = code
        }
        guard let status else { throw HTTP2Fault(.malformedFields, clause: "sent a response without :status") }
        let raw = finish()
        return Head(statusCode: status, fields: raw, contentLength: try Self.length(raw), byteCount: section.count)
    }

    /// Reads a trailer section.
    mutating func trailers(_ fields: HPACKHeaders) throws(HTTP2Fault) -> HTTPFields {
        begin()
        // §8.1: pseudo-header fields must not be there; `append` refuses their names.
        for (name, value, _) in fields { try append(name, value) }
        return finish().httpFields
    }

    private mutating func begin() {
        section.removeAll(keepingCapacity: true)
        entries.removeAll(keepingCapacity: true)
        names = []
    }

    private mutating func append(_ name: String, _ value: String) throws(HTTP2Fault) {
        let length = name.utf8.count + value.utf8.count
        guard length <= limits.headerLine else {
            throw Self.tooLarge("a field of more than \(limits.headerLine) bytes")
        }
        guard entries.count < HTTP1Limits.fieldCount else {
            throw Self.tooLarge("more than \(HTTP1Limits.fieldCount) fields")
        }
        guard section.count + length + (entries.count + 1) * Self.overhead <= limits.headerSection else {
            throw Self.tooLarge("a field section of more than \(limits.headerSection) bytes")
        }
        let nameStart = section.count
        section.append(contentsOf: name.utf8)
        let valueStart = section.count
        section.append(contentsOf: value.utf8)
        try check(nameStart, valueStart)
        entries.append(
            RawHeaderFields.Entry(
                nameStart: UInt32(truncatingIfNeeded: nameStart),
                nameEnd: UInt32(truncatingIfNeeded: valueStart),
                valueStart: UInt32(truncatingIfNeeded: valueStart),
                valueEnd: UInt32(truncatingIfNeeded: section.count)
            )
        )
    }

    private static func tooLarge(_ what: String) -> HTTP2Fault {
        HTTP2Fault(.fieldsTooLarge, sending: .cancel, clause: "sent \(what)")
    }

    /// Checks the field that was appended last.
    private mutating func check(_ nameStart: Int, _ valueStart: Int) throws(HTTP2Fault) {
        var names = names
        let fault = unsafe section.withUnsafeBytes { bytes -> HTTP2Fault? in
            let name = unsafe UnsafeRawBufferPointer(rebasing: bytes[nameStart..<valueStart])
            let value = unsafe UnsafeRawBufferPointer(rebasing: bytes[valueStart...])
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

    private func finish() -> RawHeaderFields {
        // The bytes are copied before the closure returns.
        unsafe section.withUnsafeBytes { bytes in
            unsafe RawHeaderFields(section: bytes, entries: entries, framingNames: names, reason: 0..<0)
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

    /// Three digits (RFC 9110 §15).
    private static func statusCode(_ value: String) -> Int? {
        guard value.utf8.count == 3, value.utf8.allSatisfy(ASCII.isDigit), let code = Int(value), code >= 100 else {
            return nil
        }
        return code
    }
}
