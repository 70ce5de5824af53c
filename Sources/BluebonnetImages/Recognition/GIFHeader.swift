#if Images
    import FoundationEssentials

    /// The blocks of GIF 89a.
    enum GIFHeader {
        static func read(_ bytes: ImageBytes) throws(ImageFault) -> ImageInformation {
            var information = ImageInformation(
                .gif,
                width: try bytes.little(2, at: 6),
                height: try bytes.little(2, at: 8)
            )
            var place = try placeOfBlocks(bytes)
            var frames = Frames()
            // A file that ends early has the frames that are there.
            while let block = try? bytes.byte(at: place), block != 0x3B {
                do throws(ImageFault) {
                    place = try frames.take(block, bytes, place, &information)
                } catch .truncated {
                    break
                }
            }
            guard frames.count > 0 else { throw place < bytes.count ? .malformed("it has no frames") : .truncated }
            // A file without a size is as large as its first frame.
            if information.width == 0 || information.height == 0 {
                information.width = frames.first.width
                information.height = frames.first.height
            }
            let size = (information.width ?? 0) * (information.height ?? 0)
            if frames.largest > size {
                information.largestFrame = frames.largest
                information.storedPixels = frames.total
            }
            if frames.count < 2 { information.delays = [] }
            return information
        }

        /// The place of the first block.
        static func placeOfBlocks(_ bytes: ImageBytes) throws(ImageFault) -> Int {
            13 + sizeOfColors(try bytes.byte(at: 10))
        }

        /// The size of a table of colors in bytes, by the flags before it.
        static func sizeOfColors(_ flags: Int) -> Int {
            flags & 0x80 == 0 ? 0 : 3 << ((flags & 7) + 1)
        }

        private struct Frames {
            var count = 0
            var parts = GIFParts()
            var delay = 0
            var largest = 0
            /// Of each frame; the bytes are too few for a sum that overflows.
            var total = 0
            var first = ImageSize(width: 0, height: 0)

            /// Moves behind sub-blocks, each of which begins with its length; the last has none.
            private mutating func end(_ bytes: ImageBytes, from place: Int) throws(ImageFault) -> Int {
                var place = place
                while true {
                    let length = try bytes.byte(at: place)
                    place += 1 + length
                    try parts.note(endingAt: place)
                    if length == 0 { return place }
                }
            }

            /// Reads a block, and returns the place of the next one.
            mutating func take(
                _ block: Int,
                _ bytes: ImageBytes,
                _ place: Int,
                _ information: inout ImageInformation
            ) throws(ImageFault) -> Int {
                switch block {
                case 0x2C:
                    let frame = ImageSize(
                        width: try bytes.little(2, at: place + 5),
                        height: try bytes.little(2, at: place + 7)
                    )
                    if count == 0 { first = frame }
                    largest = max(largest, frame.width * frame.height)
                    total += frame.width * frame.height
                    count += 1
                    information.noteFrame(number: count, milliseconds: delay * 10)
                    delay = 0
                    let colors = GIFHeader.sizeOfColors(try bytes.byte(at: place + 9))
                    return try end(bytes, from: place + 11 + colors)
                case 0x21:
                    let label = try bytes.byte(at: place + 1)
                    if label == 0xF9 {
                        delay = try bytes.little(2, at: place + 4)
                    } else if label == 0xFF, bytes.has("NETSCAPE2.0", at: place + 3),
                        try bytes.byte(at: place + 15) == 1
                    {
                        // The number of repetitions after the first time; none means for ever.
                        let loops = try bytes.little(2, at: place + 16)
                        information.loopCount = loops == 0 ? 0 : loops + 1
                    }
                    return try end(bytes, from: place + 2)
                // Decoders show what came before it.
                default: throw count == 0 ? .malformed("a block is of no known kind") : .truncated
                }
            }
        }
    }
#endif
