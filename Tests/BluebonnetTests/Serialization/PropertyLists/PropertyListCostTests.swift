import Foundation
import Testing

@testable import Bluebonnet

/// The cost of a property list, however it is made, is proportional to its size, and it needs
/// little stack.
@Suite struct PropertyListCostTests {
    private typealias Binary = BinaryPropertyList

    private static func fault(_ list: Data) -> String? {
        do throws(PropertyListParsingError) {
            _ = try PropertyListValue(parsing: list)
            return nil
        } catch {
            return error.description
        }
    }

    @Test func `any number of property list references to one object read it once`() throws {
        // 2,000 entries of the table lead to one text of 10,000 bytes: together 20 MB.
        let list = Binary.list(
            [Binary.array(1...2_000), Binary.text(10_000)],
            entries: [0] + [Int](repeating: 1, count: 2_000)
        )
        var parser = try BinaryPropertyListParser(list, maximumDepth: 512)
        #expect(throws: PropertyListParsingError.self) { try parser.value() }
        // The text is read once, and has more references than a list of this size may have.
        #expect(parser.bytesRead < list.count)
        let few = Binary.list(
            [Binary.array(1...10), Binary.text(10_000)],
            entries: [0] + [Int](repeating: 1, count: 10)
        )
        #expect(try PropertyListValue(parsing: few).array?.count == 10)
    }

    @Test func `a property list text that many values share is read once and counts each time`() throws {
        for count in [1_000, 2_000, 4_000] {
            let list = Binary.list([Binary.array([Int](repeating: 1, count: count)), Binary.text(60)])
            var parser = try BinaryPropertyListParser(list, maximumDepth: 512)
            #expect(try parser.value().array?.count == count)
            #expect(parser.bytesRead == 6 + 4 * count + 66)
        }
        let long = Binary.list([Binary.array([Int](repeating: 1, count: 4_000)), Binary.text(4_000)])
        #expect(Self.fault(long)?.hasPrefix("Shared objects") == true)
    }

    @Test func `overlapping property list objects are refused`() {
        // Every six bytes begin a text of 6,000 bytes, which covers the beginnings of the texts
        // after it.
        let piece: [UInt8] = [0x5F, 0x12, 0, 0, 0x17, 0x70]
        var bytes = Array("bplist00".utf8) + Binary.array(1...1_000)
        let start = bytes.count
        for _ in 0..<2_000 { bytes += piece }
        let table = bytes.count
        bytes += Binary.number(8, 4)
        for place in 0..<1_000 { bytes += Binary.number(start + 6 * place, 4) }
        bytes += Binary.trailer(entries: 1_001, table: table)
        #expect(Self.fault(Data(bytes))?.hasPrefix("Objects overlap") == true)
    }

    @Test func `a property list dictionary with a repeated key is refused`() {
        let value: [UInt8] = [0x09]
        func list(_ keys: Int) -> Data {
            let dictionary = Binary.dictionary(repeatElement(1, count: keys), repeatElement(2, count: keys))
            return Binary.list([dictionary, Binary.text(2_000), value])
        }
        #expect(Self.fault(list(1)) == nil)
        #expect(Self.fault(list(2))?.hasPrefix("A dictionary has a key twice") == true)
        // Found before any key is hashed.
        #expect(Self.fault(list(1_000))?.hasPrefix("A dictionary has a key twice") == true)
    }

    @Test func `a long key that many property list dictionaries share counts for each of them`() {
        func list(_ count: Int, key: Int) -> Data {
            let dictionaries = [[UInt8]](
                repeating: [0xD1] + Binary.number(count + 1, 4) + Binary.number(count + 2, 4),
                count: count
            )
            return Binary.list([Binary.array(1...count)] + dictionaries + [Binary.text(key), [0x09]])
        }
        #expect(Self.fault(list(2_000, key: 100)) == nil)
        #expect(Self.fault(list(2_000, key: 4_000))?.hasPrefix("Shared objects") == true)
    }

    @Test(arguments: [0xA1, 0xC1, 0xD1] as [UInt8])
    func `a property list container is not a key`(_ marker: UInt8) {
        // Keys inside of keys would take stack.
        let key = [marker] + Binary.number(0, 8)
        let error = Self.fault(Binary.list([[0xD1] + Binary.number(1, 4) + Binary.number(0, 4), key]))
        #expect(error?.hasPrefix("A key is not a text") == true)
    }

