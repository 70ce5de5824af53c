package import HTTPTypes

extension HTTPField {
    /// The value with each byte as the character of the same number (ISO-8859-1), which loses
    /// nothing.
    ///
    /// `value` reads the bytes as UTF-8 and repairs what is not, so bytes from 0x80 up may not
    /// survive there.
    package var latin1Value: String {
        // The bytes are only read while the closure runs.
        unsafe withUnsafeBytesOfValue { bytes in unsafe String(latin1: bytes) }
    }

    /// The bytes of a value that is not UTF-8, which `value` repairs; nil for all others.
    var bytesOutsideUTF8: [UInt8]? {
        let value = value
        // Most values: what is repaired has U+FFFD in it.
        guard !value.utf8Span.isKnownASCII else { return nil }
        // The bytes are only read while the closure runs.
        return unsafe withUnsafeBytesOfValue { bytes in
            unsafe value.utf8.elementsEqual(bytes) ? nil : unsafe Array(bytes)
        }
    }

    /// Makes a field whose value has one byte for each character of `latin1Value`.
    ///
    /// Nil when a character is above U+00FF, or is CR, LF or NUL, which no field value can contain
    /// (RFC 9110 §5.5).
    package init?(name: Name, latin1Value: String) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(latin1Value.utf8.count)
        for scalar in latin1Value.unicodeScalars {
            guard let byte = UInt8(exactly: scalar.value), byte != 0, byte != ASCII.carriageReturn,
                byte != ASCII.lineFeed
            else { return nil }
            bytes.append(byte)
        }
        self.init(name: name, lenientValue: bytes)
    }
}

extension String {
    /// Each byte as the character of the same number (ISO-8859-1).
    init(latin1 bytes: some Collection<UInt8>) {
        guard !bytes.allSatisfy({ $0 < 0x80 }) else {
            self.init(decoding: bytes, as: UTF8.self)
            return
        }
        self.init()
        unicodeScalars.append(contentsOf: bytes.lazy.map { Unicode.Scalar($0) })
    }
}
