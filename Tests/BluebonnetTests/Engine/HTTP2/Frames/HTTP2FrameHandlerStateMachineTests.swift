import NIOCore
import Testing

@testable import Bluebonnet

/// The streams of a connection and the windows of its server, as values (RFC 9113 §5).
@Suite struct HTTP2FrameHandlerStateMachineTests {
    private typealias StateMachine = HTTP2FrameHandler.StateMachine

    private let now = NIODeadline.uptimeNanoseconds(1)

    /// With the streams 1, whose request is complete, and 3, whose is not.
    private var machine: StateMachine {
        var machine = StateMachine()
        machine.sentWindowUpdate(HTTP2FrameHandler.connectionWindow - HTTP2FrameHandler.initialWindow, on: 0)
        machine.sentFields(on: 1, endsStream: true)
        machine.sentFields(on: 3, endsStream: false)
        return machine
    }

    private func code(_ work: () throws -> Void) -> HTTP2Code? {
        do {
            try work()
            return nil
        } catch {
            return (error as? HTTP2Fault)?.code
        }
    }

    private func data(_ length: Int, on stream: Int, _ machine: inout StateMachine) throws -> StateMachine.Decision {
        try machine.receivedData(windowLength: length, isEmpty: length == 0, on: stream, endsStream: false)
    }

    @Test func `streams that were not opened are an error of the connection`() {
        for stream in [2, 5, 99] {
            var machine = machine
            #expect(code { _ = try machine.receivedFields(on: stream, endsStream: false) } == .protocolError)
            #expect(code { _ = try machine.receivedReset(on: stream, now: now) } == .protocolError)
            #expect(code { _ = try machine.receivedWindowUpdate(1, on: stream) } == .protocolError)
        }
    }

    @Test func `a stream that both sides have ended takes only what may have been under way`() throws {
        var machine = machine
        #expect(try machine.receivedFields(on: 1, endsStream: true) == .handOver)
        #expect(try machine.receivedWindowUpdate(1, on: 1) == .ignore)
        #expect(try machine.receivedReset(on: 1, now: now) == .ignore)
        #expect(code { _ = try machine.receivedFields(on: 1, endsStream: false) } == .streamClosed)
    }

    @Test func `a frame behind the end of a response fails its stream while the request is being sent`() throws {
        var machine = machine
        #expect(try machine.receivedFields(on: 3, endsStream: true) == .handOver)
        guard case .failStream(let fault) = try data(1, on: 3, &machine) else {
            Issue.record("no stream error")
            return
        }
        #expect(fault.code == .streamClosed)
        machine.endRequest(of: 3)
        #expect(code { _ = try machine.receivedFields(on: 3, endsStream: true) } == .streamClosed)
    }

    @Test func `frames of a stream that was reset are ignored, and it is reset once`() throws {
        var machine = machine
        let resets = [machine.sendReset(on: 3), machine.sendReset(on: 3)]
        #expect(resets == [true, false])
        #expect(try machine.receivedFields(on: 3, endsStream: false) == .ignore)
        #expect(try data(10, on: 3, &machine) == .ignore)
        #expect(try machine.receivedReset(on: 3, now: now) == .ignore)
    }

    @Test func `frames of more streams that were reset than are remembered are ignored`() throws {
        var machine = StateMachine()
        let streams = stride(from: 1, through: 2 * StateMachine.mostReset + 201, by: 2).map { $0 }
        for stream in streams { machine.sentFields(on: stream, endsStream: true) }
        // One that was opened before them all is not reset, and one behind them has ended.
        let middle = streams.dropFirst().dropLast()
        let last = streams[streams.count - 1]
        let resets = middle.count { machine.sendReset(on: $0) }
        #expect(resets == middle.count)
        #expect(try machine.receivedFields(on: last, endsStream: true) == .handOver)
        for stream in middle {
            #expect(try machine.receivedFields(on: stream, endsStream: false) == .ignore)
            #expect(try data(1, on: stream, &machine) == .ignore)
        }
        let again = middle.count { machine.sendReset(on: $0) }
        #expect(again == 0)
        #expect(try machine.receivedFields(on: 1, endsStream: false) == .handOver)
        let isReset = machine.sendReset(on: 1)
        #expect(isReset)
        #expect(try machine.receivedFields(on: 1, endsStream: false) == .ignore)
        #expect(code { _ = try machine.receivedFields(on: last, endsStream: true) } == .streamClosed)
    }

    @Test func `a server that sends more than the window of a stream loses it`() throws {
        var machine = machine
        #expect(try data(HTTP2WindowBudget.first, on: 1, &machine) == .handOver)
        machine.sentWindowUpdate(10, on: 1)
        #expect(try data(10, on: 1, &machine) == .handOver)
        guard case .failStream(let fault) = try data(1, on: 1, &machine) else {
            Issue.record("no stream error")
            return
        }
        #expect(fault.code == .flowControlError)
    }

    @Test func `content of streams that were reset takes of the window of the connection`() throws {
        var machine = machine
        _ = machine.sendReset(on: 3)
        #expect(try data(HTTP2FrameHandler.connectionWindow, on: 3, &machine) == .ignore)
        #expect(throws: HTTP2Fault.self) { _ = try data(1, on: 3, &machine) }
        machine.sentWindowUpdate(1, on: 0)
        #expect(try data(1, on: 3, &machine) == .ignore)
    }

    @Test func `a second GOAWAY does not allow more than the first`() throws {
        var machine = machine
        try machine.receivedGoAway(lastStream: 1)
        #expect(try machine.receivedFields(on: 3, endsStream: false) == .ignore)
        #expect(try machine.receivedFields(on: 1, endsStream: false) == .handOver)
        try machine.receivedGoAway(lastStream: 1)
        #expect(code { try machine.receivedGoAway(lastStream: 3) } == .protocolError)
    }

    @Test func `WINDOW_UPDATE of nothing is an error of its stream, or of the connection`() throws {
        var machine = machine
        guard case .failStream = try machine.receivedWindowUpdate(0, on: 1) else {
            Issue.record("no stream error")
            return
        }
        #expect(code { _ = try machine.receivedWindowUpdate(0, on: 0) } == .protocolError)
    }
}
