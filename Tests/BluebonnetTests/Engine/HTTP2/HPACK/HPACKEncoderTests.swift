import NIOCore
import NIOHPACK
import Testing

@testable import Bluebonnet

/// Field sections that are encoded (RFC 7541).
@Suite struct HPACKEncoderTests {
    private typealias Encoder = Bluebonnet.HPACK.Encoder

    private func block(_ fields: [HTTP2Field], _ encoder: inout Encoder) -> [UInt8] {
        var block = ByteBuffer()
        encoder.encode(fields, to: &block)
        return Array(block.readableBytesView)
    }

    @Test func `the requests of Appendix C are encoded`() {
        let start = [HTTP2Field(":method", "GET"), HTTP2Field(":scheme", "http"), HTTP2Field(":path", "/")]
        let authority = HTTP2Field(":authority", "www.example.com")
        var encoder = Encoder()
        #expect(
            block(start + [authority], &encoder) == hexBytes("8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff")
        )
        #expect(
            block(start + [authority, HTTP2Field("cache-control", "no-cache")], &encoder)
                == hexBytes("8286 84be 5886 a8eb 1064 9cbf")
        )
        let last = [
            HTTP2Field(":method", "GET"), HTTP2Field(":scheme", "https"), HTTP2Field(":path", "/index.html"),
            authority, HTTP2Field("custom-key", "custom-value"),
        ]
        #expect(
            block(last, &encoder) == hexBytes("8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf")
        )
    }

    @Test func `secrets and values that hardly come again are not put into the table`() {
        var encoder = Encoder()
        let secret = HTTP2Field("authorization", "x", .neverIndexed)
        let range = HTTP2Field("range", "x", .nonIndexable)
        for _ in 0..<2 {
            // "x" is as long in both forms. §6.2.3, §6.2.2: indices 23 and 50.
            #expect(block([secret], &encoder) == [0x1F, 8, 1, 120])
            #expect(block([range], &encoder) == [0x0F, 35, 1, 120])
        }
    }

    @Test func `a field that would take most of the table is not put into it`() {
        var encoder = Encoder()
        let large = HTTP2Field("a", String(repeating: "\u{1}", count: 3100))
        let first = block([large], &encoder)
        #expect(first[0] == 0 && block([large], &encoder) == first)
    }

    @Test func `the next block tells a change of the table's size, and the smallest in between`() {
        var encoder = Encoder()
        let field = HTTP2Field("a", "b")
        #expect(block([field], &encoder) == [0x40, 1, 97, 1, 98])
        #expect(block([field], &encoder) == [0xBE])
        encoder.allow(tableSize: 100)
        #expect(block([field], &encoder) == [0x3F, 69, 0xBE])
        encoder.allow(tableSize: 0)
        encoder.allow(tableSize: 65_536)
        #expect(block([field], &encoder) == [0x20, 0x3F, 0xE1, 0x1F, 0x40, 1, 97, 1, 98])
        #expect(block([field], &encoder) == [0xBE])
    }

    @Test func `a server that allows a very large table gets one of 4096 bytes`() {
        var encoder = Encoder()
        encoder.allow(tableSize: 0xFFFF_FFFF)
        // §4.2: no change needs to be told, and the first field is pushed out.
        for number in 0..<200 { _ = block([HTTP2Field("a", "\(number)")], &encoder) }
        #expect(block([HTTP2Field("a", "0")], &encoder).first == 0x7E)
    }

    @Test func `what is encoded is decoded by NIOHPACK, and by our decoder`() throws {
        var encoder = Encoder()
        var oracle = HPACKDecoder(
            allocator: ByteBufferAllocator(),
            maxDynamicTableSize: 4096,
            maxHeaderListSize: 1 << 20
        )
        var decoder = Bluebonnet.HPACK.Decoder(limit: .max)
        var generator = FieldGenerator(seed: 11)
        for round in 0..<500 {
            let fields = generator.section()
            if round % 50 == 49 { encoder.allow(tableSize: [0, 100, 8192, 1000][round / 50 % 4]) }
            var block = ByteBuffer()
            encoder.encode(fields, to: &block)
            #expect(try decoder.fields(Array(block.readableBytesView)) == fields.map { $0.name + "=" + $0.value })
            let decoded = try oracle.decodeHeaders(from: &block)
            #expect(decoded.map { $0.name + "=" + $0.value } == fields.map { $0.name + "=" + $0.value })
        }
    }
}

/// Makes field sections whose fields come again now and then.
struct FieldGenerator {
    private var generator: SeededGenerator
    private var known: [HTTP2Field] = [
        HTTP2Field(":method", "GET"), HTTP2Field(":status", "200"), HTTP2Field("accept-encoding", "gzip, deflate"),
        HTTP2Field("content-type", "text/html"), HTTP2Field("etag", ""),
    ]

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    mutating func section() -> [HTTP2Field] {
        (0..<Int.random(in: 1...20, using: &generator)).map { _ in field() }
    }

    private mutating func field() -> HTTP2Field {
        let old = known[Int.random(in: 0..<known.count, using: &generator)]
        switch Int.random(in: 0..<10, using: &generator) {
        case 0..<5: return old
        case 5..<7: return HTTP2Field(old.name, text(upTo: 60), indexing())
        default:
            let field = HTTP2Field("x-" + text(upTo: 20, of: "abcdefghijklmnop-"), text(upTo: 400), indexing())
            known.append(field)
            if known.count > 40 { known.removeFirst() }
            return field
        }
    }

    private mutating func indexing() -> Bluebonnet.HPACK.Indexing {
        [.indexable, .indexable, .nonIndexable, .neverIndexed][Int.random(in: 0..<4, using: &generator)]
    }

    private mutating func text(upTo length: Int, of letters: String? = nil) -> String {
        let count = Int.random(in: 0...length, using: &generator)
        if let letters { return String((0..<count).map { _ in letters.randomElement(using: &generator) ?? "a" }) }
        let most: UInt32 = Bool.random(using: &generator) ? 0x7E : 0x7FF
        return String(
            String.UnicodeScalarView(
                (0..<count).compactMap { _ in Unicode.Scalar(UInt32.random(in: 0x20...most, using: &generator)) }
            )
        )
    }
}
