import HTTPTypes
import Hummingbird
import Synchronization

/// Pictures for galleries, and lists of them. httpbin has no such endpoints.
///
/// Each is made when it is requested first, and is the same each time.
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

    /// Files that were made, which takes longer than the rest of a response: a gallery that is
    /// measured is not to share the processor with that.
    struct Files {
        struct Key: Hashable {
            let number: Int
            let width: Int
        }

        /// The most bytes of files that are kept: some thousand pictures of the default width.
        static let mostBytes = 64 << 20

        private var files: [Key: [UInt8]] = [:]
        private(set) var byteCount = 0

        subscript(key: Key) -> [UInt8]? { files[key] }

        /// Keeps a file. Where there is no room for it, the others are made again when they are
        /// requested.
        mutating func keep(_ file: [UInt8], for key: Key) {
            guard files[key] == nil else { return }
            if byteCount + file.count > Self.mostBytes { self = Files() }
            files[key] = file
            byteCount += file.count
        }
    }

    private static let files = Mutex(Files())

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
        let key = Files.Key(number: number, width: width)
        let known = files.withLock { $0[key] }
        let file = known ?? made(key)
        if known == nil { files.withLock { $0.keep(file, for: key) } }
        var response = Response.content(file, type: "image/png")
        response.headers[.cacheControl] = "public, max-age=3600"
        return response
    }

    private static func made(_ key: Files.Key) -> [UInt8] {
        let pixels = Landscape(key.number).pixels(width: key.width, height: key.width * 3 / 4)
        return PNG.file(width: key.width, pixels: pixels)
    }
}
