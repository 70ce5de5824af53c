import HTTPTypes

/// What the header fields of a request ask of the connection, found in one pass.
struct FieldWishes {
    /// `Connection: close` (RFC 9112 §9.6).
    private(set) var asksForClose = false
    /// `Expect: 100-continue` (RFC 9110 §10.1.1).
    private(set) var expectsContinue = false

    static let expectation = "100-continue"

    init(_ fields: HTTPFields) {
        for field in fields {
            let name = field.name.canonicalName
            switch name.utf8.count {
            case 6 where name == "expect": expectsContinue = Self.lists(Self.expectation, in: field.value)
            case 10 where name == "connection": asksForClose = asksForClose || Self.lists("close", in: field.value)
            default: break
            }
        }
    }

    /// RFC 9110 §5.6.1: a list of words; those looked for here do not mind case.
    private static func lists(_ word: String, in value: String) -> Bool {
        value.utf8.split(separator: UInt8(ascii: ",")).contains { item in
            item.drop(while: HTTP1Bytes.isBlank).prefix { !HTTP1Bytes.isBlank($0) }
                .elementsEqual(word.utf8) { HTTP1Bytes.lowercased($0) == $1 }
        }
    }
}
