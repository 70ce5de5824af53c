import HTTPTypes
import Testing

@testable import Bluebonnet

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The parts of one response, as values.
struct StoredPartsTests {
    private static let url = URL(filePath: "/")

    private func record(_ part: Range<Int>?, of length: Int = 100, tag: String = "\"1\"") -> CacheRecord {
        CacheRecord(
            key: "k",
            url: Self.url,
            head: ResponseHead(status: .ok, headerFields: [.eTag: tag, .contentLength: "\(length)"]),
            varying: [],
            requestedAt: 0,
            receivedAt: 0,
            byteCount: part?.count ?? length,
            part: part.flatMap { CacheRecord.Part($0, of: length) }
        )
    }

    private func parts(_ ranges: [Range<Int>]) -> StoredParts {
        let records = ranges.map { record($0) }
        return StoredParts(of: records[0], among: records)
    }

    @Test func `a range is put together of the parts that reach the farthest`() throws {
        let parts = parts([50..<60, 0..<10, 0..<30, 20..<40])
        let segments = try #require(parts.segments(of: 5..<35))
        #expect(segments.map(\.range) == [5..<30, 30..<35])
        #expect(segments.map(\.rangeOfPart) == [5..<30, 10..<15])
        #expect(parts.segments(of: 5..<45) == nil && parts.segments(of: 45..<60) == nil)
    }

    @Test(
        arguments: [
            (0..<40, nil), (0..<100, 40..<100), (0..<60, 40..<50), (10..<55, 40..<50), (45..<48, 45..<48),
            (70..<90, 70..<90),
        ] as [(Range<Int>, Range<Int>?)]
    )
    func `the gap goes from the first missing byte to the last one`(_ range: Range<Int>, _ gap: Range<Int>?) {
        #expect(parts([0..<10, 10..<30, 20..<40, 50..<60]).gap(in: range) == gap)
    }

    @Test func `the longest run of parts that touch is found`() {
        #expect(parts([0..<10, 10..<30, 40..<100]).longestRun == 0..<30)
        #expect(parts([0..<10, 20..<30, 29..<50, 50..<60]).longestRun == 20..<60)
        #expect(parts([0..<10, 20..<30]).longestRun == nil)
    }

    @Test func `only parts with the same strong entity tag and length belong together`() {
        let first = record(0..<10)
        let others = [
            record(10..<20, tag: "\"2\""), record(10..<20, of: 200), record(nil), record(10..<20, tag: "W/\"1\""),
        ]
        #expect(StoredParts(of: first, among: others + [first]).records.count == 1)
        #expect(!record(0..<10, tag: "W/\"1\"").isSameVersion(as: record(10..<20, tag: "W/\"1\"")))
        #expect(!record(0..<10, tag: "1").isSameVersion(as: record(10..<20, tag: "1")))
    }

    @Test func `a part takes the place of those within it, and of other versions`() {
        let part = record(10..<30)
        #expect(record(10..<30).isReplaced(by: part) && record(20..<25).isReplaced(by: part))
        #expect(!record(0..<20).isReplaced(by: part) && !record(nil).isReplaced(by: part))
        #expect(record(0..<20, tag: "\"2\"").isReplaced(by: part) && record(nil, of: 99).isReplaced(by: part))
        #expect(part.isReplaced(by: record(nil)) && part.isReplaced(by: record(nil, tag: "\"2\"")))
    }

    @Test func `a part outlives its process, and is nothing for earlier versions`() throws {
        let encoded = try record(10..<30).encoded
        let copy = try #require(CacheRecord(encoded: encoded))
        #expect(copy.part == 10..<30 && copy.completeByteCount == 100 && copy.byteCount == 20)
        #expect(String(decoding: encoded, as: UTF8.self).contains("\"version\":2"))
        #expect(String(decoding: try record(nil).encoded, as: UTF8.self).contains("\"version\":1"))
    }

    @Test(arguments: ["[10,200]", "[30,10]", "[10,31]", "[-20,0]", "[10]", "null", "7"])
    func `a part that is not possible makes no record`(_ range: String) throws {
        let text = String(decoding: try record(10..<30).encoded, as: UTF8.self)
        try #require(text.contains("[10,30]"))
        let changed = text.replacing("[10,30]", with: range)
        #expect(CacheRecord(encoded: Data(changed.utf8)) == nil)
    }
}
