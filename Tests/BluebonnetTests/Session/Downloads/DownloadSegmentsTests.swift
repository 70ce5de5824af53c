import Testing

@testable import Bluebonnet

/// Who fetches which part of a file.
struct DownloadSegmentsTests {
    private static let piece = DownloadSegments.firstPiece

    @Test func `pieces are handed out from the front, until all are taken`() {
        var segments = DownloadSegments(missing: [0..<2 * Self.piece + 5], length: 2 * Self.piece + 5, count: 4)
        let pieces = (0..<3).compactMap { _ in segments.take()?.range }
        #expect(pieces == [0..<Self.piece, Self.piece..<2 * Self.piece, 2 * Self.piece..<2 * Self.piece + 5])
        let none = segments.take()
        #expect(none == nil && !segments.isComplete)
        #expect(segments.missing == [0..<2 * Self.piece + 5])
    }

    @Test func `a large file has larger pieces, sixteen for each request`() {
        var segments = DownloadSegments(missing: [0..<1 << 30], length: 1 << 30, count: 8)
        let first = segments.take()?.range
        #expect(first == 0..<1 << 23)
        var huge = DownloadSegments(missing: [0..<1 << 50], length: 1 << 50, count: 1)
        let largest = huge.take()?.range.count
        #expect(largest == DownloadSegments.pieceSizes.upperBound)
    }

    @Test func `what a request leaves of its piece is taken again`() throws {
        var segments = DownloadSegments(missing: [0..<100], length: 100, count: 2)
        let taken = segments.takeFirst(0..<60)
        let first = try #require(taken)
        #expect(first.range == 0..<60)
        segments.received(20, of: first.number)
        #expect(segments.missing == [20..<100])
        segments.end(first.number)
        let rest = segments.take()
        let second = try #require(rest)
        #expect(second.range == 20..<100)
        segments.received(80, of: second.number)
        #expect(segments.isComplete && segments.missing.isEmpty)
        segments.end(second.number)
        let none = segments.take()
        #expect(none == nil)
    }

    @Test func `a piece that is over counts no more bytes`() throws {
        var segments = DownloadSegments(missing: [0..<100], length: 100, count: 1)
        let taken = segments.take()
        let piece = try #require(taken)
        segments.received(40, of: piece.number)
        segments.end(piece.number)
        segments.received(40, of: piece.number)
        #expect(segments.missing == [40..<100])
        let left = segments.take()
        let rest = try #require(left)
        segments.received(.max - 100, of: rest.number)
        #expect(segments.isComplete)
    }

    @Test func `only a part that begins at the first missing byte is taken`() {
        var segments = DownloadSegments(missing: [30..<40, 10..<20, 20..<25], length: 100, count: 1)
        #expect(segments.missing == [10..<25, 30..<40])
        let others = [segments.takeFirst(11..<20), segments.takeFirst(10..<10)]
        #expect(others == [nil, nil])
        let taken = segments.takeFirst(10..<100)?.range
        #expect(taken == 10..<25)
        #expect(DownloadSegments.count(segments.missing) == 25)
    }
}
