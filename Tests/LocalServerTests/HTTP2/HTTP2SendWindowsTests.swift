import Testing

@testable import LocalServer

struct HTTP2SendWindowsTests {
    @Test func `the room on a stream is the smaller of its window and the connection's`() {
        var windows = HTTP2SendWindows()
        #expect(windows.room(on: 1) == 65_535)
        windows.sent(60_000, on: 1)
        #expect(windows.room(on: 1) == 5535)
        #expect(windows.room(on: 3) == 5535)
        windows.receive(.windowUpdate(100_000))
        #expect(windows.room(on: 1) == 5535)
        #expect(windows.room(on: 3) == 65_535)
        windows.receive(.windowUpdate(10, stream: 1))
        #expect(windows.room(on: 1) == 5545)
    }

    @Test func `a new initial window changes that of each stream, also below zero`() {
        var windows = HTTP2SendWindows()
        windows.sent(60_000, on: 1)
        windows.receive(.windowUpdate(1_000_000))
        windows.receive(.settings([(.initialWindowSize, 10_000)]))
        #expect(windows.room(on: 1) == 0)
        #expect(windows.room(on: 3) == 10_000)
        windows.receive(.settings([(.initialWindowSize, 70_000)]))
        #expect(windows.room(on: 1) == 10_000)
    }
}
