/// A decompression library behind one shape: bytes in, bytes out, no memory of its own beyond its
/// window.
///
/// ``DecompressionStage`` calls it; a failure is a phrase that ends the sentence "is not valid
/// gzip: …".
protocol Decompressor: AnyObject {
    /// Prepares for what begins here: the body, or whatever follows an end in it.
    ///
    /// - Parameters:
    ///   - first: The first byte, and the second when it is there.
    ///   - followsEnd: Whether data was complete before it.
    /// - Returns: False when this cannot be told before there are two bytes.
    /// - Throws: ``DecompressionFailure`` when nothing may begin here.
    func begin(_ first: (UInt8, UInt8?), followsEnd: Bool) throws(DecompressionFailure) -> Bool

    /// Decompresses from one buffer into the other; both are valid for the length of the call.
    ///
    /// - Parameters:
    ///   - input: What is next, possibly nothing.
    ///   - output: Where the result goes, never empty.
    /// - Returns: What was done.
    /// - Throws: ``DecompressionFailure`` when the data is not what it should be.
    func decompress(
        _ input: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer
    ) throws(DecompressionFailure) -> DecompressionStep
}

/// What one call of a ``Decompressor`` did.
struct DecompressionStep {
    /// How many bytes were taken from the input.
    var consumed: Int
    /// How many bytes were written to the output.
    var produced: Int
    /// The data, or this member or frame of it, is complete.
    var isAtEnd: Bool
}

/// Why data cannot be decompressed, as a phrase.
struct DecompressionFailure: Error {
    /// The phrase.
    var reason: String

    init(_ reason: String) {
        self.reason = reason
    }

    /// Something follows the end of the data where nothing may.
    static let trailingBytes = DecompressionFailure("bytes follow its end")
}

extension ContentCoding.Coding {
    /// Undoes the coding of one body.
    func makeDecompressor() -> any Decompressor {
        switch self {
        case .gzip: ZlibDecompressor(isGzip: true)
        case .deflate: ZlibDecompressor(isGzip: false)
        #if Brotli
            case .brotli: BrotliDecompressor()
        #endif
        #if Zstd
            case .zstd: ZstdDecompressor()
        #endif
        }
    }
}
