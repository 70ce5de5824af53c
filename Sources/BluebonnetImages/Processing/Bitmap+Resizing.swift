#if Images
    extension Bitmap {
        /// The pixels in another size.
        ///
        /// Each new pixel is the mean of the pixels within one new pixel's width of its center,
        /// weighted by distance (a triangle) and by opacity. The two directions are computed one
        /// after the other.
        func resized(width: Int, height: Int) -> Bitmap {
            guard width != self.width || height != self.height else { return self }
            let (columns, rows) = (Weights(from: self.width, to: width), Weights(from: self.height, to: height))
            // Colors times opacity, and opacity.
            var middle = [Float](repeating: 0, count: width * self.height * 4)
            var place = 0
            for y in 0..<self.height {
                let row = y * self.width
                for x in 0..<width {
                    var sum = SIMD4<Float>(repeating: 0)
                    for (offset, weight) in columns.weights(of: x).enumerated() {
                        let index = (row + columns.first[x] + offset) * 4
                        let alpha = Float(bytes[index + 3]) * weight
                        sum += SIMD4(
                            Float(bytes[index]) * alpha,
                            Float(bytes[index + 1]) * alpha,
                            Float(bytes[index + 2]) * alpha,
                            alpha
                        )
                    }
                    for channel in 0..<4 { middle[place + channel] = sum[channel] }
                    place += 4
                }
            }
            var result = [UInt8](repeating: 0, count: width * height * 4)
            place = 0
            for y in 0..<height {
                for x in 0..<width {
                    var sum = SIMD4<Float>(repeating: 0)
                    for (offset, weight) in rows.weights(of: y).enumerated() {
                        let index = ((rows.first[y] + offset) * width + x) * 4
                        sum += SIMD4(middle[index], middle[index + 1], middle[index + 2], middle[index + 3]) * weight
                    }
                    let alpha = sum[3]
                    if alpha > 0 {
                        for channel in 0..<3 { result[place + channel] = Self.byte(sum[channel] / alpha) }
                        result[place + 3] = Self.byte(alpha)
                    }
                    place += 4
                }
            }
            return Bitmap(width: width, height: height, checked: result)
        }

        /// A part of the pixels; what lies outside is left out, but for one pixel.
        func cropped(x: Int, y: Int, width: Int, height: Int) -> Bitmap {
            let columns = Self.part(from: x, count: width, of: self.width)
            let rows = Self.part(from: y, count: height, of: self.height)
            guard columns.count < self.width || rows.count < self.height else { return self }
            var result: [UInt8] = []
            result.reserveCapacity(columns.count * rows.count * 4)
            for row in rows {
                let start = row * self.width * 4
                result += bytes[start + columns.lowerBound * 4..<start + columns.upperBound * 4]
            }
            return Bitmap(width: columns.count, height: rows.count, checked: result)
        }

        /// The middle of the pixels.
        func centered(width: Int, height: Int) -> Bitmap {
            let (width, height) = (min(max(1, width), self.width), min(max(1, height), self.height))
            return cropped(x: (self.width - width) / 2, y: (self.height - height) / 2, width: width, height: height)
        }

        private static func part(from first: Int, count: Int, of length: Int) -> Range<Int> {
            let first = min(first, length - 1)
            let (end, overflows) = first.addingReportingOverflow(max(1, count))
            let start = max(0, first)
            return start..<max(start + 1, overflows ? length : min(end, length))
        }

        static func byte(_ value: Float) -> UInt8 { UInt8(min(max(value.rounded(), 0), 255)) }

        /// The old pixels of a line that each new one is made of.
        private struct Weights {
            /// The first old pixel of each new one.
            var first: [Int] = []
            private var starts: [Int] = [0]
            private var values: [Float] = []

            init(from old: Int, to new: Int) {
                let scale = Double(old) / Double(new)
                let support = max(scale, 1)
                for index in 0..<new {
                    let center = (Double(index) + 0.5) * scale
                    // At least the pixel in the middle.
                    let lower = min(max(0, Int(center - support + 0.5)), old - 1)
                    let upper = max(lower + 1, min(old, Int(center + support + 0.5)))
                    let weights = (lower..<upper).map { max(0, 1 - abs((Double($0) + 0.5 - center) / support)) }
                    let sum = weights.reduce(0, +)
                    first.append(lower)
                    values += weights.map { sum > 0 ? Float($0 / sum) : 1 / Float(weights.count) }
                    starts.append(values.count)
                }
            }

            func weights(of index: Int) -> ArraySlice<Float> { values[starts[index]..<starts[index + 1]] }
        }
    }
#endif
