import CZlib

/// gzip (RFC 1952) or deflate (RFC 1950, RFC 1951) by zlib.
///
/// A class, because zlib's state keeps the address of its stream. Safe to use, because that stream
/// is private, lives exactly as long as the object, and only sees buffers that are valid for the
/// length of a call.
@safe final class ZlibDecompressor: Decompressor {
    private let isGzip: Bool
    private let stream: UnsafeMutablePointer<z_stream>
    private var isInitialized = false

    init(isGzip: Bool) {
        self.isGzip = isGzip
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
    }

    deinit {
        // The stream was allocated above, and is initialized by zlib exactly if `isInitialized`.
        if isInitialized { unsafe inflateEnd(stream) }
        unsafe stream.deinitialize(count: 1)
        unsafe stream.deallocate()
    }

    func begin(_ first: (UInt8, UInt8?), followsEnd: Bool) throws(DecompressionFailure) -> Bool {
        if followsEnd {
            // RFC 1952 §2.2: a gzip file is a series of members. Nothing may follow deflate.
            guard isGzip, first.0 == 0x1F else { throw .trailingBytes }
            // The stream was initialized by `inflateInit2_`.
            guard unsafe inflateReset(stream) == Z_OK else { throw DecompressionFailure("zlib could not be reset") }
            return true
        }
        guard let windowBits = windowBits(first) else { return false }
        // The stream is zeroed, which gives zlib its default allocator.
        let status = unsafe inflateInit2_(stream, windowBits, ZLIB_VERSION, CInt(MemoryLayout<z_stream>.size))
        guard status == Z_OK else { throw DecompressionFailure("zlib could not be set up (\(status))") }
        isInitialized = true
        return true
    }

    /// The number that tells zlib the format, nil when the two bytes that tell zlib from bare
    /// deflate are not there yet.
    ///
    /// No bare deflate is shorter than two bytes, and none begins like this unless its encoder
    /// filled the padding of a stored block with ones (RFC 1951 §3.2.4), and no encoder does.
    private func windowBits(_ first: (UInt8, UInt8?)) -> CInt? {
        if isGzip { return 16 + MAX_WBITS }
        guard let second = first.1 else { return nil }
        let header = UInt16(first.0) << 8 | UInt16(second)
        // RFC 1950 §2.2: method 8, a window of at most 32 KiB, and a multiple of 31.
        let isZlib = header >> 8 & 0x0F == 8 && header >> 12 <= 7 && header % 31 == 0
        return isZlib ? MAX_WBITS : -MAX_WBITS
    }

    func decompress(
        _ input: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer
    ) throws(DecompressionFailure) -> DecompressionStep {
        // zlib does not write to its input, and both buffers are valid for this call.
        unsafe stream.pointee.next_in = unsafe UnsafeMutablePointer(
            mutating: input.baseAddress?.assumingMemoryBound(to: Bytef.self)
        )
        unsafe stream.pointee.avail_in = uInt(input.count)
        unsafe stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: Bytef.self)
        unsafe stream.pointee.avail_out = uInt(output.count)
        let status = unsafe inflate(stream, Z_NO_FLUSH)
        let step = unsafe DecompressionStep(
            consumed: input.count - Int(stream.pointee.avail_in),
            produced: output.count - Int(stream.pointee.avail_out),
            isAtEnd: status == Z_STREAM_END
        )
        switch status {
        case Z_OK, Z_STREAM_END: return step
        // Nothing went in and nothing came out: the block before was full by chance.
        case Z_BUF_ERROR where unsafe input.isEmpty && step.produced == 0: return step
        case Z_NEED_DICT: throw DecompressionFailure("it needs a dictionary")
        default: throw DecompressionFailure(reason)
        }
    }

    /// Zlib's message for the fault.
    private var reason: String {
        // The message is a constant of zlib.
        guard let message = unsafe stream.pointee.msg else { return "it is corrupt" }
        return unsafe String(cString: message)
    }
}
