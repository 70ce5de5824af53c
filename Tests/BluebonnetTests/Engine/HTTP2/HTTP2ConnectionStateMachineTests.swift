import Testing

@testable import Bluebonnet

/// Which streams a connection may begin, and how many, as values.
@Suite struct HTTP2ConnectionStateMachineTests {
    private typealias Machine = HTTP2Connection.StateMachine

    @Test func `streams have odd numbers, each once`() {
        var machine = Machine()
        let numbers = (0..<3).map { _ in machine.begin() }
        #expect(numbers == [1, 3, 5])
    }

    @Test func `a connection carries 100 streams until the server says otherwise`() {
        var machine = Machine()
        #expect(machine.capacity == 100)
        _ = machine.apply { $0.initialWindow = 10 }
        #expect(machine.capacity == .max)
        _ = machine.apply { $0.concurrentStreams = 2 }
        #expect(machine.capacity == 2)
        _ = machine.apply { $0.initialWindow = 20 }
        #expect(machine.capacity == 2)
    }

    @Test func `settings change the windows of streams by the difference`() {
        var machine = Machine()
        let first = machine.apply { $0.initialWindow = 100_000 }
        let second = machine.apply { $0.initialWindow = 0 }
        #expect(first == 34_465 && second == -100_000)
    }

    @Test func `a connection that goes away begins no stream`() {
        var machine = Machine()
        machine.goAway(.noError)
        let stream = machine.begin()
        #expect(!machine.mayBegin && stream == nil && machine.goneAway == .noError)
    }

    @Test func `the pool is told once that the connection leaves it`() {
        var machine = Machine()
        let (first, second) = (machine.leavePool(), machine.leavePool())
        #expect(first && !second)
    }

    @Test func `error codes are shown by their names`() {
        #expect(HTTP2Code.enhanceYourCalm.description == "ENHANCE_YOUR_CALM")
        #expect(HTTP2Code(rawValue: 0x1f).description == "error 0x1f")
    }
}
