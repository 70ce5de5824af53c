import HTTPTypes
import Testing

@testable import Bluebonnet

/// What a stored response makes of conditions and ranges, as values (RFC 9111 §4.3.2, RFC 9110 §13,
/// §14).
struct StoredAnswerTests {
    /// The answer of a stored response of ten bytes.
    private func answer(
        _ fields: HTTPFields,
        stored: HTTPFields = [.eTag: "\"x\"", .contentLength: "10"],
        status: HTTPResponse.Status = .ok,
        method: HTTPRequest.Method = .get
    ) throws -> StoredAnswer {
        let request = try Request(method, to: "http://x.test/a", headerFields: fields)
        let cached = try #require(CacheRequest(request, policy: .default))
        let record = CacheRecord(
            key: cached.key,
            url: request.url,
            head: ResponseHead(status: status, headerFields: stored),
            varying: [],
            requestedAt: CacheBench.start,
            receivedAt: CacheBench.start,
            byteCount: 10
        )
        return StoredAnswer(record, to: cached, head: record.head)
    }

    @Test(arguments: [
        ("\"x\"", 304), ("W/\"x\"", 304), ("\"a\", \"x\"", 304), ("*", 304), ("\"y\"", 200), ("x", 200),
        ("\"a,\\\"x\\\",\"", 200), ("", 200),
    ])
    func `If-None-Match is compared weakly`(_ tags: String, _ status: Int) throws {
        #expect(try answer([.ifNoneMatch: tags]).head.status.code == status)
    }

    @Test func `a 304 has the fields that it must have, and no body`() throws {
        let stored: HTTPFields = [
            .eTag: "\"x\"", .contentLength: "10", .contentType: "a/b", .cacheControl: "max-age=5", .vary: "Accept",
            .date: httpDate(0), .expires: httpDate(9), .contentLocation: "/b",
        ]
        let answer = try answer([.ifNoneMatch: "\"x\""], stored: stored)
        let names = Set(answer.head.headerFields.map(\.name.canonicalName))
        #expect(names == ["etag", "cache-control", "vary", "date", "expires", "content-location"])
        #expect(answer.content == .none)
    }

    @Test(arguments: [(-1, 200), (0, 304), (1, 304)])
    func `If-Modified-Since is compared with Last-Modified`(_ offset: Int, _ status: Int) throws {
        let changed = CacheBench.start - 1_000
        let answer = try answer(
            [.ifModifiedSince: httpDate(changed + offset)],
            stored: [.lastModified: httpDate(changed)]
        )
        #expect(answer.head.status.code == status)
    }

    @Test func `If-Modified-Since does not count beside If-None-Match, nor when it is no date`() throws {
        let stored: HTTPFields = [.eTag: "\"x\"", .lastModified: httpDate(0)]
        let both: HTTPFields = [.ifNoneMatch: "\"y\"", .ifModifiedSince: httpDate(CacheBench.start)]
        #expect(try answer(both, stored: stored).head.status == .ok)
        #expect(try answer([.ifModifiedSince: "yesterday"], stored: stored).head.status == .ok)
        let dated: HTTPFields = [.date: httpDate(50)]
        #expect(try answer([.ifModifiedSince: httpDate(50)], stored: dated).head.status == .notModified)
    }

    @Test func `conditions and ranges do not count for another status than 200`() throws {
        let fields: HTTPFields = [.ifNoneMatch: "*", .range: "bytes=0-1"]
        let answer = try answer(fields, status: .notFound)
        #expect(answer.head.status == .notFound && answer.content == .whole)
    }

    @Test(arguments: [
        ("bytes=0-4", 0, 5), ("bytes=5-", 5, 10), ("bytes=-3", 7, 10), ("bytes=-99", 0, 10), ("bytes=8-99", 8, 10),
        ("BYTES=1-1", 1, 2), ("bytes=0-99999999999999999999", 0, 10),
    ])
    func `a range is answered from the whole`(_ range: String, _ first: Int, _ end: Int) throws {
        let answer = try answer([.range: range])
        #expect(answer.head.status == .partialContent && answer.content == .part(first..<end))
        #expect(answer.head[.contentRange] == "bytes \(first)-\(end - 1)/10")
        #expect(answer.head[.contentLength] == String(end - first) && answer.head[.eTag] == "\"x\"")
    }

    @Test(arguments: ["bytes=10-", "bytes=10-12", "bytes=-0", "bytes=99999999999999999999-"])
    func `a range behind the end is not satisfiable`(_ range: String) throws {
        let answer = try answer([.range: range])
        #expect(answer.head.status.code == 416 && answer.head[.contentRange] == "bytes */10")
        #expect(answer.content == .none)
    }

    @Test(arguments: ["bytes=0-1,3-4", "bytes=4-1", "bytes=-", "bytes", "lines=0-1", "bytes=a-b", "", "bytes=1-2-3"])
    func `several ranges, and what is none, are for the server`(_ range: String) {
        #expect(!StoredAnswer.isAnswerable(range))
    }

    @Test func `If-Range takes the part only of the same response`() throws {
        let range: HTTPFields = [.range: "bytes=0-1"]
        func content(_ condition: String, _ stored: HTTPFields) throws -> StoredAnswer.Content {
            var fields = range
            fields[.ifRange] = condition
            return try answer(fields, stored: stored).content
        }
        let changed = httpDate(CacheBench.start - 100)
        #expect(try content("\"x\"", [.eTag: "\"x\""]) == .part(0..<2))
        #expect(try content("\"y\"", [.eTag: "\"x\""]) == .whole)
        #expect(try content("W/\"x\"", [.eTag: "W/\"x\""]) == .whole)
        let strong: HTTPFields = [.lastModified: changed, .date: httpDate(CacheBench.start)]
        #expect(try content(changed, strong) == .part(0..<2))
        #expect(try content(changed, [.lastModified: changed, .date: changed]) == .whole)
        #expect(try content(httpDate(0), strong) == .whole)
    }

    @Test func `a HEAD gets the head of a GET, without a range`() throws {
        let answer = try answer([.range: "bytes=0-1"], method: .head)
        #expect(answer.head.status == .ok && answer.head[.contentLength] == "10" && answer.content == .none)
    }
}
