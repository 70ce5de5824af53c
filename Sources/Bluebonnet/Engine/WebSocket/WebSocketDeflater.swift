import CZlib
import NIOCore

/// Compresses the messages of the client (RFC 7692 §7.2.1).
///
/// A class, because zlib's state keeps the address of its stream. Safe to use, because that stream
/// is private, lives exactly as long as the object, and only sees buffers that are valid for the
/// length of a call.
@safe final class WebSocketDeflater {
    private let stream: UnsafeMutablePointer<z_stream>
    private let isInitialized: Bool
    private let hasNoContext: Bool

    /// The space zlib is given at a time.
    private static let blockSizes = 512...262_144

    /// Makes a compressor; nil where none can be had, and then messages are sent as they are, which
    /// is always allowed (RFC 7692 §6.1).
    ///
    /// zlib has no window of 256 bytes for raw DEFLATE, so that there is none for
    /// `client_max_window_bits=8`.
    init?(_ deflate: PerMessageDeflate) {
        guard deflate.clientWindowBits > 8 else { return nil }
        hasNoContext = deflate.hasClientNoContext
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        // The stream is zeroed, which gives zlib its default allocator. Below 0: without the frame
        // of RFC 1950.
        let status = unsafe deflateInit2_(
            stream,
            CInt(deflate.level),
            Z_DEFLATED,
            -CInt(deflate.clientWindowBits),
            8,
            Z_DEFAULT_STRATEGY,
            ZLIB_VERSION,
            CInt(MemoryLayout<z_stream>.size)
        )
        isInitialized = status == Z_OK
        if !isInitialized { return nil }
    }

    deinit {
        // The stream was allocated above, and is initialized by zlib exactly if `isInitialized`.
        if isInitialized { unsafe deflateEnd(stream) }
        unsafe stream.deinitialize(count: 1)
        unsafe stream.deallocate()
    }

    /// Compresses a piece of a message.
    ///
    /// - Parameters:
    ///   - piece: The piece.
    ///   - isLast: Whether the message ends with it.
    /// - Returns: What can be sent; nothing may be ready before the end.
    func deflate(_ piece: ByteBuffer, isLast: Bool) -> ByteBuffer {
        var input = piece
        var output = ByteBuffer()
        var isFull = false
        repeat {
            let space = min(max(input.readableBytes, Self.blockSizes.lowerBound), Self.blockSizes.upperBound)
            var consumed = 0
            // Both pointers are valid inside the closures, which is as long as zlib uses them; it
            // does not write to its input. With an initialized stream and these flushes it cannot
            // fail.
            unsafe input.withUnsafeReadableBytes { bytes in
                unsafe stream.pointee.next_in = unsafe UnsafeMutablePointer(
                    mutating: bytes.baseAddress?.assumingMemoryBound(to: Bytef.self)
                )
                unsafe stream.pointee.avail_in = uInt(bytes.count)
                unsafe output.writeWithUnsafeMutableBytes(minimumWritableBytes: space) { free in
                    unsafe stream.pointee.next_out = free.baseAddress?.assumingMemoryBound(to: Bytef.self)
                    unsafe stream.pointee.avail_out = uInt(free.count)
                    _ = unsafe CZlib.deflate(stream, isLast ? Z_SYNC_FLUSH : Z_NO_FLUSH)
                    isFull = unsafe stream.pointee.avail_out == 0
                    return unsafe free.count - Int(stream.pointee.avail_out)
                }
                consumed = unsafe bytes.count - Int(stream.pointee.avail_in)
            }
            input.moveReaderIndex(forwardBy: consumed)
        } while isFull || input.readableBytes > 0
        guard isLast else { return output }
        // RFC 7692 §7.2.1: the four bytes of the flush are left out. zlib flushes nothing where
        // nothing has come since the last flush; §7.2.3.6: an empty message is an empty block.
        if output.readableBytes >= 4 {
            output.moveWriterIndex(to: output.writerIndex - 4)
        } else {
            output.writeInteger(0 as UInt8)
        }
        if hasNoContext { unsafe deflateReset(stream) }
        return output
    }
}
