import HTTPTypes
import NIOCore

/// One stream of an HTTP/2 connection with its exchange. It has no channel.
///
/// Lives on the event loop of the connection.
final class HTTP2Stream {
    let identifier: Int
    let run: ExchangeRun
    var machine: StateMachine
    /// The bytes that may still be sent on it (RFC 9113 §6.9).
    var sendWindow: Int
    var receiveWindow: HTTP2ReceiveWindow
    /// The bytes of the connection up to the last one of the request that was handed over; at
    /// first, those before the request.
    var mark: Int
    /// Whether the present turns have changed what its clock waits for.
    var needsFollow = false
    /// Sends the body, if it was not sent with the head.
    var sender: HTTP2BodySender?
    /// Whether END_STREAM was sent.
    var isRequestComplete = false
    /// Whether it is among the streams that the present read has touched.
    var isTouched = false
    /// The content that came in the present read, in slices of that.
    var content = BodyPieces()
    /// What the stream has become after the response; nil for an ordinary one.
    var tunnel: HTTP2Tunnel?
    /// The time until which a closed tunnel waits for the peer to end its side.
    var lingersUntil: NIODeadline?
    /// The trailers of a response that is complete and not handed over yet.
    var ending: HTTPFields?

    init(_ identifier: Int, _ run: ExchangeRun, sendWindow: Int, mark: Int) {
        self.identifier = identifier
        self.run = run
        self.sendWindow = sendWindow
        self.mark = mark
        machine = StateMachine(isHead: run.exchange.request.method == .head)
        receiveWindow = HTTP2ReceiveWindow(size: HTTP2WindowBudget.first, available: HTTP2WindowBudget.first)
        run.marks = receiveWindow.marks
    }

    /// The origin of its request: that of the connection, or one that uses the connection too.
    var origin: Origin { run.exchange.route.origin }

    /// Whether the windows hold back what there is of the body.
    var isBlocked: Bool { sender?.isBlocked == true }

    /// The bytes that wait for the peer, up to the last one of the request, where it has so many of
    /// the connection: on the connection, or one more for its windows.
    func unsentBytes(written: Int) -> Int { max(0, mark - written) + (isBlocked ? 1 : 0) }

    /// Nothing of a response came yet.
    var isSilent: Bool { machine.stage == .awaitingHead }
}
