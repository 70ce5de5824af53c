#if Images
    import BluebonnetImages
    import Testing

    @Suite struct BitmapTests {
        /// A bitmap of one row or more, whose pixels have these reds.
        private func bitmap(_ rows: [UInt8]...) -> Bitmap? {
            let bytes = Array(rows.joined()).flatMap { red -> [UInt8] in [red, 0, 0, 255] }
            return Bitmap(width: rows[0].count, height: rows.count, bytes: bytes)
        }

        @Test func `a bitmap has four bytes for each pixel`() throws {
            #expect(Bitmap(width: 2, height: 1, bytes: [1, 2, 3, 4, 5, 6, 7]) == nil)
            #expect(Bitmap(width: 2, height: 1, bytes: [1, 2, 3, 4, 5, 6, 7, 8, 9]) == nil)
            let bitmap = try #require(Bitmap(width: 2, height: 1, bytes: [1, 2, 3, 4, 5, 6, 7, 8]))
            #expect(bitmap[0, 0] == Bitmap.Pixel(red: 1, green: 2, blue: 3, alpha: 4))
            #expect(bitmap[1, 0] == Bitmap.Pixel(red: 5, green: 6, blue: 7, alpha: 8))
        }

        @Test(arguments: [(0, 1), (1, 0), (-1, -1), (Int.max, 2), (Int.max / 4, 3)])
        func `a size without pixels or beyond all numbers is refused`(width: Int, height: Int) {
            #expect(Bitmap(width: width, height: height) == nil)
            #expect(Bitmap(width: width, height: height, bytes: []) == nil)
        }

        @Test func `a pixel is changed in one copy only`() throws {
            let original = try #require(Bitmap(width: 2, height: 2, color: .init(red: 9, green: 8, blue: 7)))
            var copy = original
            copy[1, 1] = Bitmap.Pixel(red: 1, green: 2, blue: 3, alpha: 4)
            #expect(copy[1, 1] == Bitmap.Pixel(red: 1, green: 2, blue: 3, alpha: 4))
            #expect(original[1, 1] == Bitmap.Pixel(red: 9, green: 8, blue: 7))
            #expect(!original.hasTransparency)
            #expect(copy.hasTransparency)
        }

        /// The pixels 1 2 3 / 4 5 6 after each orientation, as the table of Exif 2.32 §4.6.5 has
        /// it.
        @Test(arguments: [
            (ImageOrientation.upright, [[1, 2, 3], [4, 5, 6]]),
            (.mirrored, [[3, 2, 1], [6, 5, 4]]),
            (.down, [[6, 5, 4], [3, 2, 1]]),
            (.downMirrored, [[4, 5, 6], [1, 2, 3]]),
            (.leftMirrored, [[1, 4], [2, 5], [3, 6]]),
            (.right, [[4, 1], [5, 2], [6, 3]]),
            (.rightMirrored, [[6, 3], [5, 2], [4, 1]]),
            (.left, [[3, 6], [2, 5], [1, 4]]),
        ])
        func `an orientation moves each pixel to its place`(orientation: ImageOrientation, rows: [[UInt8]]) throws {
            let turned = try #require(bitmap([1, 2, 3], [4, 5, 6])).oriented(orientation)
            #expect(turned.width == rows[0].count)
            #expect(turned.height == rows.count)
            #expect(orientation.swapsSides == (turned.width == 2))
            for (y, row) in rows.enumerated() {
                for (x, red) in row.enumerated() { #expect(turned[x, y].red == red) }
            }
        }
    }
#endif
