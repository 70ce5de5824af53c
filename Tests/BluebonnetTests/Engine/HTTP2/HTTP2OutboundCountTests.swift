import Testing

@testable import Bluebonnet

/// What of a connection's bytes the peer's system has, as values.
@Suite struct HTTP2OutboundCountTests {
    private static let header = HTTP2OutboundCount.frameHeader

    /// A count whose DATA with so much content is written and flushed.
    private func count(content: Int) -> HTTP2OutboundCount {
        var count = HTTP2OutboundCount()
        count.handOver(content: content)
        count.flush()
        return count
    }

    @Test func `what is not unsent is written`() {
        var count = count(content: 1000)
        let looks = [count.look(unsent: 1009), count.look(unsent: 9), count.look(unsent: 0)]
        #expect(looks == [0, 1000, 1009])
        #expect(count.handedOver == 1000 + Self.header)
    }

    @Test func `what others send behind a byte does not hide that it was sent`() {
        var count = count(content: 1000)
        let mark = count.handedOver
        // As much as was sent follows, so that the unsent bytes are always the same.
        for _ in 0..<2 {
            count.handOver(content: 500 - Self.header)
            count.flush()
            _ = count.look(unsent: mark)
        }
        #expect(count.written == 1000)
        let written = count.look(unsent: mark - Self.header)
        #expect(written == mark)
    }

    @Test func `what waits for a flush is not written`() {
        var count = count(content: 100)
        let first = count.look(unsent: 0)
        count.handOver(content: 100)
        let unflushed = count.look(unsent: 0)
        count.flush()
        let written = count.look(unsent: 0)
        #expect([first, unflushed, written] == [109, 109, 218])
    }

    @Test func `the count never goes back, though TLS makes the bytes more`() {
        var count = count(content: 1000)
        let looks = [count.look(unsent: 100), count.look(unsent: 300)]
        #expect(looks == [909, 909])
    }

    @Test func `what is handed over may wait behind 64 KiB that are not seen to be sent`() {
        var count = count(content: 65_536)
        #expect(count.mayWait)
        _ = count.look(unsent: 0)
        #expect(!count.mayWait)
    }
}
