import HTTPTypes

/// The findings of one pass over the header fields of a request: what they ask of the connection,
/// and how to write them.
struct RequestFieldSurvey {
    /// The space for all lines.
    private(set) var byteCount = 0
    /// The position of `Host`.
    private(set) var host: Int?
    private(set) var hasContentLength = false
    private(set) var hasTransferEncoding = false
    private(set) var hasAcceptEncoding = false
    private(set) var hasRange = false
    private(set) var hasConnection = false
    /// `Connection: close` (RFC 9112 §9.6).
    private(set) var asksForClose = false
    /// `Expect: 100-continue` (RFC 9110 §10.1.1).
    private(set) var expectsContinue = false

    static let expectation = "100-continue"

    /// - Throws: `repeatedHost`, or `invalidFieldValue`.
    init(_ fields: HTTPFields) throws(RequestHeadError) {
        var position = 0
        for field in fields {
            let name = field.name.canonicalName
            // The bytes are only looked at while the closure runs.
            let count = unsafe field.withUnsafeBytesOfValue { bytes in
                let bytes = UnsafeRawBufferPointer(bytes)
                return unsafe ASCII.containsLineBreak(bytes) ? nil : bytes.count
            }
            guard let count else { throw .invalidFieldValue(name: field.name.rawName) }
            byteCount += count + name.utf8.count + 4
            switch name.utf8.count {
            case 4 where name == "host":
                guard host == nil else { throw .repeatedHost }
                host = position
            case 5 where name == "range": hasRange = true
            case 6 where name == "expect": expectsContinue = Self.lists(Self.expectation, in: field.value)
            case 10 where name == "connection":
                hasConnection = true
                asksForClose = asksForClose || Self.lists("close", in: field.value)
            case 14 where name == "content-length": hasContentLength = true
            case 15 where name == "accept-encoding": hasAcceptEncoding = true
            case 17 where name == "transfer-encoding": hasTransferEncoding = true
            default: break
            }
            position += 1
        }
    }

    /// RFC 9110 §5.6.1: a list of words; the words looked for here are compared without case.
    private static func lists(_ word: String, in value: String) -> Bool {
        value.utf8.split(separator: UInt8(ascii: ",")).contains { item in
            item.drop(while: ASCII.isBlank).prefix { !ASCII.isBlank($0) }
                .elementsEqual(word.utf8) { ASCII.lowercased($0) == $1 }
        }
    }
}
