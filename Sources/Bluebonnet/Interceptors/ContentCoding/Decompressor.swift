/// A decompression library behind one shape: bytes in, bytes out, no memory of its own beyond its
/// window.
///
/// ``DecompressionStage`` calls it; a failure is a phrase that ends the sentence "is not valid
/// gzip: …".
protocol Decompressor: AnyObject {
    /// Prepares for the data that begins here: the body, or what follows an end in it.
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
    ///   - input: The next bytes, possibly none.
    ///   - output: The memory for the result, never empty.
    /// - Returns: The numbers of bytes taken and written.
    /// - Throws: ``DecompressionFailure`` when the data is not what it should be.
    func decompress(
        _ input: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer
    ) throws(DecompressionFailure) -> DecompressionStep
}

/// The result of one call of a ``Decompressor``.
struct DecompressionStep {
    /// The number of bytes taken from the input.
    var consumed: Int
    /// The number of bytes written to the output.
    var produced: Int
    /// Whether the data, or this member or frame of it, is complete.
    var isAtEnd: Bool
}

/// The reason why data cannot be decompressed, as a phrase.
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
    /// Makes what undoes the coding of one body.
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
