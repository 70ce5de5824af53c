import NIOCore
import Testing

@testable import Bluebonnet

/// The values of a SETTINGS frame (RFC 9113 §6.5).
@Suite struct HTTP2SettingsTests {
    private func payload(_ values: (UInt16, UInt32)...) -> ByteBuffer {
        var payload = ByteBuffer()
        for (identifier, value) in values { payload.writeMultipleIntegers(identifier, value) }
        return payload
    }

    @Test func `of several values of a setting the last one counts, and of table sizes the smallest, too`() throws {
        let settings = try HTTP2Settings(payload((1, 50), (4, 1), (1, 0), (4, 2), (1, 4096), (0xFF, 7)))
        #expect(settings.headerTableSize == 4096 && settings.smallestHeaderTableSize == 0)
        #expect(settings.initialWindow == 2 && settings.concurrentStreams == nil)
    }

    @Test(arguments: [(2, 1), (4, 1 << 31), (5, 16_383), (5, 1 << 24), (8, 2)] as [(UInt16, UInt32)])
    func `a value outside its range is an error of the connection`(identifier: UInt16, value: UInt32) {
        #expect(throws: HTTP2Fault.self) { try HTTP2Settings(payload((identifier, value))) }
    }
}
