/// A painted landscape: a sky, a sun and four ranges of hills, in colors of its own. It depends on
/// its number alone.
struct Landscape {
    /// A color by its components from 0 to 1.
    private struct Color {
        var red: Double
        var green: Double
        var blue: Double

        init(red: Double, green: Double, blue: Double) {
            self.red = red
            self.green = green
            self.blue = blue
        }

        /// A color by hue (any number, of which the fraction counts), saturation and lightness.
        init(hue: Double, saturation: Double, lightness: Double) {
            let chroma = (1 - abs(2 * lightness - 1)) * saturation
            func component(_ offset: Double) -> Double {
                var distance = hue + offset
                distance -= distance.rounded(.down)
                let ramp = min(max(abs(distance * 6 - 3) - 1, 0), 1)
                return lightness + chroma * (ramp - 0.5)
            }
            self.init(red: component(0), green: component(2.0 / 3), blue: component(1.0 / 3))
        }

        /// A color between this and another one.
        func mixed(with other: Color, _ share: Double) -> Color {
            Color(
                red: red + (other.red - red) * share,
                green: green + (other.green - green) * share,
                blue: blue + (other.blue - blue) * share
            )
        }
    }

    private struct Range {
        var color: Color
        /// The height of the ridge at equal distances, from 0 at the top to 1 at the bottom.
        var heights: [Double]
    }

    private static let rangeCount = 4
    private static let firstWords = [
        "Amber", "Blue", "Calm", "Distant", "Early", "Far", "Gentle", "High", "Late", "Misty", "Open", "Quiet",
        "Silver", "Still", "Warm", "Wide", "Wild",
    ]
    private static let lastWords = [
        "bay", "creek", "dunes", "fields", "hills", "lake", "meadow", "moor", "pass", "ridge", "shore", "valley",
    ]

    /// A name for the picture.
    let title: String

    private let zenith: Color
    private let horizon: Color
    private let sun: Color
    private let sunX: Double
    private let sunY: Double
    private let sunRadius: Double
    private let ranges: [Range]

    /// Makes the landscape with a number.
    init(_ number: Int) {
        var generator = ByteGenerator(seed: UInt64(bitPattern: Int64(number)))
        func random(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &generator) }
        // 17 and 12 have no common factor: the first 204 titles are different.
        title =
            Self.firstWords[number % Self.firstWords.count] + " "
            + Self.lastWords[number % Self.lastWords.count * 5 % Self.lastWords.count]
        // Steps of the golden ratio: neighbours never have similar hues.
        let hue = Double(number % 1_000_000) * 0.618_033_988_749_895
        let warmth = hue + random(0.06...0.16)
        zenith = Color(hue: hue, saturation: random(0.5...0.7), lightness: random(0.52...0.62))
        horizon = Color(hue: warmth, saturation: 0.75, lightness: random(0.82...0.88))
        sun = Color(hue: warmth + 0.03, saturation: 0.9, lightness: 0.95)
        sunX = random(0.18...0.82)
        sunY = random(0.18...0.42)
        sunRadius = random(0.06...0.1)
        var ranges: [Range] = []
        for index in 0..<Self.rangeCount {
            let depth = Double(index) / Double(Self.rangeCount - 1)
            let base = 0.5 + 0.3 * depth
            let points = 4 + index
            ranges.append(
                Range(
                    color: Color(
                        hue: hue + 0.05 - 0.05 * depth,
                        saturation: 0.35 + 0.15 * depth,
                        lightness: 0.62 - 0.44 * depth
                    ),
                    heights: (0..<points).map { _ in base + random(-0.12...0.1) }
                )
            )
        }
        self.ranges = ranges
    }

    /// The pixels, three bytes each, row after row.
    func pixels(width: Int, height: Int) -> [UInt8] {
        let ridges = ranges.map { range in
            (0..<width).map { Self.height(of: range.heights, at: Double($0) / Double(width)) * Double(height) }
        }
        let radius = sunRadius * Double(width)
        var pixels: [UInt8] = []
        pixels.reserveCapacity(width * height * 3)
        for row in 0..<height {
            let y = Double(row)
            let sky = zenith.mixed(with: horizon, min(y / (Double(height) * 0.7), 1))
            for column in 0..<width {
                let x = Double(column) - sunX * Double(width)
                let distance = (x * x + (y - sunY * Double(height)) * (y - sunY * Double(height))).squareRoot()
                var color = sky
                // The sun, and a glow around it that ends at four times its radius.
                let glow = max(0, 1 - distance / (radius * 4))
                color = color.mixed(with: sun, max(glow * glow * 0.5, Self.share(radius - distance)))
                for (range, ridge) in zip(ranges, ridges) where y > ridge[column] - 1 {
                    color = color.mixed(with: range.color, Self.share(y - ridge[column]))
                }
                pixels.append(UInt8(color.red * 255))
                pixels.append(UInt8(color.green * 255))
                pixels.append(UInt8(color.blue * 255))
            }
        }
        return pixels
    }

    /// The height of a ridge: a smooth curve through its points.
    private static func height(of points: [Double], at place: Double) -> Double {
        let position = place * Double(points.count - 1)
        let index = min(Int(position), points.count - 2)
        let part = position - Double(index)
        let smooth = part * part * (3 - 2 * part)
        return points[index] + (points[index + 1] - points[index]) * smooth
    }

    /// The share of a pixel that lies within an edge, by its distance to it in pixels.
    private static func share(_ distance: Double) -> Double { min(max(distance + 0.5, 0), 1) }
}
