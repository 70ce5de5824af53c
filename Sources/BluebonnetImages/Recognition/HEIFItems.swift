#if Images
    import FoundationEssentials

    /// The items of HEIF and AVIF, with their bytes (ISO/IEC 14496-12 §8.11).
    struct HEIFItems {
        struct Item {
            /// Four letters, such as `av01`.
            let kind: String
            let bytes: ImageBytes
        }

        /// The kinds of items whose bytes say a size.
        static let pictures: Set<String> = ["av01", "hvc1", "hev1", "grid", "iovl"]

        /// The items of these kinds.
        private(set) var items: [Item] = []

        /// The kinds of all items, by their numbers.
        private(set) var kinds: [Int: String] = [:]

        /// Reads the items.
        ///
        /// - Parameters:
        ///   - meta: The contents of the box `meta`, without its version.
        ///   - file: All bytes.
        /// - Throws: ``ImageFault``.
        init(_ meta: ImageBytes, of file: ImageBytes) throws(ImageFault) {
            for box in try HEIFHeader.boxes(meta, named: "iinf") {
                let entries = try box.part(from: try box.byte(at: 0) == 0 ? 6 : 8)
                for entry in try HEIFHeader.boxes(entries, named: "infe") {
                    let size = try entry.byte(at: 0) < 3 ? 2 : 4
                    let name = try entry.part(from: 4 + size + 2, count: 4).text(upTo: 4)
                    kinds[try entry.big(size, at: 4)] = String(decoding: name, as: UTF8.self)
                }
            }
            let inner = try HEIFHeader.boxes(meta, named: "idat").first
            // Bytes that belong to many items would be read for each of them.
            var rest = 2 * file.count
            for box in try HEIFHeader.boxes(meta, named: "iloc") {
                var places = try Places(box)
                for _ in 0..<places.count {
                    let (number, isInner, extents) = try places.next()
                    guard let kind = kinds[number], Self.pictures.contains(kind) else { continue }
                    let source = isInner ? inner : file
                    guard let source else { throw .malformed("an item has no bytes") }
                    let parts = try extents.map { extent throws(ImageFault) in
                        try source.part(from: extent.place, count: extent.count)
                    }
                    rest -= parts.reduce(0) { $0 + $1.count }
                    guard rest >= 0 else { throw .malformed("its items share their bytes") }
                    items.append(Item(kind: kind, bytes: Self.joined(parts)))
                }
            }
        }

        private static func joined(_ parts: [ImageBytes]) -> ImageBytes {
            if let only = parts.first, parts.count == 1 { return only }
            return ImageBytes(parts.reduce(into: Data()) { $0.append($1.contents) })
        }

        /// The box `iloc`, item by item.
        private struct Places {
            private let box: ImageBytes
            private let version: Int
            /// The sizes of numbers: of a place, a length, the place that others are added to, and
            /// an index.
            private let sizes: (place: Int, length: Int, base: Int, index: Int)
            private var place: Int
            /// The number of parts that items may still have: a part may take no bytes.
            private var rest = 100_000

            let count: Int

            init(_ box: ImageBytes) throws(ImageFault) {
                self.box = box
                version = try box.byte(at: 0)
                guard version < 3 else { throw .malformed("its items have an unknown version") }
                let (first, second) = (try box.byte(at: 4), try box.byte(at: 5))
                sizes = (first >> 4, first & 15, second >> 4, version == 0 ? 0 : second & 15)
                let size = version < 2 ? 2 : 4
                count = try box.big(size, at: 6)
                place = 6 + size
            }

            private mutating func number(_ size: Int) throws(ImageFault) -> Int {
                guard size <= 8 else { throw .malformed("a number is too long") }
                defer { place += size }
                return try box.big(size, at: place)
            }

            /// The next item: its number, whether its bytes are in the box `idat`, and where.
            mutating func next() throws(ImageFault) -> (Int, Bool, [(place: Int, count: Int)]) {
                let item = try number(version < 2 ? 2 : 4)
                let method = version > 0 ? try number(2) & 15 : 0
                _ = try number(2)
                let base = try number(sizes.base)
                var extents: [(place: Int, count: Int)] = []
                let count = try number(2)
                rest -= count
                guard rest >= 0 else { throw .malformed("its items have too many parts") }
                for _ in 0..<count {
                    _ = try number(sizes.index)
                    let (place, overflows) = base.addingReportingOverflow(try number(sizes.place))
                    guard !overflows else { throw .malformed("the place of an item is too large") }
                    extents.append((place, try number(sizes.length)))
                }
                return (item, method == 1, extents)
            }
        }
    }
#endif