    @Test func `nested double references in a property list multiply at most a few times`() throws {
        // [x, x] in [x, x], sixty times.
        let doubled = (1...60).map { Binary.array([$0, $0]) } + [[0x09]]
        let list = Binary.list(doubled)
        var parser = try BinaryPropertyListParser(list, maximumDepth: 512)
        #expect(throws: PropertyListParsingError.self) { try parser.value() }
        #expect(parser.bytesRead <= list.count)
    }

    // MARK: Stack

    /// Runs on a thread with a stack of 512 KB, as those of macOS have.
    private static func onSmallStack<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            let thread = Thread { continuation.resume(returning: body()) }
            thread.stackSize = 512 << 10
            thread.start()
        }
    }

    private static func nested(_ value: PropertyListValue) -> Int {
        var (value, depth) = (value, 0)
        while let inner = value[0] ?? value["a"] { (value, depth) = (inner, depth + 1) }
        return depth
    }

    @Test(arguments: [512, 2_048])
    func `a deep property list needs little stack, in XML and in the binary form`(_ depth: Int) async {
        let arrays = String(repeating: "<array>", count: depth) + String(repeating: "</array>", count: depth)
        let dictionaries =
            String(repeating: "<dict><key>a</key>", count: depth - 1) + "<dict/>"
            + String(repeating: "</dict>", count: depth - 1)
        let binary = Binary.list((1..<depth).map { Binary.array([$0]) } + [Binary.array(0..<0)])
        for list in [Data(arrays.utf8), Data(dictionaries.utf8), binary] {
            let found = await Self.onSmallStack {
                // The value is also freed on this stack.
                (try? PropertyListValue(parsing: list, maximumDepth: depth)).map(Self.nested)
            }
            #expect(found == depth - 1)
        }
    }

    // MARK: Decoding

    private struct Chain: Decodable {
        static let deepest = 40
        var path = 0

        init(from decoder: any Decoder) throws {
            var container = try decoder.unkeyedContainer()
            while !container.isAtEnd {
                if (try? container.decode(Bool.self)) != nil { continue }
                path = try max(path, container.decode(Chain.self).path, decoder.codingPath.count)
            }
        }
    }

    @Test func `a decoding error deep inside a property list has its path`() throws {
        var list = "<array><true/><string>x</string></array>"
        for _ in 0..<Chain.deepest { list = "<array><true/>\(list)</array>" }
        let error = #expect(throws: DecodingError.self) {
            try PropertyListBodyDecoder().decode(Chain.self, from: Data(list.utf8))
        }
        guard case .typeMismatch(_, let context) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(context.codingPath.map(\.intValue) == [Int?](repeating: 1, count: Chain.deepest + 1))
    }

    @Test func `ignored errors deep inside a property list cost no more than the list`() throws {
        for count in [2_000, 4_000, 8_000] {
            let open = String(repeating: "<array>", count: PassedOverErrors.depth)
            let close = String(repeating: "</array>", count: PassedOverErrors.depth)
            let list = open + String(repeating: "<string/>", count: count) + close
            let passed = try PropertyListBodyDecoder().decode(PassedOverErrors.self, from: Data(list.utf8))
            #expect(passed.count == count)
            // Whole paths would have 510 keys each: one, two and four million.
            let mostWhole = 65_536 + 2 * list.utf8.count + PassedOverErrors.depth
            #expect((mostWhole / 2...mostWhole + 21 * count).contains(passed.keys), "\(passed.keys)")
        }
    }

    // MARK: Messages

    @Test(arguments: [
        "<dict><KEY/></dict>", "<array><KEY/></array>", "<dict><key>KEY</key></dict>", "<integer>KEY</integer>",
        "<real>KEY</real>", "<date>KEY</date>", "<string><KEY/></string>", "<array></KEY>", "<KEY",
        "<array>&KEY;</array>",
        "<array x:KEY=''/>", "<array KEY='' KEY=''/>", "<?KEY:x?><a/>",
    ])
    func `the error messages of property lists are short`(_ template: String) throws {
        for name in [String(repeating: "k", count: 5_000), "k" + String(repeating: "\u{301}", count: 5_000)] {
            let list = Data(template.replacingOccurrences(of: "KEY", with: name).utf8)
            let message = try #require(Self.fault(list))
            #expect(message.utf8.count < 400, "\(message.prefix(100))")
        }
    }
}
