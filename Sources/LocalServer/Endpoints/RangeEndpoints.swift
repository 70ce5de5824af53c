import HTTPTypes
import Hummingbird
import NIOCore

/// An endpoint that serves ranges of its bytes (RFC 9110 §14).
enum RangeEndpoints {
    static let all: [Endpoint] = [
        Endpoint("range/:n") { try respond($0) }
    ]

    /// The time of the last change of the bytes of `/range`.
    static let lastModified = "Mon, 02 Jan 2023 03:04:05 GMT"

    /// The alphabet repeated, whole or in part.
    private static func respond(_ exchange: Exchange) throws -> Response {
        let count = try exchange.count("n")
        guard 1...104_857_600 ~= count else {
            throw EndpointError(.notFound, "The number of bytes must be 1 to 104857600.")
        }
        let tag = "\"range\(count)\""
        let size = min(max(1, try exchange.number("chunk_size", default: 64 * 1024)), count)
        let duration = try exchange.number("duration", default: 0.0)
        guard 0...3600 ~= duration else {
            throw EndpointError(.badRequest, "The duration must be 0 to 3600 seconds.")
        }
        var headers: HTTPFields = [
            .acceptRanges: "bytes", .eTag: tag, .lastModified: lastModified,
            .contentType: "application/octet-stream",
        ]
        if let failed = Preconditions.check(exchange, tag: tag, lastModified: lastModified) {
            return failed
        }
        var range = 0..<count
        var status = HTTPResponse.Status.ok
        if let value = exchange.request.headers[.range], mayBePartial(exchange, tag) {
            switch parse(value, of: count) {
            case .ignored:
                break
            case .unsatisfiable:
                headers[.contentRange] = "bytes */\(count)"
                headers[.contentType] = nil
                return Response(status: .rangeNotSatisfiable, headers: headers)
            case .part(let part):
                range = part
                status = .partialContent
                headers[.contentRange] = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(count)"
            }
        }
        return Response(status: status, headers: headers, body: body(range, of: count, size, duration))
    }

    private static func body(_ range: Range<Int>, of count: Int, _ size: Int, _ duration: Double) -> ResponseBody {
        ResponseBody(contentLength: range.count) { writer in
            var position = range.lowerBound
            while position < range.upperBound {
                let end = min(position + size, range.upperBound)
                let letters = (position..<end).lazy.map { UInt8(ascii: "a") + UInt8($0 % 26) }
                try await writer.write(ByteBuffer(bytes: Array(letters)))
                if duration > 0 {
                    try await Task.sleep(for: .seconds(duration * Double(end - position) / Double(count)))
                }
                position = end
            }
            try await writer.finish(nil)
        }
    }

    /// Whether If-Range allows a part: its validator must be ours, compared strongly (RFC 9110
    /// §13.1.5).
    private static func mayBePartial(_ exchange: Exchange, _ tag: String) -> Bool {
        guard let name = HTTPField.Name("If-Range"), let value = exchange.request.headers[name] else { return true }
        return value == tag || value == lastModified
    }

    private enum Selection {
        case ignored
        case unsatisfiable
        case part(Range<Int>)
    }

    /// The part a Range field selects (RFC 9110 §14.1.2).
    ///
    /// An invalid field, and one with several ranges, is ignored, as RFC 9110 §14.2 allows.
    private static func parse(_ value: String, of count: Int) -> Selection {
        guard value.hasPrefix("bytes=") else { return .ignored }
        let bounds = value.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard bounds.count == 2, bounds.allSatisfy({ $0.allSatisfy(\.isWholeNumber) }) else { return .ignored }
        switch (Int(bounds[0]), Int(bounds[1])) {
        case (nil, nil):
            return .ignored
        case (nil, let suffix?):
            return suffix == 0 ? .unsatisfiable : .part(max(0, count - suffix)..<count)
        case (let first?, let last):
            if let last, last < first {
                return .ignored
            }
            return first >= count ? .unsatisfiable : .part(first..<min(last ?? count - 1, count - 1) + 1)
        }
    }
}
