#if Images
    import FoundationEssentials

    /// The first lines of a bitmap of the X Window System, which is a C source.
    enum XBMHeader {
        /// The number of bytes in which the size has to be.
        private static let searched = 4096

        /// The number of definitions that an image may have; two to four are usual.
        private static let maximumLines = 1000

        static func isOne(_ bytes: ImageBytes) -> Bool {
            bytes.has("#define", at: 0) && (try? read(bytes)) != nil
        }

        static func read(_ bytes: ImageBytes) throws(ImageFault) -> ImageInformation {
            let words = bytes.text(upTo: searched).split { $0 == 0x20 || (0x09...0x0D).contains($0) }
            var width: Int?
            var height: Int?
            for (index, word) in words.enumerated() where word.elementsEqual("#define".utf8) && index + 2 < words.count
            {
                let name = words[index + 1]
                guard let value = Int(String(decoding: words[index + 2], as: UTF8.self)) else { continue }
                if name.ends(with: "width") { width = width ?? value }
                if name.ends(with: "height") { height = height ?? value }
                if let width, let height { return ImageInformation(.xbm, width: width, height: height) }
            }
            throw .malformed("it has no size")
        }

        /// Whether there is one size only. The loader takes the last one, wherever it is.
        static func hasOneSize(_ bytes: ImageBytes) -> Bool {
            var (widths, heights, place) = (0, 0, 0)
            var lines = 0
            while let start = bytes.index(of: "#define", from: place) {
                place = start + 7
                lines += 1
                guard lines <= maximumLines, let line = try? bytes.part(from: place) else { return false }
                let name = line.text(upTo: 256).drop { isSpace($0) }.prefix { !isSpace($0) }
                if name.ends(with: "width") { widths += 1 }
                if name.ends(with: "height") { heights += 1 }
            }
            return widths == 1 && heights == 1
        }

        private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
    }

    /// The beginning of an SVG document.
    enum SVGText {
        /// The number of bytes in which the root element has to begin.
        private static let searched = 16_384

        /// Whether the root element is named `svg`.
        static func isOne(_ bytes: ImageBytes) -> Bool {
            var text = bytes.text(upTo: searched)[...]
            // A byte order mark in UTF-8, of which each byte has become a question mark.
            if bytes.has([0xEF, 0xBB, 0xBF], at: 0) { text = text.dropFirst(3) }
            while true {
                text = text.drop { $0 == 0x20 || (0x09...0x0D).contains($0) }
                if text.starts(with: "<?".utf8) {
                    text = text.after("?>")
                } else if text.starts(with: "<!--".utf8) {
                    text = text.after("-->")
                } else if text.starts(with: "<!DOCTYPE".utf8) {
                    text = text.afterDoctype()
                } else {
                    break
                }
            }
            guard text.first == UInt8(ascii: "<") else { return false }
            let name = text.dropFirst().prefix { $0 > 0x20 && $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "/") }
            return name.elementsEqual("svg".utf8) || name.ends(with: ":svg")
        }
    }

    extension ArraySlice<UInt8> {
        fileprivate func ends(with text: String) -> Bool {
            suffix(text.utf8.count).elementsEqual(text.utf8)
        }

        /// What follows the first place with this text; nothing where it is missing.
        fileprivate func after(_ text: String) -> Self {
            var rest = self
            while rest.count >= text.utf8.count {
                if rest.starts(with: text.utf8) { return rest.dropFirst(text.utf8.count) }
                rest = rest.dropFirst()
            }
            return []
        }

        /// What follows a document type with its internal subset, which stands in brackets.
        fileprivate func afterDoctype() -> Self {
            var depth = 0
            for index in indices {
                switch self[index] {
                case UInt8(ascii: "["): depth += 1
                case UInt8(ascii: "]"): depth -= 1
                case UInt8(ascii: ">") where depth <= 0: return self[(index + 1)...]
                default: break
                }
            }
            return []
        }
    }
#endif
