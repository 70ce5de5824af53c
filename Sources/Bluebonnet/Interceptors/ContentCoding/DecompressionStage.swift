import NIOCore

/// Undoes one content coding in bounded blocks.
///
/// A class, because it is consumed; used by one reader.
final class DecompressionStage {
    /// The most one block holds, and the least it is worth asking for.
    private static let blockSizes = 4096...262_144
    /// How much of a piece a library is shown at a time; zlib's counters have 32 bits.
    private static let largestInput = 1 << 30

    private enum Phase {
        /// Nothing was received.
        case unstarted
        /// In the middle of the data.
        case running
        /// After the end of the data, or of one gzip member or zstd frame.
        case ended
    }

    /// How many bytes came out.
    private(set) var produced = 0
    /// How often the library was called: the measure of the cost, with ``allocated``.
    private(set) var calls = 0
    /// How many bytes of room were made for blocks.
    private(set) var allocated = 0

    private let coding: ContentCoding.Coding
    private let decompressor: any Decompressor
    private var phase = Phase.unstarted
    private var pending = ByteBuffer()
    /// Room for the next block. What brings nothing leaves it for what follows: a member or a frame
    /// that holds nothing takes eight bytes, and a piece may be a single one.
    private var block = ByteBuffer()
    /// The last block was full, so the library may hold more of it.
    private var mayHoldOutput = false
    /// How much the last block could hold.
    private var lastCapacity = 0

    init(_ coding: ContentCoding.Coding) {
        self.coding = coding
        decompressor = coding.makeDecompressor()
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

    /// Says that the data is over.
    func finish() throws(NetworkingError) {
        let isComplete =
            switch phase {
            case .unstarted, .ended: pending.readableBytes == 0
            case .running: false
            }
        guard isComplete else { throw failure("it ends too early") }
    }

    /// Prepares the library for what comes next; false when that cannot be told before there is
    /// more of it.
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
