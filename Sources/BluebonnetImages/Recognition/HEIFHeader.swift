#if Images
    import FoundationEssentials

    /// The boxes of HEIF and AVIF (ISO/IEC 14496-12, ISO/IEC 23008-12).
    enum HEIFHeader {
        private struct Box {
            let name: ImageBytes
            let contents: ImageBytes

            func has(_ text: String) -> Bool { name.has(text, at: 0) }
        }

        /// The number of boxes that are read at most.
        private static let maximumBoxes = 4096

        static func read(_ bytes: ImageBytes, _ format: ImageFormat) throws(ImageFault) -> ImageInformation {
            guard let meta = try boxes(bytes, named: "meta").first?.part(from: 4) else { throw .truncated }
            let primary = try primaryItem(meta)
            // The size of each image is a property. That of the primary one counts, the largest
            // where it has several; where none is said to be it, the largest of all.
            var information = ImageInformation(format)
            var best = (rank: 0, pixels: 0)
            for properties in try boxes(meta, named: "iprp") {
                let own = try primary.map { item throws(ImageFault) in try propertyNumbers(of: item, properties) } ?? []
                for container in try boxes(properties, named: "ipco") {
                    for (index, property) in try boxes(container).enumerated() where property.has("ispe") {
                        let (width, height) = (try property.contents.big(4, at: 4), try property.contents.big(4, at: 8))
                        let count = width.times(height)
                        guard count < .max else { throw .malformed("its size is too large") }
                        let candidate = (rank: own.contains(index + 1) ? 1 : 0, pixels: count)
                        guard candidate > best else { continue }
                        (information.width, information.height, best) = (width, height, candidate)
                    }
                }
            }
            guard best.pixels > 0 else { throw .malformed("it has no size") }
            return information
        }

        /// The number of the item that is shown (ISO/IEC 14496-12 §8.11.4); nil where it is not
        /// said.
        private static func primaryItem(_ meta: ImageBytes) throws(ImageFault) -> Int? {
            guard let box = try boxes(meta, named: "pitm").first else { return nil }
            return try box.big(try box.byte(at: 0) == 0 ? 2 : 4, at: 4)
        }

        /// The numbers of the properties of an item, from 1 on (ISO/IEC 23008-12 §9.3.1).
        private static func propertyNumbers(
            of item: Int,
            _ properties: ImageBytes
        ) throws(ImageFault) -> Set<Int> {
            var numbers: Set<Int> = []
            for box in try boxes(properties, named: "ipma") {
                let size = try box.byte(at: 0) == 0 ? 2 : 4
                let isLong = try box.byte(at: 3) & 1 == 1
                var place = 8
                for _ in 0..<min(try box.big(4, at: 4), box.count) {
                    let owner = try box.big(size, at: place)
                    let count = try box.byte(at: place + size)
                    place += size + 1
                    if owner == item {
                        for index in 0..<count {
                            // The highest bit says whether it is essential.
                            let number =
                                isLong
                                ? try box.big(2, at: place + 2 * index) & 0x7FFF
                                : try box.byte(at: place + index) & 0x7F
                            numbers.insert(number)
                        }
                    }
                    place += isLong ? 2 * count : count
                }
            }
            return numbers
        }

        /// The contents of the boxes with a name.
        static func boxes(_ bytes: ImageBytes, named name: String) throws(ImageFault) -> [ImageBytes] {
            try boxes(bytes).filter { $0.has(name) }.map(\.contents)
        }

        /// All boxes; of one that is cut, what is there.
        private static func boxes(_ bytes: ImageBytes) throws(ImageFault) -> [Box] {
            var found: [Box] = []
            var place = 0
            for _ in 0..<maximumBoxes where place < bytes.count {
                var header = 8
                var size = try bytes.big(4, at: place)
                if size == 1 {
                    header = 16
                    size = try bytes.big(8, at: place + 8)
                } else if size == 0 {
                    size = bytes.count - place
                }
                guard size >= header else { throw .malformed("a box is too short") }
                guard header <= bytes.count - place else { return found }
                let name = try bytes.part(from: place + 4, count: 4)
                found.append(Box(name: name, contents: try bytes.part(from: place + header, count: size - header)))
                guard size <= bytes.count - place else { return found }
                place += size
            }
            guard place >= bytes.count else { throw .malformed("it has too many boxes") }
            return found
        }
    }
#endif
