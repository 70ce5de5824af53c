#if Images
    import Testing

    @testable import BluebonnetImages

    @Suite struct ImageProcessorTests {
        /// A bitmap of gray rows.
        private func gray(_ rows: [UInt8]...) throws -> Bitmap {
            let bytes = Array(rows.joined()).flatMap { value -> [UInt8] in [value, value, value, 255] }
            return try #require(Bitmap(width: rows[0].count, height: rows.count, bytes: bytes))
        }

        private func reds(_ bitmap: Bitmap) -> [[UInt8]] {
            (0..<bitmap.height).map { y in (0..<bitmap.width).map { x in bitmap[x, y].red } }
        }

        private func alphas(_ bitmap: Bitmap) -> [[UInt8]] {
            (0..<bitmap.height).map { y in (0..<bitmap.width).map { x in bitmap[x, y].alpha } }
        }

        private func process(_ bitmap: Bitmap, _ processor: ImageProcessor) throws -> Bitmap {
            try processor.process(Image(bitmap)).bitmap
        }

        // The weights are 0.75, 0.75, 0.25 and their mirror image, and 0.625, 0.875, 0.875, 0.625.
        @Test func `a smaller size has the means of the pixels in its place`() throws {
            let bitmap = try gray([0, 100, 200, 40], [0, 100, 200, 40])
            #expect(reds(bitmap.resized(width: 2, height: 1)) == [[71, 117]])
            #expect(reds(bitmap.resized(width: 1, height: 2)) == [[96], [96]])
        }

        @Test func `a larger size lies between the pixels`() throws {
            let bitmap = try gray([0, 100])
            #expect(reds(bitmap.resized(width: 4, height: 1)) == [[0, 25, 75, 100]])
            #expect(bitmap.resized(width: 2, height: 1) == bitmap)
        }

        @Test func `transparent pixels give no color to those beside them`() throws {
            let bitmap = try #require(Bitmap(width: 2, height: 1, bytes: [255, 0, 0, 255, 0, 255, 0, 0]))
            let mean = bitmap.resized(width: 1, height: 1)
            #expect(mean[0, 0] == Bitmap.Pixel(red: 255, green: 0, blue: 0, alpha: 128))
            let blurred = bitmap.blurred(radius: 1)
            #expect(blurred[0, 0].red == 255)
            #expect(blurred[1, 0].green == 0)
        }

        @Test(arguments: [
            (ImageProcessor.ResizeMode.fitting, false, 100, 50), (.filling, false, 100, 100),
            (.stretching, false, 100, 100),
        ])
        func `the mode decides the size`(
            mode: ImageProcessor.ResizeMode,
            enlarges: Bool,
            width: Int,
            height: Int
        ) throws {
            let bitmap = try #require(Bitmap(width: 400, height: 200, color: .init(red: 1, green: 2, blue: 3)))
            let size = ImageSize(width: 100, height: 100)
            let result = try process(bitmap, .resized(to: size, mode: mode, enlarges: enlarges))
            #expect(result.width == width)
            #expect(result.height == height)
            #expect(result[width / 2, height / 2] == Bitmap.Pixel(red: 1, green: 2, blue: 3))
        }

        @Test func `a small image is made larger only where that is asked for`() throws {
            let bitmap = try #require(Bitmap(width: 4, height: 2))
            let size = ImageSize(width: 8, height: 8)
            for mode in ImageProcessor.ResizeMode.allCases {
                let same = try process(bitmap, .resized(to: size, mode: mode))
                #expect([same.width, same.height] == [4, 2])
            }
            let fitting = try process(bitmap, .resized(to: size, enlarges: true))
            #expect([fitting.width, fitting.height] == [8, 4])
            let filling = try process(bitmap, .resized(to: size, mode: .filling, enlarges: true))
            #expect([filling.width, filling.height] == [8, 8])
        }

        @Test func `a size beyond the limit of pixels is an error`() throws {
            let bitmap = try #require(Bitmap(width: 2, height: 2))
            for side in [100_000, Int.max] {
                let size = ImageSize(width: side, height: side)
                #expect {
                    try process(bitmap, .resized(to: size, enlarges: true))
                } throws: {
                    ($0 as? ImageDecodingError)?.reason == .tooManyPixels
                }
            }
            let none = try process(bitmap, .resized(to: ImageSize(width: -5, height: 0)))
            #expect([none.width, none.height] == [1, 1])
        }

        @Test func `a part is cut out, and what lies outside is left out`() throws {
            let bitmap = try gray([1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12])
            func part(_ x: Int, _ y: Int, _ width: Int, _ height: Int) throws -> [[UInt8]] {
                reds(try process(bitmap, .cropped(x: x, y: y, size: ImageSize(width: width, height: height))))
            }
            #expect(try part(1, 1, 2, 2) == [[6, 7], [10, 11]])
            #expect(try part(2, 0, 9, 1) == [[3, 4]])
            #expect(try part(-1, -1, 2, 2) == [[1]])
            #expect(try part(9, 9, 2, 2) == [[12]])
            #expect(try part(0, 0, .max, .max).count == 3)
            #expect(try part(.min, .min, .max, .max) == [[1]])
            let middle = try process(bitmap, .cropped(to: ImageSize(width: 2, height: 1)))
            #expect(reds(middle) == [[6, 7]])
        }

        @Test func `corners are transparent outside of the circle`() throws {
            let bitmap = try #require(Bitmap(width: 6, height: 4, color: .init(red: 9, green: 9, blue: 9)))
            let rounded = alphas(try process(bitmap, .roundedCorners(radius: 2)))
            // The centers of the pixels are 2.12, 1.58 and 0.71 from that of the circle.
            #expect(rounded[0] == [97, 234, 255, 255, 234, 97])
            #expect(rounded[1] == [234, 255, 255, 255, 255, 234])
            #expect(rounded[2] == rounded[1])
            #expect(rounded[3] == rounded[0])
            #expect(try process(bitmap, .roundedCorners(radius: 0)) == bitmap)
            #expect(try process(bitmap, .roundedCorners(radius: .nan)) == bitmap)
        }

        @Test func `a circle has the shorter side`() throws {
            let bitmap = try #require(Bitmap(width: 30, height: 20, color: .init(red: 9, green: 9, blue: 9)))
            let circle = try process(bitmap, .circle)
            #expect([circle.width, circle.height] == [20, 20])
            #expect(circle[0, 0].alpha == 0)
            #expect(circle[19, 19].alpha == 0)
            #expect(circle[10, 0].alpha > 250)
            #expect(circle[10, 10].alpha == 255)
            let odd = try process(
                try #require(Bitmap(width: 1, height: 1, color: .init(red: 9, green: 9, blue: 9))),
                .circle
            )
            #expect(odd.width == 1)
        }

        @Test func `a blurred image keeps its mean, and spreads as a Gaussian does`() throws {
            var bitmap = try #require(Bitmap(width: 41, height: 41, color: .init(red: 0, green: 0, blue: 0)))
            for y in 18...22 { for x in 18...22 { bitmap[x, y] = .init(red: 255, green: 255, blue: 255) } }
            let blurred = try process(bitmap, .blurred(radius: 3))
            let sum = reds(blurred).joined().reduce(0) { $0 + Int($1) }
            #expect(abs(sum - 25 * 255) < 25 * 255 / 20)
            #expect(blurred[20, 20].red > blurred[24, 20].red)
            #expect(blurred[24, 20] == blurred[16, 20])
            #expect(abs(Int(blurred[20, 24].red) - Int(blurred[24, 20].red)) <= 1)
            #expect(blurred[0, 0].red == 0)
            let plain = try #require(Bitmap(width: 5, height: 3, color: .init(red: 7, green: 8, blue: 9, alpha: 100)))
            #expect(try process(plain, .blurred(radius: 1e9)) == plain)
            #expect(try process(bitmap, .blurred(radius: 0)) == bitmap)
            #expect(try process(bitmap, .blurred(radius: -.infinity)) == bitmap)
        }

        @Test func `processors one after the other have the names of all`() throws {
            let both = ImageProcessor.composed([.cropped(to: ImageSize(width: 2, height: 2)), .circle])
            #expect(both.identifier == "cropped(2x2) circle")
            #expect(both == ImageProcessor(identifier: "cropped(2x2) circle") { $0 })
            #expect(both != .circle)
            let bitmap = try gray([1, 2, 3, 4], [5, 6, 7, 8])
            #expect(reds(try process(bitmap, both)) == [[2, 3], [6, 7]])
            let size = ImageSize(width: 1, height: 2)
            #expect(ImageProcessor.resized(to: size).identifier == "resized(1x2,fitting)")
            #expect(ImageProcessor.resized(to: size, enlarges: true).identifier == "resized(1x2,fitting,enlarges)")
        }

        @Test func `each frame of an animation is changed`() throws {
            let frames = [
                Image.Frame(bitmap: try gray([1, 2, 3]), delay: .milliseconds(10)),
                Image.Frame(bitmap: try gray([4, 5, 6]), delay: .milliseconds(20)),
            ]
            let image = try #require(Image(frames: frames))
            let changed = try ImageProcessor.cropped(to: ImageSize(width: 1, height: 1)).process(image)
            #expect(changed.frames.map { $0.bitmap[0, 0].red } == [2, 5])
            #expect(changed.frames.map(\.delay) == frames.map(\.delay))
        }
    }
#endif
