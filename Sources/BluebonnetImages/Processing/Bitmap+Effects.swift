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
            let radius = min(radius, Double(max(width, height)))
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
            for y in 0..<height {
                Self.blur(&values, from: y * width * 4, step: 4, count: width, reaches)
            }
            for x in 0..<width {
                Self.blur(&values, from: x * 4, step: width * 4, count: height, reaches)
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

        /// Blurs one row or column, whose pixels are so many values apart.
        private static func blur(_ values: inout [UInt16], from start: Int, step: Int, count: Int, _ reaches: [Int]) {
            var line = [Int](repeating: 0, count: count)
            var means = line
            for channel in 0..<4 {
                for index in 0..<count { line[index] = Int(values[start + index * step + channel]) }
                for reach in reaches where reach > 0 {
                    let size = 2 * reach + 1
                    var sum = line[0] * (reach + 1)
                    for index in 1...reach { sum += line[min(index, count - 1)] }
                    for index in 0..<count {
                        means[index] = (sum + size / 2) / size
                        sum += line[min(index + reach + 1, count - 1)] - line[max(index - reach, 0)]
                    }
                    swap(&line, &means)
                }
                for index in 0..<count { values[start + index * step + channel] = UInt16(line[index]) }
            }
        }
    }
#endif
