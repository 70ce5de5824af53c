#if Images
    extension Bitmap {
        /// The pixels with round corners. A pixel on the edge is transparent in part.
        func rounded(radius: Double) -> Bitmap {
            let radius = min(radius, Double(min(width, height)) / 2)
            guard radius > 0 else { return self }
            var result = bytes
            let side = min(Int(radius.rounded(.up)), (min(width, height) + 1) / 2)
            for y in 0..<side {
                for x in 0..<side {
                    let (dx, dy) = (radius - (Double(x) + 0.5), radius - (Double(y) + 0.5))
                    guard dx > 0, dy > 0 else { continue }
                    let coverage = radius - (dx * dx + dy * dy).squareRoot() + 0.5
                    guard coverage < 1 else { continue }
                    // The four corners; in a small image some of them are the same pixel.
                    var places: Set<Int> = []
                    for column in [x, width - 1 - x] {
                        for row in [y, height - 1 - y] { places.insert((row * width + column) * 4 + 3) }
                    }
                    for place in places {
                        result[place] = Self.byte(Float(result[place]) * Float(max(0, coverage)))
                    }
                }
            }
            return Bitmap(width: width, height: height, checked: result)
        }

        /// The pixels, blurred by about a Gaussian: by three means of neighbors in each direction
        /// (P. Kovesi, Fast Almost-Gaussian Filtering, 2010). Beyond an edge its pixel goes on.
        func blurred(radius: Double) -> Bitmap {
            // The sums of the widest mean are within 32 bits.
            let radius = min(radius, Double(max(width, height)), 10_000)
            guard radius > 0 else { return self }
            let reaches = Self.reaches(radius)
            guard reaches.contains(where: { $0 > 0 }) else { return self }
            // Colors times opacity, and opacity times 255, so that all have the same range.
            var values = [UInt16](repeating: 0, count: bytes.count)
            for index in stride(from: 0, to: bytes.count, by: 4) {
                let alpha = UInt16(bytes[index + 3])
                for channel in 0..<3 { values[index + channel] = UInt16(bytes[index + channel]) * alpha }
                values[index + 3] = alpha * 255
            }
            var lines = Lines(length: max(width, height), size: max(width, height * min(Lines.most, width)))
            for y in 0..<height {
                lines.blur(&values, from: y * width * 4, step: 4, length: width, count: 1, reaches)
            }
            // Neighbors in a row are near to one another in memory: some columns at the same time.
            for x in stride(from: 0, to: width, by: Lines.most) {
                let count = min(Lines.most, width - x)
                lines.blur(&values, from: x * 4, step: width * 4, length: height, count: count, reaches)
            }
            var result = [UInt8](repeating: 0, count: bytes.count)
            for index in stride(from: 0, to: bytes.count, by: 4) where values[index + 3] > 0 {
                let alpha = Float(values[index + 3]) / 255
                for channel in 0..<3 { result[index + channel] = Self.byte(Float(values[index + channel]) / alpha) }
                result[index + 3] = Self.byte(alpha)
            }
            return Bitmap(width: width, height: height, checked: result)
        }

        /// How many neighbors on each side each of the three means has.
        private static func reaches(_ deviation: Double) -> [Int] {
            let ideal = (12 * deviation * deviation / 3 + 1).squareRoot()
            var lower = Int(ideal)
            if lower.isMultiple(of: 2) { lower -= 1 }
            lower = max(1, lower)
            let size = Double(lower)
            let count = (12 * deviation * deviation - 3 * size * size - 12 * size - 9) / (-4 * size - 4)
            let lowerCount = Int(min(max(count.rounded(), 0), 3))
            return (0..<3).map { ($0 < lowerCount ? lower : lower + 2) / 2 }
        }

        /// Rows or columns that are blurred.
        private struct Lines {
            static let most = 8

            /// Each channel of each line by itself.
            private var values: [Int32]
            private var means: [Int32]

            /// Makes room for lines of a length, and of so many pixels together.
            init(length: Int, size: Int) {
                values = [Int32](repeating: 0, count: size * 4)
                means = [Int32](repeating: 0, count: length)
            }

            /// Blurs lines that lie beside each other, whose pixels are so many values apart.
            mutating func blur(
                _ pixels: inout [UInt16],
                from start: Int,
                step: Int,
                length: Int,
                count: Int,
                _ reaches: [Int]
            ) {
                // Without a check of each index, which takes most of the time: the last place is
                // that of the last pixel of the last line, and `values` has room for all lines.
                precondition(start + (length - 1) * step + count * 4 <= pixels.count && count <= Self.most)
                precondition(length <= means.count && length * count * 4 <= values.count)
                unsafe pixels.withUnsafeMutableBufferPointer { pixels in
                    unsafe values.withUnsafeMutableBufferPointer { values in
                        unsafe means.withUnsafeMutableBufferPointer { means in
                            for index in 0..<length {
                                let place = start + index * step
                                for channel in 0..<count * 4 {
                                    unsafe values[channel * length + index] = Int32(pixels[place + channel])
                                }
                            }
                            for channel in 0..<count * 4 {
                                let line = unsafe UnsafeMutableBufferPointer(
                                    rebasing: values[channel * length..<(channel + 1) * length]
                                )
                                for reach in reaches where reach > 0 { unsafe Self.blur(line, means, reach) }
                            }
                            for index in 0..<length {
                                let place = start + index * step
                                for channel in 0..<count * 4 {
                                    unsafe pixels[place + channel] = UInt16(values[channel * length + index])
                                }
                            }
                        }
                    }
                }
            }

            /// Puts the mean of each value and its neighbors in its place.
            private static func blur(
                _ values: UnsafeMutableBufferPointer<Int32>,
                _ means: UnsafeMutableBufferPointer<Int32>,
                _ reach: Int
            ) {
                let factor = 1 / Float(2 * reach + 1)
                let last = values.count - 1
                let (first, end) = unsafe (values[0], values[last])
                var sum = first &* Int32(reach + 1)
                for index in 1...reach { unsafe sum &+= values[min(index, last)] }
                for index in 0...last {
                    // The sums are not below zero: this rounds to the nearest.
                    unsafe means[index] = Int32(Float(sum) * factor + 0.5)
                    let entering = unsafe index + reach < last ? values[index + reach + 1] : end
                    unsafe sum &+= entering &- (index > reach ? values[index - reach] : first)
                }
                for index in 0...last { unsafe values[index] = means[index] }
            }
        }
    }
#endif
