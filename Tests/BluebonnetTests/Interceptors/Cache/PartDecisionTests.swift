import HTTPTypes
import Testing

@testable import Bluebonnet

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What becomes of a part, as a value (RFC 9110 §14.4, §15.3.7).
struct PartDecisionTests {
    private static let part: HTTPFields = [.eTag: "\"1\"", .contentRange: "bytes 2-5/10", .contentLength: "4"]

    private func decision(_ fields: HTTPFields, _ request: HTTPFields = [:]) throws -> PartDecision {
        let request = try Request(to: "http://x.test/a", headerFields: request)
        return PartDecision(
            ResponseHead(status: .partialContent, headerFields: fields),
            to: try #require(CacheRequest(request, policy: .default)),
            beside: [],
            isShared: false
        )
    }

    private func isStored(_ fields: HTTPFields, _ request: HTTPFields = [:]) throws -> Bool {
        if case .store = try decision(fields, request) { true } else { false }
    }

    @Test func `a part is stored with the head of the whole`() throws {
        guard case .store(let head, let part) = try decision(Self.part) else {
            Issue.record("It is not stored.")
            return
        }
        #expect(part.range == 2..<6 && part.length == 10)
        #expect(head.statusCode == 200 && head[.contentLength] == "10" && head[.contentRange] == nil)
        #expect(head[.eTag] == "\"1\"")
    }

    @Test(arguments: [
        "bytes 5-2/10", "bytes 2-5/5", "bytes 2-5/*", "bytes */10", "bytes 2-5", "bytes -2-5/10", "items 2-5/10", "",
        "bytes 2-5/99999999999999999999", "bytes 99999999999999999996-99999999999999999999/*", "bytes 2-5/10, 6-7/10",
        "bytes 0-9223372036854775806/9223372036854775807", "bytes 2-4/10", "bytes 2-6/10",
    ])
    func `a Content-Range that is hostile, or of another length than the body, is not stored`(
        _ value: String
    ) throws {
        var fields = Self.part
        fields[.contentRange] = value
        #expect(try !isStored(fields))
    }

    @Test func `several of one field are not stored`() throws {
        for name in [HTTPField.Name.contentRange, .eTag] {
            var fields = Self.part
            fields.append(HTTPField(name: name, value: fields[name] ?? ""))
            #expect(try !isStored(fields))
        }
    }

    @Test(arguments: ["W/\"1\"", "1", "", "\""])
    func `a part without a strong entity tag is not stored`(_ tag: String) throws {
        var fields = Self.part
        fields[.eTag] = tag
        #expect(try !isStored(fields))
        fields[.eTag] = nil
        fields[.lastModified] = httpDate(0)
        #expect(try !isStored(fields))
    }

    @Test func `several parts, and a part of encoded bytes, are not stored`() throws {
        #expect(try !isStored([.eTag: "\"1\"", .contentType: "multipart/byteranges; boundary=x"]))
        var fields = Self.part
        fields[.contentEncoding] = "gzip"
        #expect(try !isStored(fields))
    }
}
