import Foundation
import HTTPTypes
import Testing

@testable import Bluebonnet

/// When a WebSocket is opened again, as a value.
@Suite struct WebSocketReconnectingTests {
    private let rules = WebSocketReconnection(
        backoff: RetryBackoff(first: .seconds(1), factor: 2, longest: .seconds(10), isRandom: false),
        maximumAttempts: 4
    )

    private func decisions(_ rules: WebSocketReconnection?) -> WebSocketReconnecting {
        WebSocketReconnecting(rules, .standard)
    }

    private func end(_ code: NetworkingError.Code?, _ closure: WebSocketCloseCode) -> WebSocketEnd {
        let closure = WebSocketClosure(code: closure)
        return WebSocketEnd(closure: closure, error: code.map { NetworkingError($0, "", underlying: closure) })
    }

    private func refusal(_ status: Int) -> NetworkingError {
        let head = ResponseHead(status: .init(code: status), headerFields: [:])
        return NetworkingError(.webSocketRefused, "", response: head)
    }

    @Test func `without rules nothing is opened again`() {
        var decisions = decisions(nil)
        let afterEnd = decisions.wait(after: end(.connectionLost, .abnormalClosure), lasting: .zero) { 0 }
        let afterError = decisions.wait(after: NetworkingError(.connectFailed, "")) { 0 }
        #expect(afterEnd == nil && afterError == nil)
    }

    @Test func `the waits grow up to the most attempts in a row`() {
        var decisions = decisions(rules)
        let waits = (0..<5).map { _ in decisions.wait(after: NetworkingError(.connectFailed, "")) { 0.5 } }
        #expect(waits == [.seconds(1), .seconds(2), .seconds(4), .seconds(8), nil])
    }

    @Test func `a connection that has lasted begins the waits anew, a short one does not`() {
        var decisions = decisions(rules)
        let lost = end(.connectionLost, .abnormalClosure)
        let times: [Duration] = [.seconds(1), .seconds(1), .seconds(11), .seconds(1)]
        let waits = times.map { time in decisions.wait(after: lost, lasting: time) { 0 } }
        #expect(waits == [.seconds(1), .seconds(2), .seconds(1), .seconds(2)])
    }

    @Test(
        arguments: [
            (nil, 1000, false), (nil, 1005, false), (nil, 1001, true), (.webSocketClosed, 1012, true),
            (.webSocketClosed, 1013, true), (.webSocketClosed, 1014, true), (.webSocketClosed, 1008, false),
            (.webSocketClosed, 1011, false), (.webSocketClosed, 4000, false), (.connectionLost, 1006, true),
            (.webSocketPingTimeout, 1006, true), (.tlsFailed, 1006, true), (.streamReset, 1006, true),
            (.webSocketProtocolError, 1002, false),
            (.webSocketMessageTooLarge, 1009, false), (.cancelled, 1006, false),
        ] as [(NetworkingError.Code?, UInt16, Bool)]
    )
    func `each end is a reason to come back, or not`(code: NetworkingError.Code?, closure: UInt16, isOne: Bool) {
        var decisions = decisions(rules)
        let wait = decisions.wait(after: end(code, .init(rawValue: closure)), lasting: .zero) { 0 }
        #expect((wait != nil) == isOne)
    }

    @Test(arguments: [(503, true), (429, true), (404, false), (401, false), (200, false), (101, false)])
    func `a refusal is repeated by its status`(status: Int, isOne: Bool) {
        var decisions = decisions(rules)
        let wait = decisions.wait(after: refusal(status)) { 0 }
        #expect((wait != nil) == isOne)
    }

    @Test(arguments: [(0, 1), (1, 1), (30, 30), (60, 60), (61, nil)] as [(Int, Int?)])
    func `a refusal is not repeated before its Retry-After, and not where that is too long`(asked: Int, wait: Int?) {
        var decisions = decisions(rules)
        let decided = decisions.wait(after: refusal(503), retryAfter: .seconds(asked)) { 0 }
        #expect(decided == wait.map { .seconds($0) })
    }

    @Test func `a policy that ignores Retry-After does so here, too`() {
        var decisions = WebSocketReconnecting(rules, RetryPolicy { $0.longestRetryAfter = nil })
        let wait = decisions.wait(after: refusal(503), retryAfter: .seconds(1000)) { 0 }
        #expect(wait == .seconds(1))
    }

    @Test(
        arguments: [
            (.connectFailed, true), (.connectTimeout, true), (.firstByteTimeout, true), (.certificateUntrusted, false),
            (.invalidRequest, false), (.cancelled, false),
        ] as [(NetworkingError.Code, Bool)]
    )
    func `an error of the opening is repeated by its code`(code: NetworkingError.Code, isOne: Bool) {
        var decisions = decisions(rules)
        let wait = decisions.wait(after: NetworkingError(code, "")) { 0 }
        #expect((wait != nil) == isOne)
    }
}
