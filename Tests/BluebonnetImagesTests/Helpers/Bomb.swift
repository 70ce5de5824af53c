#if Images
    import Foundation

    /// Small files of large images, and of drawings that never end.
    enum Bomb {
        /// A PNG with a header only, of 50,000 × 50,000 pixels.
        static let png = Data(
            [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8) + big(50_000)
                + big(50_000) + [8, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0] + Array("IEND".utf8) + [0, 0, 0, 0]
        )

        /// A GIF of 1000 × 1000 pixels with so many frames.
        static func gif(frames: Int) -> Data {
            var bytes = Array("GIF89a".utf8) + [0xE8, 3, 0xE8, 3, 0x80, 0, 0, 0, 0, 0, 255, 255, 255]
            bytes += [0x21, 0xFF, 11] + Array("NETSCAPE2.0".utf8) + [3, 1, 0, 0, 0]
            let frame: [UInt8] = [0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0]
            for _ in 0..<frames { bytes += frame }
            return Data(bytes + [0x3B])
        }

        /// A GIF whose frame is much larger than the image.
        static let gifFrame = Data(
            Array("GIF89a".utf8) + [1, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255]
                + [0x2C, 0, 0, 0, 0, 255, 255, 255, 255, 0, 2, 2, 0x44, 1, 0, 0x3B]
        )

        /// A Windows bitmap of 20,000 × 20,000 pixels.
        static let bmp = Data(
            Array("BM".utf8) + [54, 0, 0, 0, 0, 0, 0, 0, 54, 0, 0, 0, 40, 0, 0, 0] + big(20_000).reversed()
                + big(20_000).reversed() + [1, 0, 24, 0] + Array(repeating: 0, count: 24)
        )

        /// An SVG of 50,000 × 50,000 pixels.
        static let svgSize = svg("<rect width='10' height='10'/>", side: 50_000)

        /// An SVG whose patterns each draw another one three times.
        static let svgPatterns: Data = {
            var text = "<pattern id='a0' width='1' height='1'><rect width='1' height='1'/></pattern>"
            for number in 1..<24 {
                let use = "<rect width='50' height='50' fill='url(#a\(number - 1))'/>"
                text += "<pattern id='a\(number)' width='100%' height='100%'>\(use)\(use)\(use)</pattern>"
            }
            return svg("\(text)<rect width='100' height='100' fill='url(#a23)'/>", side: 100)
        }()

        /// An SVG with the PNG in it.
        static let svgWithPNG = svg(
            "<image width='9' height='9' href='data:image/png;base64,\(png.base64EncodedString())'/>",
            side: 100
        )

        private static func svg(_ text: String, side: Int) -> Data {
            Data("<svg xmlns='http://www.w3.org/2000/svg' width='\(side)' height='\(side)'>\(text)</svg>".utf8)
        }

        private static func big(_ number: Int) -> [UInt8] { (0..<4).map { UInt8(number >> (24 - $0 * 8) & 0xFF) } }
    }
#endif
