extension HPACK {
    /// The Huffman code of RFC 7541 Appendix B.
    ///
    /// It is canonical: the codes of one length are successive numbers in the order of their
    /// symbols, so that the lengths say all.
    struct Huffman: Sendable {
        static let shared = Self()

        /// The code of each symbol, in its lowest bits.
        private var codes = [UInt32](repeating: 0, count: 257)
        /// By the next 8 bits: the symbol and, in the upper byte, the length of its code; 0 where
        /// that is longer.
        private var short = [UInt16](repeating: 0, count: 256)
        /// Of each length: the first code, the number of codes, and the place of its first symbol.
        private var ranges = [(first: UInt32, count: UInt32, place: Int)](repeating: (0, 0, 0), count: 31)
        /// The symbols in the order of their codes.
        private var symbols: [UInt16] = []

        /// The symbol that only fills up the last byte (§5.2).
        private static let end: UInt16 = 256
        private static let longest = 30

        private init() {
            var code: UInt32 = 0
            for length in 5...Self.longest {
                code &<<= 1
                let first = code
                let place = symbols.count
                for symbol in Self.lengths.indices where Int(Self.lengths[symbol]) == length {
                    codes[symbol] = code
                    symbols.append(UInt16(symbol))
                    if length <= 8 {
                        let start = Int(code) &<< (8 - length)
                        for index in start..<start + 1 &<< (8 - length) {
                            short[index] = UInt16(length) &<< 8 | UInt16(symbol)
                        }
                    }
                    code += 1
                }
                ranges[length] = (first, code - first, place)
            }
        }

        /// The number of bytes of a text when it is encoded.
        func encodedLength(_ text: Span<UInt8>) -> Int {
            var bits = 0
            for position in text.indices { bits += Int(Self.lengths[Int(text[position])]) }
            return (bits + 7) / 8
        }

        /// Encodes a text (§5.2).
        func encode(_ text: Span<UInt8>, _ append: (UInt8) -> Void) {
            var held: UInt64 = 0
            var bits = 0
            for position in text.indices {
                let symbol = Int(text[position])
                let length = Int(Self.lengths[symbol])
                held = held &<< UInt64(length) | UInt64(codes[symbol])
                bits += length
                while bits >= 8 {
                    bits -= 8
                    append(UInt8(truncatingIfNeeded: held &>> UInt64(bits)))
                }
            }
            guard bits > 0 else { return }
            // The padding is the beginning of the code of EOS, which is ones.
            let padding = UInt8(0xFF) &>> UInt8(bits)
            append(UInt8(truncatingIfNeeded: held &<< UInt64(8 - bits)) | padding)
        }

        /// Decodes a text (§5.2).
        ///
        /// - Parameters:
        ///   - text: The encoded text.
        ///   - bytes: Where to append it.
        /// - Throws: An error of the connection.
        func decode(_ text: Span<UInt8>, to bytes: inout [UInt8]) throws(HTTP2Fault) {
            var held: UInt64 = 0
            var bits = 0
            var position = 0
            while true {
                while bits <= 48, position < text.count {
                    held = held &<< 8 | UInt64(text[position])
                    bits += 8
                    position += 1
                }
                // Behind the end there are ones, as in the padding.
                let next = bits >= 8 ? held &>> UInt64(bits - 8) : held &<< UInt64(8 - bits) | 0xFF &>> UInt64(bits)
                let entry = short[Int(next & 0xFF)]
                let length = Int(entry &>> 8)
                if length > 0, length <= bits {
                    bytes.append(UInt8(truncatingIfNeeded: entry))
                    bits -= length
                } else if bits < 8 {
                    // §5.2: the padding is shorter than a byte, and all ones.
                    guard ~held & (1 &<< UInt64(bits) - 1) == 0 else {
                        throw HPACK.undecodable("has a Huffman code with another padding than ones")
                    }
                    return
                } else {
                    bytes.append(try long(held, &bits))
                }
            }
        }

        /// The next symbol, whose code is longer than 8 bits.
        private func long(_ held: UInt64, _ bits: inout Int) throws(HTTP2Fault) -> UInt8 {
            for length in 9...Self.longest where length <= bits {
                let code = UInt32(truncatingIfNeeded: held &>> UInt64(bits - length)) & (1 &<< UInt32(length) - 1)
                let range = ranges[length]
                guard code >= range.first, code - range.first < range.count else { continue }
                let symbol = symbols[range.place + Int(code - range.first)]
                // §5.2: EOS is not a part of a text.
                guard symbol != Self.end else { throw HPACK.undecodable("has the Huffman code of EOS") }
                bits -= length
                return UInt8(truncatingIfNeeded: symbol)
            }
            throw HPACK.undecodable("has a Huffman code that is cut off, or has a byte of padding")
        }

        /// The bits of each symbol's code.
        private static let lengths: [UInt8] = [
            13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28,
            28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 28,
            6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6,
            5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10,
            13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7,
            7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6,
            15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5,
            6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28,
            20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23,
            24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24,
            22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23,
            21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23,
            26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25,
            19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27,
            20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23,
            26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26,
            30,
        ]
    }
}
