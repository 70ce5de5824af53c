import NIOCore
import Testing

@testable import Bluebonnet

/// The frames that cost more than they bring, as values (RFC 9113 §10.5).
@Suite struct HTTP2FloodGuardTests {
    private let start = NIODeadline.uptimeNanoseconds(1_000)

    /// The number of times that are allowed in a row.
    private func allowed(_ work: (inout HTTP2FloodGuard) throws -> Void) -> Int {
        var floods = HTTP2FloodGuard()
        for count in 0..<100_000 {
            do { try work(&floods) } catch { return count }
        }
        return .max
    }

    @Test func `each kind of frame has its bound`() {
        #expect(allowed { try $0.receivedControlFrame(now: start) } == 1_000)
        #expect(allowed { try $0.receivedReset(now: start) } == 20_000)
        #expect(allowed { try $0.failedStream(now: start) } == 1_000)
        #expect(allowed { try $0.receivedData(isEmpty: true, endsStream: false) } == 100)
        #expect(allowed { try $0.acknowledged(isWritable: false) } == 10_000)
        #expect(allowed { try $0.acknowledged(isWritable: true) } == .max)
    }

    @Test func `the count begins anew when its time is over`() throws {
        var floods = HTTP2FloodGuard()
        for second in 0..<100 {
            for _ in 0..<1_000 { try floods.receivedControlFrame(now: start + .seconds(10 * Int64(second))) }
        }
    }

    @Test func `empty DATA counts until something comes`() throws {
        var floods = HTTP2FloodGuard()
        for _ in 0..<10 {
            for _ in 0..<100 { try floods.receivedData(isEmpty: true, endsStream: false) }
            floods.receivedFields()
            for _ in 0..<100 { try floods.receivedData(isEmpty: true, endsStream: false) }
            try floods.receivedData(isEmpty: false, endsStream: false)
            for _ in 0..<100 { try floods.receivedData(isEmpty: true, endsStream: false) }
            try floods.receivedData(isEmpty: true, endsStream: true)
        }
    }
}
