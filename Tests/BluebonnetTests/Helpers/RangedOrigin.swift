import BluebonnetTesting
import Foundation
import HTTPTypes
import Synchronization

@testable import Bluebonnet

/// A stub of a server with one file, which knows `Range` and `If-Range`, and whose file changes.
final class RangedOrigin: Sendable {
    struct File: Sendable {
        var bytes: Data
        var tag: String
        var fields: HTTPFields = [.cacheControl: "max-age=60"]
    }

    private let state: Mutex<File>

    init(_ text: String, tag: String = "\"1\"") {
        state = Mutex(File(bytes: Data(text.utf8), tag: tag))
    }

    init(_ bytes: Data) {
        state = Mutex(File(bytes: bytes, tag: "\"1\""))
    }

    func change(_ body: (inout File) -> Void) {
        state.withLock { body(&$0) }
    }

    /// The whole of the file.
    var whole: StubResponse {
        let file = state.withLock { $0 }
        var fields = file.fields
        fields[.eTag] = file.tag
        fields[.contentLength] = String(file.bytes.count)
        return StubResponse(headerFields: fields, body: file.bytes)
    }

    /// The whole of the file, of which the connection brings only the first bytes.
    func cut(after count: Int) -> StubResponse {
        var response = whole
        let bytes = response.body.prefix(count)
        response.body = Data()
        response.streamedBody = .stream(
            AsyncThrowingStream<Data, any Error> { continuation in
                continuation.yield(bytes)
                continuation.finish(throwing: NetworkingError(.truncatedResponse, "cut"))
            }
        )
        return response
    }

    /// The response to a request with at most one range.
    func respond(to request: Request) -> StubResponse {
        var response = whole
        let file = state.withLock { $0 }
        guard let range = request.headerFields[.range], request.headerFields[.ifRange] ?? file.tag == file.tag else {
            return response
        }
        let ends = range.dropFirst("bytes=".count).split(separator: "-", omittingEmptySubsequences: false)
        let (first, last) = (Int(ends[0]) ?? 0, min(Int(ends[1]) ?? .max, file.bytes.count - 1))
        guard first <= last else {
            return StubResponse(
                status: .rangeNotSatisfiable,
                headerFields: [.contentRange: "bytes */\(file.bytes.count)"]
            )
        }
        response.status = .partialContent
        response.headerFields[.contentLength] = String(last + 1 - first)
        response.headerFields[.contentRange] = "bytes \(first)-\(last)/\(file.bytes.count)"
        response.body = Data(file.bytes[first...last])
        return response
    }
}

extension CacheBench {
    /// The values of `Range` that the server has got, with "-" for none.
    var ranges: [String] { transport.requests.map { $0.headerFields[.range] ?? "-" } }

    /// Asks for a range of bytes.
    @discardableResult
    func send(_ first: Int, _ last: Int, _ fields: HTTPFields = [:]) async throws -> Response<Data> {
        var fields = fields
        fields[.range] = "bytes=\(first)-\(last)"
        return try await send(.get, "/a", fields)
    }
}
