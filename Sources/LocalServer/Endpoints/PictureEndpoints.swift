import HTTPTypes
import Hummingbird

/// Pictures for galleries, and lists of them. httpbin has no such endpoints.
///
/// Each is made when it is requested, and is the same each time.
enum PictureEndpoints {
    /// The most pictures in a list.
    static let longestList = 10_000
    static let defaultCount = 100
    /// The widths in pixels. The height is three quarters of it.
    static let widths = 4...1024
    static let defaultWidth = 320

    static let all: [Endpoint] = [
        Endpoint("v1/pictures") { try list($0) },
        Endpoint("v1/pictures/:name") { try picture($0) },
    ]

    private static func list(_ exchange: Exchange) throws -> Response {
        let count = try exchange.number("count", default: defaultCount)
        guard (0...longestList).contains(count) else {
            return ServiceEndpoints.problem(.badRequest, "The count is 0 to \(longestList).")
        }
        let pictures = (0..<count).map { index -> JSON in
            let number = index + 1
            return [
                "id": .integer(number),
                "title": .string(Landscape(number).title),
                "url": .string("/v1/pictures/\(number).png"),
            ]
        }
        return .json(.array(pictures))
    }

    private static func picture(_ exchange: Exchange) throws -> Response {
        let width = try exchange.number("width", default: defaultWidth)
        guard widths.contains(width) else {
            return ServiceEndpoints.problem(
                .badRequest,
                "The width is \(widths.lowerBound) to \(widths.upperBound) pixels."
            )
        }
        let name = exchange.parameter("name")
        guard name.hasSuffix(".png"), let number = Int(name.dropLast(4)), (1...longestList).contains(number) else {
            return ServiceEndpoints.problem(.notFound, "There is no such picture.")
        }
        let pixels = Landscape(number).pixels(width: width, height: width * 3 / 4)
        var response = Response.content(PNG.file(width: width, pixels: pixels), type: "image/png")
        response.headers[.cacheControl] = "public, max-age=3600"
        return response
    }
}
