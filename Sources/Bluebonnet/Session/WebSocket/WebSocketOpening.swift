/// The result of a handshake that has opened a WebSocket.
///
/// Counterpart of the arguments of `urlSession(_:webSocketTask:didOpenWithProtocol:)`.
public struct WebSocketOpening: Sendable {
    /// The response: with status 101 on HTTP/1.1.
    public let head: ResponseHead

    /// The subprotocol that the server chose among ``WebSocketOptions/protocols``; nil for none.
    public let subprotocol: String?

    /// Whether messages may be compressed (permessage-deflate, RFC 7692).
    public let isCompressed: Bool

    /// The extensions with their parameters as the server has sent them; empty for none.
    public let extensions: String

    /// The number of the opening of the task, from 1: more than that after a reconnection.
    public let number: Int

    init(_ head: ResponseHead, _ agreement: WebSocketHandshake.Agreement, number: Int) {
        self.head = head
        subprotocol = agreement.subprotocol
        isCompressed = agreement.deflate != nil
        extensions = agreement.extensions
        self.number = number
    }
}
