package import HTTPTypes

/// Checks of texts that become header fields. `HTTPField` never fails for a value: it replaces what
/// cannot be sent with spaces and leaves out white space at both ends, in silence.
extension HTTPField {
    /// Makes a field of a name and a value that can be sent as they are.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - value: The value.
    /// - Throws: ``NetworkingError/Code/invalidRequest``, with a message that has the name and the
    ///   fault, and never the value.
    package init(checkedName name: String, value: String) throws(NetworkingError) {
        let checked = try Name(checked: name)
        try checked.check(value)
        self.init(name: checked, value: value)
    }

    /// The fault of a value that cannot be sent as it is (RFC 9110 §5.5), as the end of a sentence
    /// about it; nil for none.
    package static func fault(of value: String) -> String? {
        guard !isValidValue(value) else { return nil }
        for byte in value.utf8 where byte != ASCII.tab && (byte < 0x20 || byte == 0x7F) {
            if byte == ASCII.lineFeed || byte == ASCII.carriageReturn { return "has a line end in it" }
            let digits = String(byte, radix: 16, uppercase: true)
            return "has the control character U+00\(digits.utf8.count < 2 ? "0" : "")\(digits) in it"
        }
        return "begins or ends with white space"
    }
}

extension HTTPField.Name {
    /// Makes a name of a text.
    ///
    /// - Throws: ``NetworkingError/Code/invalidRequest`` for a text that is not a token (RFC 9110
    ///   §5.1).
    package init(checked text: String) throws(NetworkingError) {
        guard let name = Self(text) else {
            let shown = ASCII.escaped(text.utf8)
            throw NetworkingError(.invalidRequest, "“\(shown)” cannot be the name of a header (RFC 9110 §5.1).")
        }
        self = name
    }

    /// Checks that a value can be sent under this name as it is.
    ///
    /// - Throws: ``NetworkingError/Code/invalidRequest``, with the name and the fault.
    package func check(_ value: String) throws(NetworkingError) {
        guard let fault = HTTPField.fault(of: value) else { return }
        throw NetworkingError(.invalidRequest, "The value of \(rawName) \(fault) (RFC 9110 §5.5).")
    }
}
