#if Images
    import FoundationEssentials

    /// Finds the end of the first frame of a GIF (GIF 89a §20 to §26), while the bytes come.
    ///
    /// A part of an animation shows the first frame alone. A loader that got the others, too, would
    /// look at all of them for each one that comes, and there may be millions.
    struct GIFFirstFrame {
        /// The place behind the frame; nil as long as its end has not come.
        private(set) var end: Int?
        /// The place of the next block, or of the next part of this one; nil before the first.
        private var place: Int?
        /// Whether the place is in a block, and whether the block is the frame.
        private var (isInBlock, isInFrame) = (false, false)
        private var parts = GIFParts()

        /// Goes on as far as the bytes do.
        ///
        /// - Parameter bytes: All bytes from the beginning of the image.
        /// - Throws: ``ImageFault/malformed(_:)`` for a block that takes a loader too long.
        mutating func read(_ bytes: ImageBytes) throws(ImageFault) {
            while end == nil {
                do throws(ImageFault) {
                    guard let start = place else {
                        place = try GIFHeader.placeOfBlocks(bytes)
                        continue
                    }
                    place = isInBlock ? try inside(bytes, start) : try begin(bytes, start)
                } catch .truncated {
                    return
                }
            }
        }

        /// Moves behind the head of a block.
        private mutating func begin(_ bytes: ImageBytes, _ start: Int) throws(ImageFault) -> Int {
            switch try bytes.byte(at: start) {
            case 0x2C:
                let flags = try bytes.byte(at: start + 9)
                (isInBlock, isInFrame) = (true, true)
                return start + 11 + GIFHeader.sizeOfColors(flags)
            case 0x21:
                isInBlock = true
                return start + 2
            // The trailer, or what no loader reads.
            default:
                end = start
                return start
            }
        }

        /// Moves behind a part of a block; the last one is empty.
        private mutating func inside(_ bytes: ImageBytes, _ start: Int) throws(ImageFault) -> Int {
            let length = try bytes.byte(at: start)
            let next = start + 1 + length
            try parts.note(endingAt: next)
            if length == 0 {
                isInBlock = false
                if isInFrame { end = next }
            }
            return next
        }
    }

    /// Counts the parts of the blocks of a GIF.
    ///
    /// A loader moves bytes for each of them, so that many short ones would take for ever. Encoders
    /// write parts of 255 bytes.
    struct GIFParts {
        private var count = 0

        mutating func note(endingAt place: Int) throws(ImageFault) {
            count += 1
            guard count <= 20_000 + place / 32 else { throw .malformed("it has too many short blocks") }
        }
    }
#endif
