import Testing

@testable import Bluebonnet

/// When the server gets more window, as values.
@Suite struct HTTP2ReceiveWindowTests {
    private func window(_ size: Int = 1000) -> HTTP2ReceiveWindow {
        HTTP2ReceiveWindow(size: size, available: size)
    }

    private func expectIncrement(
        _ expected: Int?,
        of window: inout HTTP2ReceiveWindow,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let increment = window.takeIncrement()
        #expect(increment == expected, sourceLocation: sourceLocation)
    }

    @Test func `a window is updated when a quarter of it was taken`() {
        var window = window()
        window.receive(249)
        window.take()
        expectIncrement(nil, of: &window)
        window.receive(1)
        window.take()
        expectIncrement(250, of: &window)
        #expect(window.available == 1000)
        expectIncrement(nil, of: &window)
    }

    @Test func `what was received and not taken gives the server no window`() {
        var window = window()
        window.receive(1000)
        expectIncrement(nil, of: &window)
        #expect(window.available == 0 && window.held == 1000)
        window.take()
        expectIncrement(1000, of: &window)
    }

    @Test func `what the reader has left is held, and gives the server no window`() {
        var window = window()
        window.receive(800)
        window.take(leaving: 500)
        #expect(window.held == 500 && window.taken == 300)
        expectIncrement(300, of: &window)
        // More than what is held: a reader that was woken has not taken it yet.
        window.take(leaving: 900)
        #expect(window.held == 500 && window.taken == 300)
        window.take()
        #expect(window.held == 0 && window.taken == 800)
        expectIncrement(500, of: &window)
    }

    @Test func `padding takes of the window, and is given back although nobody takes it`() {
        var window = window()
        window.receive(700, padding: 600)
        window.take(leaving: 100)
        #expect(window.available == 300 && window.held == 100 && window.taken == 0)
        expectIncrement(600, of: &window)
    }

    @Test func `a window that grows is updated by the difference, and never shrinks`() {
        var window = window()
        window.grow(to: 4000)
        expectIncrement(3000, of: &window)
        window.grow(to: 10)
        #expect(window.size == 4000)
    }

    @Test func `no window exceeds the largest that there is`() {
        var window = HTTP2ReceiveWindow(size: .max, available: 0)
        expectIncrement(HTTP2ReceiveWindow.largest, of: &window)
        window.grow(to: .max)
        expectIncrement(nil, of: &window)
    }
}
