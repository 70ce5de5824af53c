import HTTPTypes
import Testing

@testable import Bluebonnet

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

struct PropertyListRequestSerializerTests {
    private struct Person: Codable, Sendable, Equatable {
        var name: String
        var born: Date
        var picture: Data
        var nickname: String?
    }

    private let person = Person(name: "Ada", born: Date(timeIntervalSince1970: 0), picture: Data([1, 2, 3]))

    private func post(
        _ parameters: JSONValue,
        _ serializer: PropertyListRequestSerializer = PropertyListRequestSerializer()
    ) throws -> Request {
        try serializer.serialize(Request(.post, to: "http://x/"), parameters: Parameters(parameters))
    }

    @Test(arguments: [PropertyListDecoder.PropertyListFormat.xml, .binary])
    func `a property list body is written in the chosen format`(format: PropertyListDecoder.PropertyListFormat) throws {
        let request = try PropertyListRequestSerializer(format: format)
            .serialize(Request(.post, to: "http://x/"), parameters: Parameters(person))
        #expect(request.headerFields[.contentType] == "application/x-plist")
        let data = try #require(request.body?.data)
        #expect(data.starts(with: format == .xml ? Array("<?xml".utf8) : Array("bplist00".utf8)))
        #expect(try PropertyListDecoder().decode(Person.self, from: data) == person)
    }

    @Test func `property list parameters become a dictionary with their types`() throws {
        let data = try #require(
            try post(["n": 1, "x": 1.5, "yes": true, "list": ["a", "b"], "o": ["k": "v"]]).body?.data
        )
        let text = String(decoding: data, as: UTF8.self)
        for piece in [
            "<key>n</key>", "<integer>1</integer>", "<real>1.5</real>", "<true/>", "<string>a</string>", "<key>o</key>",
        ] { #expect(text.contains(piece), "\(piece) is not in \(text)") }
    }

    private static let numbers: [(JSONValue, String)] = [
        (.number(JSONNumber(text: "18446744073709551615") ?? 0), "<integer>18446744073709551615</integer>"),
        (.number(JSONNumber(text: "9007199254740993.0") ?? 0), "<integer>9007199254740993</integer>"),
        (.number(JSONNumber(text: "0.12345678901234567890123") ?? 0), "<real>0.123456789012345"),
        (.number(JSONNumber(text: "100000000000000000000") ?? 0), "<real>1"),
        (.number(JSONNumber(text: "1e300") ?? 0), "<real>1"),
    ]

    @Test(arguments: numbers, [PropertyListDecoder.PropertyListFormat.xml, .binary])
    func `long numbers are numbers in a property list body`(
        number: (JSONValue, String),
        format: PropertyListDecoder.PropertyListFormat
    ) throws {
        let serializer = PropertyListRequestSerializer(format: format)
        let data = try #require(try post(["a": [number.0]], serializer).body?.data)
        if format == .xml { #expect(String(decoding: data, as: UTF8.self).contains(number.1)) }
        let value = try PropertyListDecoder().decode([String: [Double]].self, from: data)
        #expect(value["a"] == number.0.double.map { [$0] })
    }

    @Test func `a property list request keeps a content type that is set`() throws {
        var request = try Request(.put, to: "http://x/")
        request.headerFields[.contentType] = "application/x-bplist"
        request = try PropertyListRequestSerializer().serialize(request, parameters: ["a": 1])
        #expect(request.headerFields[.contentType] == "application/x-bplist")
    }

    @Test func `a property list request without parameters has neither body nor content type`() throws {
        let request = try PropertyListRequestSerializer().serialize(Request(.post, to: "http://x/"))
        #expect(request.body == nil)
        #expect(request.headerFields[.contentType] == nil)
        #expect(request.headerFields[.userAgent] != nil)
    }

    @Test func `a property list serializer puts the parameters of a GET into the URL`() throws {
        let request = try PropertyListRequestSerializer().serialize(
            Request(to: "http://x/a"),
            parameters: ["b": [1, 2]]
        )
        #expect(request.url.absoluteString == "http://x/a?b%5B%5D=1&b%5B%5D=2")
        #expect(request.body == nil)
    }

    @Test func `a null that a type encodes is an error in a property list too`() throws {
        let error = #expect(throws: NetworkingError.self) {
            try PropertyListRequestSerializer().serialize(
                Request(.post, to: "http://x/"),
                parameters: ["a": [Int?.none, 1]]
            )
        }
        #expect(error?.message.contains("null, as there is at a[0]") == true)
    }

    private static let impossible: [(JSONValue, String)] = [
        (nil, "single value"), (1, "single value"), ("a", "single value"),
        (["a": nil], "null, as there is at a"), (["a": ["b", ["c": nil]]], "null, as there is at a[1].c"),
        ([1, nil], "null, as there is at [1]"),
        (
            ["a": [.number(JSONNumber(text: "18446744073709551617") ?? 0)]],
            "number like 18446744073709551617, as there is at a[0]"
        ),
        ([.number(JSONNumber(text: "1e400") ?? 0)], "number like 1e400, as there is at [0]"),
    ]

    @Test(arguments: impossible)
    func `the error about parameters that a property list cannot hold names the reason`(
        parameters: JSONValue,
        reason: String
    )
        throws
    {
        let error = #expect(throws: NetworkingError.self) { try post(parameters) }
        #expect(error?.code == .requestSerializationFailed)
        #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
    }
}
