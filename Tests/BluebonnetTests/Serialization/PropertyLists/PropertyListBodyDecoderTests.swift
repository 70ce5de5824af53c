import Foundation
import Testing

@testable import Bluebonnet

@Suite struct PropertyListBodyDecoderTests {
    struct Inner: Codable, Equatable { var x: [String: Int] }
    struct Item: Codable, Equatable {
        var name = "ü🦊"
        var count = -3
        var big = UInt64.max
        var ratio = 0.25
        var small: Float = 1.5
        var flag = true
        var date = Date(timeIntervalSince1970: 1_600_000_000)
        var bytes = Data([1, 2, 3])
        var list = [1, 2, 3]
        var inner: Inner? = Inner(x: ["a": 1])
        var missing: String?
        var optionals: [Int?] = [1, nil]
    }

    @Test(arguments: [PropertyListDecoder.PropertyListFormat.xml, .binary])
    func `property lists written by Foundation's encoder are decoded`(_ format: PropertyListDecoder.PropertyListFormat)
        throws
    {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = format
        let body = try encoder.encode(Item())
        #expect(try PropertyListBodyDecoder().decode(Item.self, from: body) == Item())
        let value = try PropertyListBodyDecoder().decode(PropertyListValue.self, from: body)
        #expect(value["name"] == .string("ü🦊"))
        #expect(
            try PropertyListBodyDecoder().decode([String: PropertyListValue].self, from: body)["count"] == .integer(-3)
        )
        let example = ResponseExample(200, "application/x-plist", body)
        #expect(try example.serialized(as: .decodablePropertyList(Item.self)) == Item())
        let foundation = DecodableResponseSerializer<Item>(validation: .propertyList, decoder: PropertyListDecoder())
        #expect(try example.serialized(as: foundation) == Item())
    }

    @Test(arguments: [
        ("<dict/>", "There is no key “x”."),
        ("<dict><key>x</key><string>a</string></dict>", "Expected a dictionary but found a text."),
        ("<dict><key>x</key><dict><key>b</key><real>1.5</real></dict></dict>", "The number does not fit in Int."),
        ("<array/>", "Expected a dictionary but found an array."),
        (
            "<dict><key>x</key><dict><key>b</key><true/></dict></dict>",
            "Expected a whole number but found true or false."
        ),
    ])
    func `a property list of another shape than the type is an error that says where`(_ body: String, _ reason: String)
        throws
    {
        let example = ResponseExample(200, "application/x-plist", body)
        let error = try #require(example.error(as: .decodablePropertyList(Inner.self)))
        #expect(error.code == .responseSerializationFailed)
        #expect(error.message.contains(reason), "\(error.message)")
        #expect(error.underlying is DecodingError)
    }

    @Test func `property lists that would crash Foundation's decoder do not reach it`() {
        let deep = Data(String(repeating: "<array>", count: 100_000).utf8)
        let serializer = DecodableResponseSerializer<[Int]>(validation: .propertyList, decoder: PropertyListDecoder())
        let error = ResponseExample(200, "application/x-plist", deep).error(as: serializer)
        #expect(error?.underlying is PropertyListParsingError)
    }
}
