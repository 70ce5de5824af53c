import CZlib

/// Compression of bytes with zlib.
enum Compressor {
    /// The wrapping of the compressed data.
    enum Format: Int32 {
        /// The `deflate` coding: the zlib format (RFC 9110 §8.4.1.2).
        case zlib = 15
        /// The `gzip` coding (RFC 9110 §8.4.1.3).
        case gzip = 31
    }

    /// The bytes in compressed form.
    static func compress(_ input: [UInt8], as format: Format) -> [UInt8] {
        // The pointers are valid: both arrays outlive the calls inside the closures, and the counts
        // are theirs. `deflateBound` is the size that is always sufficient, so that one call
        // finishes the stream.
        var stream = unsafe z_stream()
        let version = unsafe zlibVersion()
        let size = Int32(unsafe MemoryLayout<z_stream>.size)
        guard
            unsafe deflateInit2_(&stream, 6, Z_DEFLATED, format.rawValue, 8, Z_DEFAULT_STRATEGY, version, size) == Z_OK
        else { return [] }
        defer { _ = unsafe deflateEnd(&stream) }
        var input = input
        var output = [UInt8](repeating: 0, count: Int(unsafe deflateBound(&stream, UInt(input.count))))
        let count = unsafe input.withUnsafeMutableBufferPointer { source in
            unsafe output.withUnsafeMutableBufferPointer { target in
                unsafe stream.next_in = source.baseAddress
                unsafe stream.avail_in = UInt32(source.count)
                unsafe stream.next_out = target.baseAddress
                unsafe stream.avail_out = UInt32(target.count)
                _ = unsafe deflate(&stream, Z_FINISH)
                return Int(unsafe stream.total_out)
            }
        }
        return Array(output.prefix(count))
    }
}
