import NIOCore

/// Undoes one content coding in bounded blocks.
///
/// A class, because it is consumed; used by one reader.
final class DecompressionStage {
    /// The sizes of a block, from the least that is worth a call to the most.
    private static let blockSizes = 4096...262_144
    /// The most of a piece that a library is given at a time; zlib's counters have 32 bits.
    private static let largestInput = 1 << 30

    private enum Phase {
        /// Nothing was received. Then `running`.
        case unstarted
        /// In the middle of the data. Then `ended`.
        case running
        /// After the end of the data, or of one gzip member or zstd frame. Then `running` for the
        /// next.
        case ended
    }

    /// The number of bytes of output.
    private(set) var produced = 0
    /// The number of calls of the library: the measure of the cost, with ``allocated``.
    private(set) var calls = 0
    /// The number of bytes allocated for blocks.
    private(set) var allocated = 0

    private let coding: ContentCoding.Coding
    private let decompressor: any Decompressor
    private var phase = Phase.unstarted
    private var pending = ByteBuffer()
    /// Memory for the next block. A call without output leaves it for the next one: an empty member
    /// or frame takes eight bytes, and a piece may be a single byte.
    private var block = ByteBuffer()
    /// Whether the last block was full, so that the library may hold more output.
    private var mayHoldOutput = false
    /// The capacity of the last block.
    private var lastCapacity = 0

    init(_ coding: ContentCoding.Coding) {
        self.coding = coding
        decompressor = coding.makeDecompressor()
    }

    /// Takes a piece of the encoded data.
    func push(_ piece: ByteBuffer) {
        if pending.readableBytes == 0 {
            pending = piece
        } else {
            var piece = piece
            pending.writeBuffer(&piece)
        }
    }

    /// Returns the next decoded block, never empty; nil when another piece is needed.
    func nextBlock() throws(NetworkingError) -> ByteBuffer? {
        do {
            while pending.readableBytes > 0 || mayHoldOutput {
                guard try isReady() else { return nil }
                try decompressOnce()
                guard block.readableBytes == 0 else {
                    let full = block
                    block = ByteBuffer()
                    return full
                }
            }
            return nil
        } catch {
            throw failure(error.reason)
        }
    }

    /// Ends the data.
    func finish() throws(NetworkingError) {
        let isComplete =
            switch phase {
            case .unstarted, .ended: pending.readableBytes == 0
            case .running: false
            }
        guard isComplete else { throw failure("it ends too early") }
    }

    /// Prepares the library for the next data; false when more bytes are needed to tell what it is.
    private func isReady() throws(DecompressionFailure) -> Bool {
        if case .running = phase { return true }
        guard let first = pending.getInteger(at: pending.readerIndex, as: UInt8.self) else { return false }
        let second = pending.getInteger(at: pending.readerIndex + 1, as: UInt8.self)
        let followsEnd = if case .ended = phase { true } else { false }
        guard try decompressor.begin((first, second), followsEnd: followsEnd) else { return false }
        phase = .running
        return true
    }

    /// The most the next block can hold.
    var nextBlockSize: Int {
        // Text becomes three to five times larger: small bodies get one small block, large ones
        // full blocks. What holds more than that gets larger ones step by step, not a large one for
        // a few bytes more.
        let expected = max(pending.readableBytes * 5, mayHoldOutput ? lastCapacity * 4 : 0)
        return min(max(expected, block.capacity, Self.blockSizes.lowerBound), Self.blockSizes.upperBound)
    }

    private func decompressOnce() throws(DecompressionFailure) {
        if block.capacity < nextBlockSize {
            block = ByteBufferAllocator().buffer(capacity: nextBlockSize)
            allocated += block.capacity
        }
        calls += 1
        var capacity = 0
        var result = Result<DecompressionStep, DecompressionFailure>.failure(DecompressionFailure("it was not read"))
        // Both pointers are valid inside the closures, which is as long as the library uses them.
        unsafe pending.withUnsafeReadableBytes { bytes in
            let input = unsafe UnsafeRawBufferPointer(rebasing: bytes.prefix(Self.largestInput))
            unsafe block.writeWithUnsafeMutableBytes(minimumWritableBytes: 0) { space in
                let output = unsafe UnsafeMutableRawBufferPointer(rebasing: space.prefix(Self.blockSizes.upperBound))
                capacity = output.count
                result = unsafe Self.attempt(decompressor, input, output)
                return (try? result.get().produced) ?? 0
            }
        }
        let step = try result.get()
        pending.moveReaderIndex(forwardBy: step.consumed)
        produced += step.produced
        mayHoldOutput = step.produced == capacity && !step.isAtEnd
        lastCapacity = capacity
        if step.isAtEnd {
            phase = .ended
        } else if step.consumed == 0, step.produced == 0, pending.readableBytes > 0 {
            // No library does this; a loop without end would be the price if one did.
            throw DecompressionFailure("it makes no progress")
        }
    }

    private static func attempt(
        _ decompressor: any Decompressor,
        _ input: UnsafeRawBufferPointer,
        _ output: UnsafeMutableRawBufferPointer
    ) -> Result<DecompressionStep, DecompressionFailure> {
        Result { () throws(DecompressionFailure) in try unsafe decompressor.decompress(input, into: output) }
    }

    private func failure(_ reason: String) -> NetworkingError {
        NetworkingError(.contentDecodingFailed, "The response body is not valid \(coding): \(reason).")
    }
}
