import Foundation
import Testing

@testable import Bluebonnet

@Suite struct PropertyListResponseSerializerTests {
    @Test func `a property list response is parsed`() throws {
        let example = ResponseExample(200, "application/x-plist", "<plist><array><true/></array></plist>")
        #expect(try example.serialized(as: .propertyList) == .array([.boolean(true)]))
    }

    @Test(arguments: [(204, nil), (200, nil), (200, "application/x-plist")] as [(Int, String?)])
    func `an empty property list response is nil and not an error`(_ status: Int, _ type: String?) throws {
        #expect(try ResponseExample(status, type, "").serialized(as: .propertyList) == nil)
    }

    @Test func `a wrong content type and a malformed property list response are errors`() {
        #expect(ResponseExample(200, "text/xml", "<true/>").error(as: .propertyList)?.code == .unacceptableContentType)
        let error = ResponseExample(200, "application/x-plist", "<true>").error(as: .propertyList)
        #expect(error?.code == .responseSerializationFailed)
        #expect(error?.message.hasPrefix("The response is not a valid property list: ") == true)
        #expect(error?.underlying is PropertyListParsingError)
    }

    @Test func `a bad status has its property list in the error`() {
        let error = ResponseExample(500, "application/x-plist", "<true/>").error(as: .propertyList)
        #expect(error?.code == .unacceptableStatusCode)
        #expect(error?.parsedBody(as: PropertyListValue.self) == .boolean(true))
        let empty = ResponseExample(500, "application/x-plist", "").error(as: .propertyList)
        #expect(empty?.code == .unacceptableStatusCode)
        let broken = ResponseExample(500, "application/x-plist", "x").error(as: .propertyList)
        #expect(broken?.code == .responseSerializationFailed && broken?.contains(.unacceptableStatusCode) == true)
    }
}
