#if Images
    import FoundationEssentials

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #else
        import Darwin
    #endif

    /// The reason why a reader of a format gave up.
    enum ImageFault: Error {
        /// The bytes end too early.
        case truncated
        /// The bytes break a rule of the format; the text continues "The image is malformed: ".
        case malformed(String)
    }

    /// Bytes with places that count from zero. A place beyond the end is an error, never a trap.
    struct ImageBytes {
        private let data: Data
        private let start: Int

        /// The number of bytes.
        let count: Int

        init(_ data: Data) {
            self.data = data
            start = data.startIndex
            count = data.count
        }

        private init(data: Data, start: Int, count: Int) {
            self.data = data
            self.start = start
            self.count = count
        }

        /// A byte.
        func byte(at place: Int) throws(ImageFault) -> Int {
            guard place >= 0, place < count else { throw .truncated }
            return Int(data[start + place])
        }

        /// A number of several bytes, the most significant one first.
        func big(_ size: Int, at place: Int) throws(ImageFault) -> Int {
            var number = 0
            for offset in 0..<size {
                guard number <= Int.max >> 8 else { throw .malformed("a number is too large") }
                number = try number << 8 | byte(at: place + offset)
            }
            return number
        }

        /// A number of several bytes, the least significant one first.
        func little(_ size: Int, at place: Int) throws(ImageFault) -> Int {
            var number = 0
            for offset in (0..<size).reversed() {
                guard number <= Int.max >> 8 else { throw .malformed("a number is too large") }
                number = try number << 8 | byte(at: place + offset)
            }
            return number
        }

        /// A signed number of four bytes, the least significant one first.
        func signedLittle(at place: Int) throws(ImageFault) -> Int {
            Int(Int32(truncatingIfNeeded: try little(4, at: place)))
        }

        /// Whether these ASCII characters are at a place.
        func has(_ text: String, at place: Int) -> Bool {
            has(text.utf8, at: place)
        }

        /// Whether these bytes are at a place.
        func has(_ bytes: some Collection<UInt8>, at place: Int) -> Bool {
            guard place >= 0, place <= count, bytes.count <= count - place else { return false }
            let first = start + place
            return data[first..<first + bytes.count].elementsEqual(bytes)
        }

        /// Whether two bytes follow one another behind a place. Looked for from the end.
        func has(_ first: UInt8, _ second: UInt8, after place: Int) -> Bool {
            let behind = start + min(max(place, 0), count)
            var next: UInt8 = 0
            for index in (behind..<start + count).reversed() {
                if data[index] == first && next == second { return true }
                next = data[index]
            }
            return false
        }

        /// The first place of an ASCII text that is not before another place.
        func index(of text: StaticString, from place: Int) -> Int? {
            let size = text.utf8CodeUnitCount
            return unsafe find(text.utf8Start.pointee, from: place) { bytes, place in
                // The text lives for ever, and both have so many bytes.
                unsafe place + size <= count && memcmp(bytes + place, text.utf8Start, size) == 0
            }
        }

        /// The first place, not before another one, of a marker of JPEG: of a byte 0xFF that does
        /// not belong to pixels (ITU-T T.81 §B.1.1.5), nor to a restart. It may be the last byte.
        func marker(from place: Int) -> Int? {
            unsafe find(0xFF, from: place) { bytes, place in
                guard place + 1 < count else { return true }
                // There is one more byte.
                let next = unsafe bytes.load(fromByteOffset: place + 1, as: UInt8.self)
                return next != 0 && !(0xD0...0xD7).contains(next)
            }
        }

        /// The first place, not before another one, of a byte at which the closure finds what it
        /// looks for. It gets the address of all bytes, and the place.
        private func find(
            _ byte: UInt8,
            from place: Int,
            _ isWanted: (UnsafeRawPointer, Int) -> Bool
        ) -> Int? {
            guard place >= 0, place < count else { return nil }
            let first = start - data.startIndex
            return unsafe data.withUnsafeBytes { buffer in
                guard let bytes = unsafe buffer.baseAddress?.advanced(by: first) else { return nil }
                var place = place
                // It is below the count: address and length stay inside the data.
                while place < count, let found = unsafe memchr(bytes + place, CInt(byte), count - place) {
                    place = unsafe UnsafeRawPointer(found) - bytes
                    if unsafe isWanted(bytes, place) { return place }
                    place += 1
                }
                return nil
            }
        }

        /// A part of the bytes, as far as they go.
        func part(from place: Int, count: Int = .max) throws(ImageFault) -> ImageBytes {
            guard place >= 0, place <= self.count else { throw .truncated }
            return ImageBytes(data: data, start: start + place, count: max(0, min(count, self.count - place)))
        }

        /// The first bytes as text; what is not ASCII becomes a question mark.
        func text(upTo limit: Int) -> [UInt8] {
            data[start..<start + min(count, limit)].map { $0 < 0x80 ? $0 : UInt8(ascii: "?") }
        }

        /// The bytes as data.
        var contents: Data { data[start..<start + count] }
    }

    extension Int {
        /// The product of two numbers that are not below zero; the greatest number where it is
        /// larger.
        func times(_ other: Int) -> Int {
            let (product, overflows) = multipliedReportingOverflow(by: other)
            return overflows ? .max : product
        }
    }
#endif
