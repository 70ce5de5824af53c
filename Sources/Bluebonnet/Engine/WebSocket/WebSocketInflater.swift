import CZlib
import NIOCore

/// Undoes the compression of the messages of a server (RFC 7692 §7.2.2).
///
/// A class, because zlib's state keeps the address of its stream. Safe to use, because that stream
/// is private, lives exactly as long as the object, and only sees buffers that are valid for the
/// length of a call.
@safe final class WebSocketInflater {
    private let stream: UnsafeMutablePointer<z_stream>
    private let windowBits: CInt
    private let hasNoContext: Bool
    private var isInitialized = false

    /// The space zlib is given at a time.
    private static let blockSizes = 512...262_144
    /// RFC 7692 §7.2.2: the bytes that the sender has left out at the end of a message.
    private static let tail: [UInt8] = [0x00, 0x00, 0xFF, 0xFF]

    init(_ deflate: PerMessageDeflate) {
        // The window is the one that was agreed upon. Below 0: without the frame of RFC 1950.
        windowBits = -CInt(deflate.serverWindowBits)
        hasNoContext = deflate.hasServerNoContext
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
    }

    deinit {
        // The stream was allocated above, and is initialized by zlib exactly if `isInitialized`.
        if isInitialized { unsafe inflateEnd(stream) }
        unsafe stream.deinitialize(count: 1)
        unsafe stream.deallocate()
    }

    /// Appends what a piece of a message stands for.
    ///
    /// - Parameters:
    ///   - piece: The piece.
    ///   - isLast: Whether the message ends with it.
    ///   - output: Where the bytes are appended.
    ///   - limit: The most bytes that may be.
    /// - Returns: Whether the limit was kept; nothing may follow where it was not.
    /// - Throws: A fault where the piece is not DEFLATE.
    func inflate(
        _ piece: ByteBuffer,
        isLast: Bool,
        into output: inout ByteBuffer,
        upTo limit: Int
    ) throws(WebSocketFault) -> Bool {
        if !isInitialized {
            // The stream is zeroed, which gives zlib its default allocator. Here zlib has the
            // window of 8 bits, unlike for compression.
            let status = unsafe inflateInit2_(stream, windowBits, ZLIB_VERSION, CInt(MemoryLayout<z_stream>.size))
            guard status == Z_OK else { throw Self.fault("zlib could not be set up (\(status))") }
            isInitialized = true
        }
        let end = output.writerIndex + limit
        var piece = piece
        guard try run(&piece, into: &output, end: end) else { return false }
        guard isLast else { return true }
        var tail = ByteBuffer(bytes: Self.tail)
        guard try run(&tail, into: &output, end: end) else { return false }
        // Zlib tells whether it is behind a block. In one, the tail was taken for its bytes.
        guard unsafe stream.pointee.data_type & 128 != 0 else { throw Self.fault("it is not complete") }
        // The stream was initialized above.
        if hasNoContext { unsafe inflateReset(stream) }
        return true
    }

    private func run(_ input: inout ByteBuffer, into output: inout ByteBuffer, end: Int) throws(WebSocketFault) -> Bool
    {
        var isFull = false
        repeat {
            // One byte more than is allowed tells that there is more.
            let room = end - output.writerIndex + 1
            let wanted = min(max(input.readableBytes * 4, Self.blockSizes.lowerBound), Self.blockSizes.upperBound)
            let space = min(room, wanted)
            var status = Z_OK
            var consumed = 0
            // Both pointers are valid inside the closures, which is as long as zlib uses them; it
            // does not write to its input.
            unsafe input.withUnsafeReadableBytes { bytes in
                unsafe stream.pointee.next_in = unsafe UnsafeMutablePointer(
                    mutating: bytes.baseAddress?.assumingMemoryBound(to: Bytef.self)
                )
                unsafe stream.pointee.avail_in = uInt(bytes.count)
                unsafe output.writeWithUnsafeMutableBytes(minimumWritableBytes: space) { free in
                    let capacity = min(free.count, room)
                    unsafe stream.pointee.next_out = free.baseAddress?.assumingMemoryBound(to: Bytef.self)
                    unsafe stream.pointee.avail_out = uInt(capacity)
                    status = unsafe CZlib.inflate(stream, Z_SYNC_FLUSH)
                    isFull = unsafe stream.pointee.avail_out == 0
                    return unsafe capacity - Int(stream.pointee.avail_out)
                }
                consumed = unsafe bytes.count - Int(stream.pointee.avail_in)
            }
            input.moveReaderIndex(forwardBy: consumed)
            guard output.writerIndex <= end else { return false }
            switch status {
            case Z_OK, Z_BUF_ERROR: break
            case Z_STREAM_END: restart()
            default: throw Self.fault(reason)
            }
            // Z_BUF_ERROR: nothing went in and nothing came out, so that more would not help.
            if status == Z_BUF_ERROR, !isFull { break }
        } while isFull || input.readableBytes > 0
        return true
    }

    /// RFC 7692 §7.2.3.4: a sender may end a stream of DEFLATE inside a message. What follows may
    /// refer to what came before all the same, so that the window stays.
    private func restart() {
        // The stream was initialized. Unlike inflateReset, this keeps the window, and needs no copy
        // of it: a stream of two bytes must not cost as much as a window.
        unsafe inflateResetKeep(stream)
    }

    private static func fault(_ reason: String) -> WebSocketFault {
        .invalidPayload("A compressed message cannot be read: \(reason).")
    }

    /// Zlib's message for the fault.
    private var reason: String {
        // The message is a constant of zlib.
        guard let message = unsafe stream.pointee.msg else { return "it is corrupt" }
        return unsafe String(cString: message)
    }
}
