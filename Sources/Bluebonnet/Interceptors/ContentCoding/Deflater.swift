import CZlib
import NIOCore

/// Applies gzip (RFC 1952) or deflate in the zlib format (RFC 1950), piece by piece.
///
/// A class, because zlib's state keeps the address of its stream. Safe to use, because that stream
/// is private, lives exactly as long as the object, and only sees buffers that are valid for the
/// length of a call.
@safe final class Deflater {
    /// The format of the result: the names are those of the content codings (RFC 9110 §8.4.1).
    enum Format: String, Sendable {
        case gzip
        /// The zlib format, not the bare one (RFC 9110 §8.4.1.2).
        case deflate
    }

    /// Zlib refused to work, which it only does when memory is short.
    struct Failure: Error, CustomStringConvertible {
        let status: CInt

        var description: String { "zlib failed (\(status))" }
    }

    /// The space zlib is given at a time.
    private static let blockSizes = 1024...262_144
    /// The most of a piece that zlib is given at a time; its counters have 32 bits.
    private static let largestInput = 1 << 30

    private let stream: UnsafeMutablePointer<z_stream>
    private let isInitialized: Bool

    /// - Parameters:
    ///   - format: The format of the result.
    ///   - level: From 1, fastest, to 9, smallest.
    /// - Throws: When zlib cannot be set up.
    init(_ format: Format, level: Int) throws(Failure) {
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        let windowBits = format == .gzip ? 16 + MAX_WBITS : MAX_WBITS
        // The stream is zeroed, which gives zlib its default allocator.
        let status = unsafe deflateInit2_(
            stream,
            CInt(min(max(level, 1), 9)),
            Z_DEFLATED,
            windowBits,
            8,
            Z_DEFAULT_STRATEGY,
            ZLIB_VERSION,
            CInt(MemoryLayout<z_stream>.size)
        )
        isInitialized = status == Z_OK
        guard isInitialized else { throw Failure(status: status) }
    }

    deinit {
        // The stream was allocated above, and is initialized by zlib exactly if `isInitialized`.
        if isInitialized { unsafe deflateEnd(stream) }
        unsafe stream.deinitialize(count: 1)
        unsafe stream.deallocate()
    }

    /// Takes a piece; returns what can be sent already, often nothing.
    func compress(_ piece: ByteBuffer) throws(Failure) -> ByteBuffer {
        try run(piece, isLast: false)
    }

    /// Ends the data and returns the rest. Nothing may follow.
    func finish() throws(Failure) -> ByteBuffer {
        try run(ByteBuffer(), isLast: true)
    }

    private func run(_ piece: ByteBuffer, isLast: Bool) throws(Failure) -> ByteBuffer {
        var input = piece
        var output = ByteBuffer()
        var status = Z_OK
        var isFull = false
        repeat {
            let count = min(input.readableBytes, Self.largestInput)
            let flush = isLast && count == input.readableBytes ? Z_FINISH : Z_NO_FLUSH
            let space = min(max(count / 4, Self.blockSizes.lowerBound), Self.blockSizes.upperBound)
            var consumed = 0
            // Both pointers are valid inside the closures, which is as long as zlib uses them; it
            // does not write to its input.
            unsafe input.withUnsafeReadableBytes { bytes in
                unsafe stream.pointee.next_in = unsafe UnsafeMutablePointer(
                    mutating: bytes.baseAddress?.assumingMemoryBound(to: Bytef.self)
                )
                unsafe stream.pointee.avail_in = uInt(count)
                unsafe output.writeWithUnsafeMutableBytes(minimumWritableBytes: space) { free in
                    let capacity = min(free.count, Self.largestInput)
                    unsafe stream.pointee.next_out = free.baseAddress?.assumingMemoryBound(to: Bytef.self)
                    unsafe stream.pointee.avail_out = uInt(capacity)
                    status = unsafe deflate(stream, flush)
                    isFull = unsafe stream.pointee.avail_out == 0
                    return unsafe capacity - Int(stream.pointee.avail_out)
                }
                consumed = unsafe count - Int(stream.pointee.avail_in)
            }
            input.moveReaderIndex(forwardBy: consumed)
            // Z_BUF_ERROR: there was nothing to do, which is not a fault.
            guard status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR else {
                throw Failure(status: status)
            }
        } while isFull || input.readableBytes > 0 || isLast && status != Z_STREAM_END
        return output
    }
}
