#if Images
    import FoundationEssentials

    /// The chunks of WebP (RFC 9649 §2).
    enum WebPHeader {
        /// The number of chunks that are read at most.
        private static let maximumChunks = 100_000

        static func read(_ bytes: ImageBytes) throws(ImageFault) -> ImageInformation {
            if bytes.has("VP8X", at: 12) { return try extended(bytes) }
            var information = ImageInformation(.webp)
            if bytes.has("VP8L", at: 12) {
                guard try bytes.byte(at: 20) == 0x2F else { throw .malformed("its signature is wrong") }
                let bits = try bytes.little(4, at: 21)
                information.width = bits & 0x3FFF + 1
                information.height = bits >> 14 & 0x3FFF + 1
            } else if bytes.has("VP8 ", at: 12) {
                // RFC 6386 §9.1: three bytes, a start code, and two numbers of 14 bits.
                guard bytes.count < 26 || bytes.has([0x9D, 0x01, 0x2A], at: 23) else {
                    throw .malformed("its start code is wrong")
                }
                information.width = try bytes.little(2, at: 26) & 0x3FFF
                information.height = try bytes.little(2, at: 28) & 0x3FFF
            } else {
                throw bytes.count < 16 ? .truncated : .malformed("its first chunk is of no known kind")
            }
            return information
        }

        /// Whether there are as many bytes as the header says.
        static func isComplete(_ bytes: ImageBytes) -> Bool {
            guard let length = try? bytes.little(4, at: 4) else { return false }
            return length <= bytes.count - 8
        }

        /// The delay in milliseconds that ``withEvenDelays(_:)`` writes.
        static let evenDelay = 100

        /// The same animation, each of whose frames is shown for ``evenDelay``: the loader finds a
        /// frame by its time, and leaves out those that are shown for no time.
        static func withEvenDelays(_ data: Data) -> Data {
            var changed = Data(data)
            let bytes = ImageBytes(changed)
            var place = 12
            for _ in 0..<maximumChunks {
                guard let length = try? bytes.little(4, at: place + 4) else { break }
                if bytes.has("ANMF", at: place), length >= 16, place + 24 <= bytes.count {
                    changed[place + 20] = UInt8(evenDelay)
                    changed[place + 21] = 0
                    changed[place + 22] = 0
                }
                place += 8 + length + length & 1
            }
            return changed
        }

        private static func extended(_ bytes: ImageBytes) throws(ImageFault) -> ImageInformation {
            var information = ImageInformation(
                .webp,
                width: try bytes.little(3, at: 24) + 1,
                height: try bytes.little(3, at: 27) + 1
            )
            var place = 12
            var frames = 0
            var hasImage = false
            for _ in 0..<maximumChunks {
                guard let length = try? bytes.little(4, at: place + 4) else { break }
                let chunk = place + 8
                if bytes.has("VP8", at: place) {
                    hasImage = hasImage || !bytes.has("VP8X", at: place)
                } else if bytes.has("ANIM", at: place), let loops = try? bytes.little(2, at: chunk + 4) {
                    information.loopCount = loops
                } else if bytes.has("ANMF", at: place), let delay = try? bytes.little(3, at: chunk + 12) {
                    frames += 1
                    information.noteFrame(number: frames, milliseconds: delay)
                } else if bytes.has("EXIF", at: place), let exif = try? bytes.part(from: chunk, count: length) {
                    // Some writers begin it as in JPEG.
                    let skipped = exif.has([0x45, 0x78, 0x69, 0x66, 0, 0], at: 0) ? 6 : 0
                    if let exif = try? exif.part(from: skipped) {
                        information.orientation = TIFFDirectory.orientation(exif)
                    }
                }
                // Chunks begin at even places.
                place = chunk + length + length & 1
            }
            guard hasImage || frames > 0 else { throw place < bytes.count ? .malformed("it has no image") : .truncated }
            if frames < 2 { information.delays = [] }
            return information
        }
    }
#endif
