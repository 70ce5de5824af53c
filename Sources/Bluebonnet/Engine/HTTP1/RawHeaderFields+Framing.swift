import HTTPTypes

/// The fields about the end of the body and of the connection.
extension RawHeaderFields {
    /// The number in Content-Length, nil without the field.
    ///
    /// RFC 9112 §6.3 rule 5: one number, or a list (also over several fields) of the same number.
    func contentLength() throws(HTTP1ParseError) -> Int64? {
        guard framingNames.contains(.contentLength) else { return nil }
        var found: Int64?
        var next = position(of: .contentLength)
        while let position = next {
            let value = value(at: position)
            if let length = Self.decimal(value) {
                found = try agreed(found, length, value)
            } else {
                for element in value.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
                    found = try agreed(found, Self.decimal(Self.trimmed(element)), value)
                }
            }
            next = self.position(of: .contentLength, from: position + 1)
        }
        return found
    }

    /// A length that is valid and does not contradict the one found before it.
    private func agreed(
        _ found: Int64?,
        _ length: Int64?,
        _ value: ArraySlice<UInt8>
    ) throws(HTTP1ParseError) -> Int64 {
        guard let length else { throw HTTP1ParseError(.invalidContentLength, showing: value) }
        guard found == nil || found == length else {
            throw HTTP1ParseError(.conflictingContentLength, showing: value)
        }
        return length
    }

    /// The number that one or more digits and nothing else make, up to `Int64.max`.
    static func decimal(_ digits: ArraySlice<UInt8>) -> Int64? {
        guard !digits.isEmpty else { return nil }
        var value: Int64 = 0
        for digit in digits {
            guard ASCII.isDigit(digit) else { return nil }
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(Int64(digit &- UInt8(ascii: "0")))
            guard !overflow, !carry else { return nil }
            value = sum
        }
        return value
    }

    /// Whether the body is chunked and nothing else; false without Transfer-Encoding.
    ///
    /// RFC 9112 §6.1. No other coding is understood, because none was asked for with TE.
    func isChunked() throws(HTTP1ParseError) -> Bool {
        guard framingNames.contains(.transferEncoding), let position = position(of: .transferEncoding) else {
            return false
        }
        let value = value(at: position)
        guard Self.isEqual(value, "chunked"), self.position(of: .transferEncoding, from: position + 1) == nil else {
            throw HTTP1ParseError(.unsupportedTransferCoding, showing: value)
        }
        return true
    }

    /// Whether the connection may be used again (RFC 9112 §9.3): not after "close"; else always in
    /// HTTP/1.1, and after "keep-alive" in HTTP/1.0.
    func allowsKeepAlive(isHTTP10: Bool) -> Bool {
        guard framingNames.contains(.connection) else { return !isHTTP10 }
        var hasKeepAlive = false
        var next = position(of: .connection)
        while let position = next {
            let value = value(at: position)
            if Self.isEqual(value, "keep-alive") {
                hasKeepAlive = true
            } else {
                let options = value.split(separator: UInt8(ascii: ",")).map(Self.trimmed)
                if options.contains(where: { Self.isEqual($0, "close") }) { return false }
                hasKeepAlive = hasKeepAlive || options.contains { Self.isEqual($0, "keep-alive") }
            }
            next = self.position(of: .connection, from: position + 1)
        }
        return !isHTTP10 || hasKeepAlive
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var bytes = bytes.drop(while: ASCII.isBlank)
        while let last = bytes.last, ASCII.isBlank(last) { bytes.removeLast() }
        return bytes
    }

    private static func isEqual(_ bytes: ArraySlice<UInt8>, _ word: StaticString) -> Bool {
        // The bytes are only compared while the closure runs.
        unsafe bytes.withUnsafeBytes { unsafe ASCII.isEqual($0, lowercased: word) }
    }
}
