import Bluebonnet
import BluebonnetTesting
import HTTPTypes
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

struct StubResponseTests {
    @Test func `each kind of stub body has its content type`() {
        #expect(StubResponse.json([1, 2]).headerFields[.contentType] == "application/json")
        #expect(StubResponse.json(text: "[1,").headerFields[.contentType] == "application/json")
        #expect(StubResponse.text("a").headerFields[.contentType] == "text/plain; charset=utf-8")
        #expect(StubResponse.data(Data([1])).headerFields[.contentType] == "application/octet-stream")
        #expect(StubResponse().headerFields.isEmpty)
    }

    @Test func `a stub response keeps a content type that it is given`() {
        let response = StubResponse.json([:], headerFields: [.contentType: "application/problem+json"])
        #expect(response.headerFields[.contentType] == "application/problem+json")
    }

    @Test func `stub bodies are JSON as given, and texts in UTF-8`() {
        #expect(StubResponse.json(["a": [1, nil]]).body == Data(#"{"a":[1,null]}"#.utf8))
        #expect(StubResponse.json(text: "[1,").body == Data("[1,".utf8))
        #expect(StubResponse.text("ä").body == Data("ä".utf8))
    }

    @Test func `a stub response with a value that JSON cannot represent is a failure`() {
        let response = StubResponse.json(["a": .number(JSONNumber(Double.infinity))])
        #expect(response.error != nil)
    }

    @Test func `a stub redirect has a status and a location`() {
        let response = StubResponse.redirect(to: "/there")
        #expect(response.status == .found)
        #expect(response.headerFields[.location] == "/there")
        #expect(StubResponse.redirect(to: "/", status: .permanentRedirect).status.code == 308)
    }

    @Test func `delaying a stub response does not change the original`() {
        let response = StubResponse.text("a")
        #expect(response.delayed(by: .seconds(1)).delay == .seconds(1))
        #expect(response.delay == .zero)
    }
}
