import Foundation
import HTTPTypes
import Testing

@testable import Bluebonnet

/// What continues a download.
struct ResumeDataTests {
    private func resumeData(_ validator: ResumeData.Validator) throws -> ResumeData {
        ResumeData(
            url: try #require(URL(string: "https://example.com/a?b=c")),
            partialFile: URL(filePath: "/tmp/a.bluebonnet"),
            byteCount: 5,
            totalByteCount: 9,
            validator: validator
        )
    }

    @Test(arguments: [
        ResumeData.Validator.entityTag("\"v1\""), .lastModified("Mon, 02 Jan 2023 03:04:05 GMT"),
    ])
    func `it is the same after it was stored`(validator: ResumeData.Validator) throws {
        let resumeData = try resumeData(validator)
        let encoded = try JSONEncoder().encode(resumeData)
        #expect(try JSONDecoder().decode(ResumeData.self, from: encoded) == resumeData)
        #expect(try JSONValue(parsing: encoded)["version"] == 1)
    }

    @Test(arguments: [
        ("version", JSONValue.number(2)), ("byteCount", .number(-1)), ("byteCount", .number(10)), ("entityTag", .null),
        ("entityTag", .string("a\r\nb")), ("partialFile", .string("https://example.com/")), ("url", .null),
    ])
    func `what was changed is not decoded`(name: String, value: JSONValue) throws {
        let encoded = try JSONEncoder().encode(resumeData(.entityTag("\"v1\"")))
        guard case .object(var object) = try JSONValue(parsing: encoded) else { return }
        object[name] = value
        let changed = try JSONEncoder().encode(JSONValue.object(object))
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(ResumeData.self, from: changed) }
    }

    @Test func `only a strong validator continues a download`() {
        func validator(_ fields: HTTPFields) -> ResumeData.Validator? {
            ResumeData.Validator(ResponseHead(status: .ok, headerFields: fields))
        }
        let (early, late) = ("Mon, 02 Jan 2023 03:04:05 GMT", "Mon, 02 Jan 2023 03:04:06 GMT")
        #expect(validator([.eTag: "\"a\"", .lastModified: early]) == .entityTag("\"a\""))
        #expect(validator([.lastModified: early, .date: late]) == .lastModified(early))
        // RFC 9110 §13.1.5: no date where there is a tag.
        for tag in ["W/\"a\"", "a", ""] {
            #expect(validator([.eTag: tag, .lastModified: early, .date: late]) == nil)
        }
        #expect(validator([.lastModified: early, .date: early]) == nil)
        #expect(validator([.lastModified: early]) == nil)
        #expect(validator([.lastModified: "yesterday", .date: late]) == nil)
        #expect(validator([.eTag: "a"]) == nil)
        #expect(validator([.eTag: "\""]) == nil)
        #expect(validator([:]) == nil)
    }
}
