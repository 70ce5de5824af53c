import CZlib
import NIOCore

/// Undoes gzip (RFC 1952) or deflate (RFC 1950, RFC 1951) in bounded blocks.
///
/// A class, because zlib's state keeps the address of its stream. Safe to use, because that stream is private, lives
/// exactly as long as the object, and only sees buffers that are valid for the length of a call.
@safe final class Inflater {
    /// The most one block holds, and the least it is worth asking for.
    private static let blockSizes = 4096...262_144
    /// How much of a piece zlib is shown at a time; its counters have 32 bits.
    private static let largestInput = 1 << 30

    private enum Phase {
        /// Nothing was received.
        case unstarted
        /// In the middle of the data.
        case inflating
        /// After the end of the data, or of one gzip member.
        case ended
    }

    /// How many bytes came out.
    private(set) var produced = 0

    private let coding: ContentCoding.Coding
    private let stream: UnsafeMutablePointer<z_stream>
    private var isInitialized = false
    private var phase = Phase.unstarted
    private var pending = ByteBuffer()
    /// The last block was full, so zlib may hold more of it.
    private var mayHoldOutput = false

    init(_ coding: ContentCoding.Coding) {
        self.coding = coding
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
    }

    deinit {
        // The stream was allocated above, and is initialized by zlib exactly if `isInitialized`.
        if isInitialized { unsafe inflateEnd(stream) }
        unsafe stream.deinitialize(count: 1)
        unsafe stream.deallocate()
    }

    /// Takes a piece of the coded data.
    func push(_ piece: ByteBuffer) {
        if pending.readableBytes == 0 {
            pending = piece
        } else {
            var piece = piece
            pending.writeBuffer(&piece)
        }
    }

    /// Brings the next decoded block, never empty; nil when another piece is needed.
    func nextBlock() throws(NetworkingError) -> ByteBuffer? {
        while pending.readableBytes > 0 || mayHoldOutput {
            guard try isReady() else { return nil }
            let block = try inflateOnce()
            if block.readableBytes > 0 { return block }
        }
        return nil
    }

    /// Says that the data is over.
    func finish() throws(NetworkingError) {
        let isComplete =
            switch phase {
            case .unstarted, .ended: pending.readableBytes == 0
            case .inflating: false
            }
        guard isComplete else { throw failure("it ends too early") }
    }

    /// Prepares zlib for what comes next; false when that cannot be told before there is more of it.
    private func isReady() throws(NetworkingError) -> Bool {
        switch phase {
        case .inflating:
            return true
        case .ended:
            // RFC 1952 §2.2: a gzip file is a series of members. Nothing may follow deflate.
            guard coding == .gzip, pending.getInteger(at: pending.readerIndex, as: UInt8.self) == 0x1F else {
                throw failure("bytes follow its end")
            }
            // The stream was initialized by `inflateInit2_`.
            guard unsafe inflateReset(stream) == Z_OK else { throw failure("zlib could not be reset") }
        case .unstarted:
            guard let windowBits else { return false }
            // The stream is zeroed, which gives zlib its default allocator.
            let status = unsafe inflateInit2_(stream, windowBits, ZLIB_VERSION, CInt(MemoryLayout<z_stream>.size))
            guard status == Z_OK else { throw failure("zlib could not be set up (\(status))") }
            isInitialized = true
        }
        phase = .inflating
        return true
    }

    /// How zlib is told the format, nil when the two bytes that tell zlib from bare deflate are not there yet.
    private var windowBits: CInt? {
        if coding == .gzip { return 16 + MAX_WBITS }
        guard let header = pending.getInteger(at: pending.readerIndex, as: UInt16.self) else { return nil }
        // RFC 1950 §2.2: method 8, a window of at most 32 KiB, and a multiple of 31.
        let isZlib = header >> 8 & 0x0F == 8 && header >> 12 <= 7 && header % 31 == 0
        return isZlib ? MAX_WBITS : -MAX_WBITS
    }

    private func inflateOnce() throws(NetworkingError) -> ByteBuffer {
        // Text becomes three to five times larger: small bodies get one small block, large ones full blocks.
        let size = min(max(pending.readableBytes * 5, Self.blockSizes.lowerBound), Self.blockSizes.upperBound)
        var block = ByteBufferAllocator().buffer(capacity: mayHoldOutput ? Self.blockSizes.upperBound : size)
        var status = Z_OK
        var consumed = 0
        // Both pointers are valid inside the closures, which is as long as zlib uses them; it does not write to its
        // input.
        unsafe pending.withUnsafeReadableBytes { input in
            let count = min(input.count, Self.largestInput)
            unsafe stream.pointee.next_in = unsafe UnsafeMutablePointer(
                mutating: input.baseAddress?.assumingMemoryBound(to: Bytef.self)
            )
            unsafe stream.pointee.avail_in = uInt(count)
            unsafe block.writeWithUnsafeMutableBytes(minimumWritableBytes: 0) { output in
                let capacity = min(output.count, Self.blockSizes.upperBound)
                unsafe stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: Bytef.self)
                unsafe stream.pointee.avail_out = uInt(capacity)
                status = unsafe inflate(stream, Z_NO_FLUSH)
                mayHoldOutput = unsafe stream.pointee.avail_out == 0
                return unsafe capacity - Int(stream.pointee.avail_out)
            }
            consumed = unsafe count - Int(stream.pointee.avail_in)
        }
        pending.moveReaderIndex(forwardBy: consumed)
        produced += block.readableBytes
        switch status {
        case Z_STREAM_END:
            phase = .ended
            mayHoldOutput = false
        case Z_OK:
            break
        case Z_BUF_ERROR where pending.readableBytes == 0 && block.readableBytes == 0:
            // Nothing went in and nothing came out: there was no more output after all.
            mayHoldOutput = false
        case Z_NEED_DICT:
            throw failure("it needs a dictionary")
        default:
            throw failure(reason)
        }
        return block
    }

    /// Zlib's words for what is wrong.
    private var reason: String {
        // The message is a constant of zlib.
        guard let message = unsafe stream.pointee.msg else { return "it is corrupt" }
        return unsafe String(cString: message)
    }

    private func failure(_ reason: String) -> NetworkingError {
        NetworkingError(.contentDecodingFailed, "The response body is not valid \(coding): \(reason).")
    }
}
