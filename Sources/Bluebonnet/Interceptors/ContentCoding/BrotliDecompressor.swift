#if Brotli
    import CBrotli

    /// Brotli (RFC 7932) by libbrotlidec, with windows of at most 16 MiB: "large window" stays off.
    ///
    /// Safe to use, because the library's state is private, lives exactly as long as the object,
    /// and only sees buffers that are valid for the length of a call.
    @safe final class BrotliDecompressor: Decompressor {
        private let state: OpaquePointer?

        init() {
            // Nil means the default allocator.
            unsafe state = BrotliDecoderCreateInstance(nil, nil, nil)
        }

        deinit {
            // Made above, and nil is allowed.
            unsafe BrotliDecoderDestroyInstance(state)
        }

        func begin(_ first: (UInt8, UInt8?), followsEnd: Bool) throws(DecompressionFailure) -> Bool {
            guard unsafe state != nil else { throw DecompressionFailure("the Brotli decoder could not be made") }
            if followsEnd { throw .trailingBytes }
            return true
        }

        func decompress(
            _ input: UnsafeRawBufferPointer,
            into output: UnsafeMutableRawBufferPointer
        ) throws(DecompressionFailure) -> DecompressionStep {
            var nextIn = unsafe input.baseAddress?.assumingMemoryBound(to: UInt8.self)
            var availableIn = input.count
            var nextOut = unsafe output.baseAddress?.assumingMemoryBound(to: UInt8.self)
            var availableOut = output.count
            // Both buffers are valid for this call, and the library keeps no pointer into them.
            let result = unsafe BrotliDecoderDecompressStream(
                state,
                &availableIn,
                &nextIn,
                &availableOut,
                &nextOut,
                nil
            )
            guard result != BROTLI_DECODER_RESULT_ERROR else {
                let code = unsafe BrotliDecoderGetErrorCode(state)
                // The text is a constant of the library.
                let name = unsafe BrotliDecoderErrorString(code).map { unsafe String(cString: $0) }
                throw DecompressionFailure("it is corrupt (\(name ?? "\(code)"))")
            }
            return DecompressionStep(
                consumed: input.count - availableIn,
                produced: output.count - availableOut,
                isAtEnd: result == BROTLI_DECODER_RESULT_SUCCESS
            )
        }
    }
#endif
