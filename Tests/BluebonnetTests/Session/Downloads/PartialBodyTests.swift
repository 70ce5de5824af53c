import HTTPTypes
import Testing

@testable import Bluebonnet

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The beginning of a body in memory: what is left of a transfer that failed, and what continues
/// it.
struct PartialBodyTests {
    private let request: Request

    init() throws {
        request = try Request(to: "https://example.com/a.png")
    }

    private func head(_ code: Int, _ fields: HTTPFields) -> ResponseHead {
        ResponseHead(status: .init(code: code), headerFields: fields)
    }

    private func error(_ head: ResponseHead?, _ body: String?) -> NetworkingError {
        NetworkingError(.truncatedResponse, "Cut.", response: head, body: body.map { Data($0.utf8) })
    }

    /// Two of four bytes.
    private func beginning() throws -> PartialBody {
        let fields: HTTPFields = [.contentLength: "4", .eTag: "\"1\"", .contentType: "image/png"]
        return try #require(PartialBody(Data("12".utf8), of: head(200, fields), to: request))
    }

    private func rest(from start: Int, tag: String) -> ResponseHead {
        head(206, [.contentRange: "bytes \(start)-3/4", .eTag: tag])
    }

    @Test func `a part that is cut is put behind what was there`() throws {
        let error = error(rest(from: 2, tag: "\"1\""), "3")
        let partial = try #require(PartialBody.left(by: error, of: request, continuing: beginning()))
        #expect(partial.bytes == Data("123".utf8))
        #expect(partial.continuing(request).headerFields[.range] == "bytes=3-")
        #expect(partial.completing(rest(from: 3, tag: "\"1\""))[.contentType] == "image/png")
    }

    @Test func `an error that brought nothing leaves what was there`() throws {
        let errors = [
            error(nil, nil), error(head(503, [.contentLength: "4"]), "busy"), error(rest(from: 2, tag: "\"1\""), ""),
        ]
        for error in errors {
            let left = PartialBody.left(by: error, of: request, continuing: try beginning())
            #expect(left?.bytes == Data("12".utf8))
        }
    }

    @Test func `bytes of another version take the place of what was there, or nothing does`() throws {
        let whole = error(head(200, [.contentLength: "9", .eTag: "\"2\""]), "777")
        #expect(PartialBody.left(by: whole, of: request, continuing: try beginning())?.bytes == Data("777".utf8))
        let part = error(rest(from: 2, tag: "\"2\""), "9")
        #expect(PartialBody.left(by: part, of: request, continuing: try beginning()) == nil)
    }

    @Test func `the progress of the rest is that of the whole, and of a new whole its own`() throws {
        let partial = try beginning()
        #expect(partial.progress(TransferProgress()) == TransferProgress(completed: 2, total: 4))
        #expect(
            partial.progress(TransferProgress(completed: 1, total: 2)) == TransferProgress(completed: 3, total: 4)
        )
        let whole = TransferProgress(completed: 1, total: 4)
        #expect(partial.progress(whole) == whole)
    }
}
