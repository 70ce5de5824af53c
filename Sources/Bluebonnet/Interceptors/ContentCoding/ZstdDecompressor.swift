#if Zstd
    import CZstd

    /// Zstandard (RFC 8878) by libzstd, with windows of at most 8 MB as RFC 9659 §3 demands for
    /// HTTP.
    ///
    /// Safe to use, because the library's context is private, lives exactly as long as the object,
    /// and only sees buffers that are valid for the length of a call.
    @safe final class ZstdDecompressor: Decompressor {
        /// 2 to this power is the largest window in bytes (RFC 9659 §3).
        private static let windowLog: CInt = 23

        private let context: OpaquePointer?
        private let isLimited: Bool
        /// The first bytes of the frame, as many as its header may have (RFC 8878 §3.1.1.1).
        private var header: [UInt8] = []
        private static let longestHeader = 18
        private static let magicNumberSize = 4
        /// The number of bytes that came out of the frame.
        private var produced: UInt64 = 0

        init() {
            let context = unsafe ZSTD_createDCtx()
            unsafe self.context = context
            if let context = unsafe context {
                // The context was made above.
                let result = unsafe ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, Self.windowLog)
                isLimited = ZSTD_isError(result) == 0
            } else {
                isLimited = false
            }
        }

        deinit {
            // Made above, and nil is allowed.
            unsafe ZSTD_freeDCtx(context)
        }

        /// RFC 8878 §3: data is a series of frames; the library begins each one by itself.
        func begin(_ first: (UInt8, UInt8?), followsEnd: Bool) throws(DecompressionFailure) -> Bool {
            guard isLimited else { throw DecompressionFailure("the zstd decoder could not be made") }
            header.removeAll(keepingCapacity: true)
            produced = 0
            return true
        }

        func decompress(
            _ input: UnsafeRawBufferPointer,
            into output: UnsafeMutableRawBufferPointer
        ) throws(DecompressionFailure) -> DecompressionStep {
            // A frame that is there as a whole takes another way through the library, which accepts
            // empty blocks that the way for pieces refuses (libzstd 1.5.4): only the magic number
            // is shown first, so that all take the same.
            let count = header.isEmpty ? min(input.count, Self.magicNumberSize) : input.count
            // Both buffers are valid for this call, and the library keeps no pointer into them.
            var source = unsafe ZSTD_inBuffer(src: input.baseAddress, size: count, pos: 0)
            var target = unsafe ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
            let hint = unsafe ZSTD_decompressStream(context, &target, &source)
            guard ZSTD_isError(hint) == 0 else {
                // The text is a constant of the library.
                throw DecompressionFailure(unsafe Self.reason(String(cString: ZSTD_getErrorName(hint))))
            }
            let step = unsafe DecompressionStep(consumed: source.pos, produced: target.pos, isAtEnd: hint == 0)
            unsafe header.append(contentsOf: input.prefix(min(step.consumed, Self.longestHeader - header.count)))
            produced += UInt64(step.produced)
            if step.isAtEnd, !hasDeclaredSize { throw DecompressionFailure("it has another size than it declares") }
            return step
        }

        /// Whether the frame that has ended is as large as its header says, where it says that.
        ///
        /// The library does not look when an empty block ends a frame that comes in pieces.
        private var hasDeclaredSize: Bool {
            // The library only reads the bytes of the array.
            let size = unsafe header.withUnsafeBytes { unsafe ZSTD_getFrameContentSize($0.baseAddress, $0.count) }
            // The two constants of the header file are macros that Swift does not see: unknown, and
            // no header.
            return size == produced || size >= .max - 1
        }

        /// The library's sentence as a phrase.
        private static func reason(_ text: String) -> String {
            text.prefix(1).lowercased() + text.dropFirst()
        }
    }
#endif
