/// Why data cannot be decompressed, as a phrase.
struct DecompressionFailure: Error {
    /// The phrase.
    var reason: String

    init(_ reason: String) {
        self.reason = reason
    }
}

extension DecompressionFailure {
    /// Something follows the end of the data where nothing may.
    static let trailingBytes = DecompressionFailure("bytes follow its end")
}
