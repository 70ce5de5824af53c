/// Bodies that cost much for their size, made by hand. The target `FuzzTests` has this file through
/// a link.
enum HostileBody: String, CaseIterable {
    case emptyMembers, emptyStoredBlocks, dynamicBlocks
    #if Brotli
        case emptyMetablocks
    #endif
    #if Zstd
        case skippedFrames, emptyFrames, smallBlocks
    #endif

    /// The content coding, as a server names it.
    var coding: String {
        switch self {
        case .emptyMembers: "gzip"
        case .emptyStoredBlocks, .dynamicBlocks: "deflate"
        #if Brotli
            case .emptyMetablocks: "br"
        #endif
        #if Zstd
            case .skippedFrames, .emptyFrames, .smallBlocks: "zstd"
        #endif
        }
    }

    /// A body with `count` of these.
    func bytes(_ count: Int) -> [UInt8] {
        func times(_ bytes: [UInt8]) -> [UInt8] { (0..<count).flatMap { _ in bytes } }
        switch self {
        case .emptyMembers:
            // RFC 1952 §2.3: a header without options, an empty block, the check value and size of
            // nothing.
            return times([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0])
        case .emptyStoredBlocks:
            // RFC 1951 §3.2.4: no bytes, and at the end a block of fixed codes.
            return times([0, 0, 0, 0xFF, 0xFF]) + [3, 0]
        case .dynamicBlocks: return Self.dynamicBlocks(count)
        #if Brotli
            case .emptyMetablocks:
                // RFC 7932 §9.2: metadata of no bytes, a byte each, the first one with the size of
                // the window.
                return [0x0C] + times([0x06]) + [0x03]
        #endif
        #if Zstd
            case .skippedFrames:
                // RFC 8878 §3.1.2.
                return times([0x50, 0x2A, 0x4D, 0x18, 0, 0, 0, 0])
            case .emptyFrames:
                // RFC 8878 §3.1.1: a single segment of size 0, and in it the last block, which is
                // empty.
                return times([0x28, 0xB5, 0x2F, 0xFD, 0x20, 0, 1, 0, 0])
            case .smallBlocks:
                // RFC 8878 §3.1.1.2: blocks that repeat a byte once, in a window of 1 KB.
                return [0x28, 0xB5, 0x2F, 0xFD, 0, 0] + times([0x0A, 0, 0, 0x61]) + [0x09, 0, 0, 0x61]
        #endif
        }
    }

    /// RFC 1951 §3.2.7: blocks of their own codes, each with nothing but its end.
    ///
    /// 257 literal codes, of which the zero byte and the end have one bit, and one distance code of
    /// one bit.
    private static func dynamicBlocks(_ count: Int) -> [UInt8] {
        var bits: [Bool] = []
        func write(_ value: Int, _ length: Int) { for place in 0..<length { bits.append(value >> place & 1 == 1) } }
        var bytes: [UInt8] = []
        for number in 0...count {
            write(number == count ? 1 : 0, 1)
            write(2, 2)
            write(0, 5)
            write(0, 5)
            // The lengths of the code for code lengths, up to that of 1, in the order 16 17 18 0 8
            // 7 9 … 2 14 1.
            write(18 - 4, 4)
            for symbol in [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1] {
                write(symbol == 18 || symbol == 1 ? 1 : 0, 3)
            }
            // Codes of one bit: 0 for a length of 1, 1 for a run of zeros.
            write(0, 1)
            for run in [138, 117] {
                write(1, 1)
                write(run - 11, 7)
            }
            write(0, 1)
            write(0, 1)
            // The end of the block is the second literal code.
            write(1, 1)
            while bits.count >= 8 {
                bytes.append((0..<8).reduce(0) { $0 | (bits[$1] ? 1 << UInt8($1) : 0) })
                bits.removeFirst(8)
            }
        }
        while !bits.isEmpty, bits.count < 8 { bits.append(false) }
        if !bits.isEmpty { bytes.append((0..<8).reduce(0) { $0 | (bits[$1] ? 1 << UInt8($1) : 0) }) }
        return bytes
    }
}
