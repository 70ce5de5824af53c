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
