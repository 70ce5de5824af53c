import HTTPTypes
import Testing

@testable import Bluebonnet

/// What a download does with a response.
struct DownloadStepTests {
    private let get: Request
    private let beginning = DownloadStep.Beginning(count: 100, length: 500, validator: .entityTag("\"v1\""))

    init() throws {
        get = try Request(to: "https://example.com/")
    }

    private func head(_ code: Int, _ fields: HTTPFields = [:]) -> ResponseHead {
        ResponseHead(status: .init(code: code), headerFields: fields)
    }

    @Test func `a whole file is written from its first byte`() {
        #expect(DownloadStep(head(200, [.contentLength: "9"]), to: get, continuing: nil) == .write(from: 0, length: 9))
        #expect(DownloadStep(head(200), to: get, continuing: nil) == .write(from: 0, length: nil))
        #expect(
            DownloadStep(head(200, [.contentLength: "500"]), to: get, continuing: beginning)
                == .write(from: 0, length: 500)
        )
    }

    @Test func `the length of an encoded body is not that of the file`() {
        let head = head(200, [.contentLength: "9", .contentEncoding: "gzip"])
        #expect(DownloadStep(head, to: get, continuing: nil) == .write(from: 0, length: nil))
    }

    @Test func `the length in a 304 is not that of its body`() {
        let head = head(304, [.contentLength: "5000", .eTag: "\"v1\""])
        #expect(DownloadStep(head, to: get, continuing: nil) == .write(from: 0, length: nil))
    }

    @Test func `the rest is written behind what is there`() {
        let head = head(206, [.contentRange: "bytes 100-499/500", .eTag: "\"v1\""])
        #expect(DownloadStep(head, to: get, continuing: beginning) == .write(from: 100, length: 500))
        let unknown = self.head(206, [.contentRange: "bytes 100-499/*", .eTag: "\"v1\""])
        #expect(DownloadStep(unknown, to: get, continuing: beginning) == .write(from: 100, length: 500))
    }

    @Test(
        arguments: [
            [.contentRange: "bytes 100-499/500", .eTag: "\"v2\""],
            [.contentRange: "bytes 100-499/500", .eTag: "W/\"v1\""],
            [.contentRange: "bytes 100-499/500", .eTag: "\"v1\"", .contentEncoding: "gzip"],
            [.contentRange: "bytes 100-499/500"],
        ] as [HTTPFields]
    )
    func `a part of another version begins again`(fields: HTTPFields) {
        #expect(DownloadStep(head(206, fields), to: get, continuing: beginning) == .restart)
    }

    @Test func `a part need not repeat the date of its version`() {
        let date = "Sat, 21 Nov 2026 10:00:00 GMT"
        let dated = DownloadStep.Beginning(count: 100, length: 500, validator: .lastModified(date))
        let fields: HTTPFields = [.contentRange: "bytes 100-499/500"]
        #expect(DownloadStep(head(206, fields), to: get, continuing: dated) == .write(from: 100, length: 500))
        var other = fields
        other[.lastModified] = "Sat, 21 Nov 2026 10:00:01 GMT"
        #expect(DownloadStep(head(206, other), to: get, continuing: dated) == .restart)
    }

    @Test func `416 is complete only for the same length of the same version`() {
        let all = DownloadStep.Beginning(count: 500, length: 500, validator: .entityTag("\"v1\""))
        #expect(DownloadStep(head(416, [.contentRange: "bytes */500"]), to: get, continuing: all) == .complete)
        #expect(
            DownloadStep(head(416, [.contentRange: "bytes */500", .eTag: "\"v2\""]), to: get, continuing: all)
                == .restart
        )
        #expect(DownloadStep(head(416, [.contentRange: "bytes */400"]), to: get, continuing: all) == .restart)
        #expect(DownloadStep(head(416), to: get, continuing: all) == .restart)
        #expect(DownloadStep(head(416, [.contentRange: "bytes */100"]), to: get, continuing: beginning) == .restart)
    }

    @Test func `416 completes a file of unknown length only when a tag tells its version`() {
        let tagged = DownloadStep.Beginning(count: 500, length: nil, validator: .entityTag("\"v1\""))
        let dated = DownloadStep.Beginning(
            count: 500,
            length: nil,
            validator: .lastModified("Sat, 21 Nov 2026 10:00:00 GMT")
        )
        let refusal = head(416, [.contentRange: "bytes */500"])
        #expect(DownloadStep(refusal, to: get, continuing: tagged) == .complete)
        #expect(DownloadStep(refusal, to: get, continuing: dated) == .restart)
    }

    @Test(arguments: [
        ("bytes 0-0/1", ContentRange.part(0..<1, of: 1)), ("BYTES 5-9/*", .part(5..<10, of: nil)),
        ("bytes */0", .unsatisfied(length: 0)),
    ])
    func `a Content-Range is a part or a length`(text: String, range: ContentRange) {
        #expect(ContentRange(text) == range)
    }

    @Test(arguments: [
        "", "bytes", "bytes 1-2", "bytes 2-1/5", "bytes 1-5/5", "bytes -5/9", "bytes 1-/9", "bytes */*", "bytes +1-2/9",
        "bytes 1-2/9/9", "bytes 1-2-3/9", "pages 1-2/9", "bytes 1-99999999999999999999/*",
        "bytes 0-9223372036854775807/*",
    ])
    func `what RFC 9110 calls invalid is no Content-Range`(text: String) {
        #expect(ContentRange(text) == nil)
    }
}
