/// What stopped the scan and where; the sentence is made only when the failure leaves the parser.
struct JSONScanFailure: Error {
    enum Reason {
        case empty, unexpectedEnd, expectedValue, expectedKey, expectedColon, expectedCommaOrBracket
        case expectedCommaOrBrace, trailingComma, trailingContent, word, number, leadingZero, controlCharacter
        case escape, unicodeEscape, surrogate, encoding, tooDeep, tooLarge, fragment
    }

    let reason: Reason
    let offset: Int
    /// The open container in which it happened, as an index into the tape; -1 at the top.
    var container = -1

    init(_ reason: Reason, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }
}
