import Foundation
import Testing

@testable import Bluebonnet

@Suite struct PropertyListValueTests {
    /// `value`, as Python's plistlib writes it.
    private static let binary = CharsetTests.data(
        "62706c6973743030d101025161ad030405060708090a0b0c0d0e0f100113fffffffffffffffe23400400000000000009086400780026007900fc"
            + "430001023341c1deca92800000140000000000000000ffffffffffffffff100050d0a0080b0d1b1d262f30313a3e47585a5b5c00000000000001"
            + "0100000000000000100000000000000000000000000000005d"
    )

    private static let text = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0"><dict>
            <key>a</key>
            <array>
                <integer>1</integer><integer>-2</integer><real>2.5</real><true/><false/><string>x&amp;yü</string>
                <data>
                AAEC
                </data>
                <date>2020-01-02T03:04:05Z</date><integer>18446744073709551615</integer><integer>0</integer>
                <string></string><!-- nothing --><dict/><array/>
            </array>
        </dict></plist>
        """

    private static let value = PropertyListValue.dictionary([
        "a": .array([
            .integer(1), .integer(-2), .real(2.5), .boolean(true), .boolean(false), .string("x&yü"),
            .data(Data([0, 1, 2])), .date(Date(timeIntervalSince1970: 1_577_934_245)), .unsignedInteger(.max),
            .integer(0), .string(""), .dictionary([:]), .array([]),
        ])
    ])

    @Test(arguments: [binary, Data(text.utf8), Data([0xEF, 0xBB, 0xBF]) + Data(text.utf8)])
    func `binary and XML property lists are read`(_ bytes: Data) throws {
        #expect(try PropertyListValue(parsing: bytes) == Self.value)
        let array = try #require(try PropertyListValue(parsing: bytes)["a"]?.array)
        #expect(
            array[0].integer == 1 && array[2].double == 2.5 && array[3].boolean == true && array[5].string == "x&yü"
        )
        #expect(array[6].data?.count == 3 && array[7].date != nil && array[8].double == 0x1p64)
        #expect(array[8].integer == nil && array[11].dictionary == [:])
        #expect(try PropertyListValue(parsing: bytes)["a"]?[13] == nil)
    }

    @Test(
        arguments: [
            ("<plist><integer>0x1F</integer></plist>", .integer(31)), ("<integer> -0x10 </integer>", .integer(-16)),
            ("<integer>+7</integer>", .integer(7)), ("<real>nan</real>", .real(.nan)),
            ("<real>-inf</real>", .real(-.infinity)),
            ("<string><![CDATA[<x>]]></string>", .string("<x>")),
            ("<date>1969-12-31T23:59:59Z</date>", .date(Date(timeIntervalSince1970: -1))),
            ("<date>2000-02-29T00:00:00Z</date>", .date(Date(timeIntervalSince1970: 951_782_400))),
            ("<date>0001-01-01T00:00:00Z</date>", .date(Date(timeIntervalSince1970: -62_135_596_800))),
            ("<dict><key>CF$UID</key><integer>7</integer></dict>", .uid(7)), ("<data/>", .data(Data())),
        ] as [(String, PropertyListValue)]
    )
    func `each kind of XML property list value is read`(_ text: String, _ value: PropertyListValue) throws {
        let parsed = try PropertyListValue(parsing: Data(text.utf8))
        if case .real(let number) = value, number.isNaN {
            #expect(parsed.double?.isNaN == true)
        } else {
            #expect(parsed == value)
        }
    }

    @Test(arguments: [
        "", "oops", "{a=1;}", "<plist/>", "<plist></plist>", "<plist><true/><true/></plist>", "<html/>",
        "<plist><dict>x</dict></plist>",
        "<dict><string>a</string></dict>", "<dict><key>a</key></dict>", "<integer>1.5</integer>", "<integer/>",
        "<integer>--1</integer>",
        "<integer>99999999999999999999</integer>", "<real>x</real>", "<date>2020-13-01T00:00:00Z</date>",
        "<date>now</date>",
        "<data>*</data>", "<true>x</true>", "<string><b/></string>", "<integer>- 1</integer>", "bplist00", "bplist99",
        "<array>",
        "<!DOCTYPE a [<!ENTITY e 'x'>]><string>&e;</string>",
    ])
    func `data that is not a property list is an error`(_ text: String) {
        #expect(throws: PropertyListParsingError.self) { try PropertyListValue(parsing: Data(text.utf8)) }
    }

    /// A binary list of one-byte references.
    private static func binary(_ objects: [[UInt8]]) -> Data {
        var bytes = Array("bplist00".utf8)
        var offsets: [UInt8] = []
        for object in objects {
            offsets.append(UInt8(bytes.count))
            bytes += object
        }
        let table = UInt8(bytes.count)
        bytes += offsets + [0, 0, 0, 0, 0, 0, 1, 1] + [0, 0, 0, 0, 0, 0, 0, UInt8(objects.count)]
        return Data(bytes + [UInt8](repeating: 0, count: 15) + [table])
    }

    @Test func `a property list that contains itself or grows without end is an error`() {
        let circle = #expect(throws: PropertyListParsingError.self) {
            try PropertyListValue(parsing: Self.binary([[0xA1, 0]]))
        }
        #expect(circle?.description == "An object contains itself (byte 8)")
        let two = Self.binary([[0xA1, 1], [0xD1, 2, 0], [0x51, 0x61]])
        #expect(throws: PropertyListParsingError.self) { try PropertyListValue(parsing: two) }
        let levels = (0..<9).map { [0xAA] + [UInt8](repeating: $0 + 1, count: 10) }
        let error = #expect(throws: PropertyListParsingError.self) {
            try PropertyListValue(parsing: Self.binary(levels + [[0x50]]))
        }
        #expect(error?.description.hasPrefix("Shared objects") == true)
    }

    @Test(
        arguments: [
            [[0x00]], [[0x15, 0]], [[0x1F]], [[0x62, 0xD8, 0, 0, 0]], [[0x51, 0xFF]],
            [[0x5F, 0x13, 0xFF, 0, 0, 0, 0, 0, 0, 0]],
            [[0xA1, 9]], [[0xD1, 1, 1], [0x09]], [[0x14, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]],
            [[0x21, 0, 0]],
            [[0x33, 0x7F, 0xF0, 0, 0, 0, 0, 0, 0]],
        ] as [[[UInt8]]]
    )
    func `a malformed property list object is an error`(_ objects: [[UInt8]]) {
        #expect(throws: PropertyListParsingError.self) { try PropertyListValue(parsing: Self.binary(objects)) }
    }

    @Test func `the depth of property lists is limited in both forms`() {
        let xml = { Data((String(repeating: "<array>", count: $0) + String(repeating: "</array>", count: $0)).utf8) }
        #expect((try? PropertyListValue(parsing: xml(512))) != nil)
        #expect(throws: PropertyListParsingError.self) { try PropertyListValue(parsing: xml(513)) }
        #expect(throws: PropertyListParsingError.self) { try PropertyListValue(parsing: xml(200_000)) }
        let chain = (0..<100).map { [0xA1, UInt8($0 + 1)] as [UInt8] } + [[0x50]]
        let bytes = Self.binary(Array(chain.suffix(9).enumerated().map { [0xA1, UInt8($0.offset + 1)] }) + [[0x50]])
        #expect((try? PropertyListValue(parsing: bytes, maximumDepth: 9)) != nil)
        #expect(throws: PropertyListParsingError.self) { try PropertyListValue(parsing: bytes, maximumDepth: 8) }
    }
}
