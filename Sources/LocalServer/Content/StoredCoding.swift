/// Content codings whose streams are valid and do not make the bytes smaller, so that no library is
/// needed: their blocks hold the bytes as they are.
enum StoredCoding {
    /// A Brotli stream of uncompressed meta-blocks (RFC 7932 §9.2), with a window of 64 KiB.
    static func brotli(_ input: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        var rest = input[...]
        // WBITS is one bit, 0, in front of the first meta-block.
        var windowBits = 1
        while !rest.isEmpty {
            let block = rest.prefix(1 << 16)
            rest = rest.dropFirst(block.count)
            // ISLAST 0, MNIBBLES 00 for four nibbles, MLEN - 1, ISUNCOMPRESSED 1.
            let header = (UInt32(block.count - 1) << 3 | 1 << 19) << windowBits
            output += [UInt8(header & 0xFF), UInt8(header >> 8 & 0xFF), UInt8(header >> 16)]
            output += block
            windowBits = 0
        }
        // ISLAST and ISLASTEMPTY.
        return output + [0b11 << windowBits]
    }

    /// A Zstandard frame of raw blocks (RFC 8878 §3.1.1).
    static func zstd(_ input: [UInt8]) -> [UInt8] {
        // The magic number; the descriptor: a single segment, whose size has four bytes.
        var output: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0xA0]
        output += (0..<4).map { UInt8(truncatingIfNeeded: input.count >> (8 * $0)) }
        var rest = input[...]
        repeat {
            // At most 128 KiB (§3.1.1.2.4), and no more than the window, which is the whole input.
            let block = rest.prefix(1 << 17)
            rest = rest.dropFirst(block.count)
            // Last_Block, Block_Type 0 for raw, Block_Size.
            let header = block.count << 3 | (rest.isEmpty ? 1 : 0)
            output += (0..<3).map { UInt8(truncatingIfNeeded: header >> (8 * $0)) }
            output += block
        } while !rest.isEmpty
        return output
    }
}
