import NIOCore
import NIOHPACK
import Testing

@testable import Bluebonnet

/// Field blocks that are decoded (RFC 7541).
@Suite struct HPACKDecoderTests {
    private typealias Decoder = Bluebonnet.HPACK.Decoder

    private static func fault(_ block: [UInt8]) -> HTTP2Fault? {
        var decoder = Decoder(limit: 1 << 16)
        do throws(HTTP2Fault) {
            _ = try decoder.fields(block)
            return nil
        } catch {
            return error
        }
    }

    @Test func `the requests of Appendix C are decoded`() throws {
        let requests = [
            [":method=GET", ":scheme=http", ":path=/", ":authority=www.example.com"],
            [":method=GET", ":scheme=http", ":path=/", ":authority=www.example.com", "cache-control=no-cache"],
            [
                ":method=GET", ":scheme=https", ":path=/index.html", ":authority=www.example.com",
                "custom-key=custom-value",
            ],
        ]
        let plain = [
            "8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d", "8286 84be 5808 6e6f 2d63 6163 6865",
            "8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65",
        ]
        let encoded = [
            "8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff", "8286 84be 5886 a8eb 1064 9cbf",
            "8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf",
        ]
        for blocks in [plain, encoded] {
            var decoder = Decoder(limit: 1 << 16)
            for (block, fields) in zip(blocks, requests) { #expect(try decoder.fields(hexBytes(block)) == fields) }
        }
    }

    @Test func `literal fields leave the table alone where they say so`() throws {
        var decoder = Decoder(limit: 1 << 16)
        // C.2.2, C.2.3: without indexing, and never indexed.
        #expect(try decoder.fields(hexBytes("040c 2f73 616d 706c 652f 7061 7468")) == [":path=/sample/path"])
        #expect(try decoder.fields(hexBytes("1008 7061 7373 776f 7264 0673 6563 7265 74")) == ["password=secret"])
        #expect(throws: HTTP2Fault.self) { _ = try decoder.fields([0xBE]) }
        // C.2.1: with it.
        let block = "400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572"
        #expect(try decoder.fields(hexBytes(block)) == ["custom-key=custom-header"])
        #expect(try decoder.fields([0xBE]) == ["custom-key=custom-header"])
    }

    @Test func `a table that is made smaller loses its oldest fields`() throws {
        var decoder = Decoder(limit: 1 << 16)
        _ = try decoder.fields([0x40, 1, 97, 1, 98, 0x40, 1, 99, 1, 100])
        #expect(try decoder.fields([0xBE, 0xBF]) == ["c=d", "a=b"])
        // §4.1: each takes 34 bytes.
        #expect(try decoder.fields([0x3F, 67 - 31, 0xBE]) == ["c=d"])
        #expect(throws: HTTP2Fault.self) { _ = try decoder.fields([0xBF]) }
    }

    @Test(arguments: [0, 1, 1000])
    func `the memory of a table stays bounded, however many fields are put into it`(length: Int) {
        var table = Bluebonnet.HPACK.DynamicTable()
        let name: [UInt8] = []
        let value = [UInt8](repeating: 97, count: length)
        for _ in 0..<10_000 {
            table.insert(name.span, value.span)
            #expect(table.size <= 4096 && table.bytes.count <= 3 * 4096)
        }
        #expect(table.count == 4096 / (length + 32))
    }

    @Test func `a name may be that of a field which its own field pushes out`() throws {
        var decoder = Decoder(limit: 1 << 16)
        _ = try decoder.fields([0x3F, 40 - 31, 0x40, 1, 97, 1, 98])
        // §4.4.
        #expect(try decoder.fields([0x7E, 2, 99, 100]) == ["a=cd"])
        #expect(try decoder.fields([0xBE]) == ["a=cd"])
    }

    @Test func `what is more than the limit is not kept, and changes the table`() throws {
        var decoder = Decoder(limit: 40)
        var section = HTTP2FieldSection()
        let block: [UInt8] = [0x40, 1, 97, 1, 98, 0x40, 1, 99, 1, 100]
        try decoder.decode(block.span, into: &section)
        #expect(section.isTooLarge && section.fields == ["a=b"] && section.bytes.count == 2)
        #expect(try decoder.fields([0xBE]) == ["c=d"])
    }

    @Test func `a section many times larger than its limit is an error of the connection`() throws {
        let name = [UInt8](repeating: 97, count: 100)
        let first: [UInt8] = [0x40, 100] + name + [0]
        // Each is a field with the name of the one before, which goes into the table.
        func block(_ count: Int) -> [UInt8] { first + (0..<count).flatMap { _ in [0x7E, 0] as [UInt8] } }
        var section = HTTP2FieldSection()
        var decoder = Decoder(limit: 1_000)
        try decoder.decode(block(50).span, into: &section)
        #expect(section.isTooLarge)
        #expect(throws: HTTP2Fault.sectionTooLarge) { try decoder.decode(block(70).span, into: &section) }
    }

    @Test(
        arguments: [
            [0x80], [0xBE], [0xFF], [0xFF, 0x80], [0xFF, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0],
            [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F], [0x40], [0x40, 1], [0x40, 1, 97], [0x40, 1, 97, 5, 98],
            [0x7F, 0x7F, 1],
            [0, 1, 97, 0x82, 0x1F, 0xFF], [0, 1, 97, 0x81, 0x18], [0, 1, 97, 0x84, 0xFF, 0xFF, 0xFF, 0xFF],
            [0, 1, 97, 0x81, 0xFF], [0x3F, 0xE2, 0x1F], [0x88, 0x20],
        ] as [[UInt8]]
    )
    func `a block that breaks a rule is an error of the connection`(block: [UInt8]) {
        #expect(Self.fault(block)?.code == .compressionError)
    }

    @Test func `what NIOHPACK has encoded is decoded`() throws {
        var encoder = HPACKEncoder(allocator: ByteBufferAllocator())
        var decoder = Decoder(limit: .max)
        var generator = FieldGenerator(seed: 7)
        for round in 0..<500 {
            let fields = generator.section()
            var block = ByteBuffer()
            if round % 50 == 49 { try encoder.setDynamicTableSize([0, 100, 4096, 1000][round / 50 % 4]) }
            try encoder.encode(
                headers: HPACKHeaders(fields.map { ($0.name, $0.value) }),
                to: &block
            )
            #expect(try decoder.fields(Array(block.readableBytesView)) == fields.map { $0.name + "=" + $0.value })
        }
    }
}
