/// The choices for a WebSocket before it is opened.
///
/// ```swift
/// var options = WebSocketOptions()
/// options.protocols = ["chat.v2"]
/// options.pingInterval = .seconds(15)
/// ```
///
/// Timeouts of the opening handshake, trust, cookies, credentials and interceptors are those of the
/// session and of the request. No counterpart: `URLSessionWebSocketTask` has only
/// `maximumMessageSize`.
public struct WebSocketOptions: Sendable, Hashable {
    /// The subprotocols that the client knows, the preferred one first (RFC 6455 §1.9). The server
    /// chooses one of them or none: ``WebSocketOpening/subprotocol``. Default: none.
    ///
    /// A redirect to another origin leaves them out, as it does with credentials: some servers take
    /// a token among them. ``SessionHooks/taskWillPerformRedirection`` can put them back.
    public var protocols: [String] = []

    /// The compression that is offered (permessage-deflate, RFC 7692); nil offers none. Default:
    /// ``WebSocketCompression``, with its defaults.
    ///
    /// What an attacker can put into messages beside a secret can be used to guess the secret, by
    /// the length of what is sent (CRIME). Offer none where that is possible.
    public var compression: WebSocketCompression? = WebSocketCompression()

    /// The most bytes of a received frame as it is on the wire. Default: 16 MiB. More ends the
    /// WebSocket with ``NetworkingError/Code/webSocketMessageTooLarge``.
    public var maximumFrameSize = 16 << 20

    /// The most bytes of a received message, compression undone and all its frames together.
    /// Default: 16 MiB. More ends the WebSocket with
    /// ``NetworkingError/Code/webSocketMessageTooLarge``, before they are in memory. More than 2
    /// GiB count as 2 GiB less one byte, here and for frames.
    ///
    /// Counterpart of `URLSessionWebSocketTask.maximumMessageSize`, which is 1 MiB.
    public var maximumMessageSize = 16 << 20

    /// The bytes of received messages that nobody has read yet, from which on no other message is
    /// made of what the connection brings, and no more is read from it, so that the server is
    /// slowed down. Default: 1 MiB. Less than 0 counts as 0.
    ///
    /// Each message counts 32 bytes more than it has. The last one may go beyond the number, by at
    /// most ``maximumMessageSize``. What the connection had brought before is kept as it came,
    /// compressed: at most 2 MiB, or a window of HTTP/2; and of a server that has ended the
    /// connection what the system has received, usually at most 6 MiB.
    public var receiveBuffer = 1 << 20

    /// The bytes of messages that were not sent yet, from which on ``WebSocketTask/send(_:)``
    /// waits. Default: 1 MiB. Less than 1 counts as 1.
    public var sendBuffer = 1 << 20

    /// The time between two pings that are sent by themselves; nil for none. Default: 20 seconds.
    ///
    /// They show that the other side is still there, and keep the connection open where a gateway
    /// closes those that are silent.
    public var pingInterval: Duration? = .seconds(20)

    /// The longest wait for the pong to a ping, after which the connection counts as lost:
    /// ``NetworkingError/Code/webSocketPingTimeout``. Default: 20 seconds. It begins anew with all
    /// bytes that come, and where the other side has taken bytes that were sent before the ping. It
    /// does not run while nothing is read, because the task is suspended or nobody reads its
    /// messages.
    public var pingTimeout: Duration = .seconds(20)

    /// The longest wait for the other side's part of the close handshake, and for the end of the
    /// connection behind it (RFC 6455 §7.1.1). Default: 5 seconds. Then the connection is closed
    /// all the same.
    ///
    /// It begins anew while the other side takes what was sent before, so that one that is slow
    /// gets everything. One that takes nothing for so long is
    /// ``NetworkingError/Code/connectionLost``.
    public var closeTimeout: Duration = .seconds(5)

    /// Whether a WebSocket whose connection was lost is opened again; nil for never. Default: nil.
    public var reconnection: WebSocketReconnection?

    /// Makes options with the defaults.
    public init() {}
}

/// The parameters with which permessage-deflate is offered (RFC 7692 §7.1). The server may ask for
/// less. No counterpart in AFNetworking, Alamofire and URLSession.
public struct WebSocketCompression: Sendable, Hashable {
    /// Whether messages of the client are compressed with what was sent before, which makes them
    /// smaller and takes about 260 KiB of memory for a connection. Default: true.
    public var usesClientContext = true

    /// Whether messages of the server may be compressed with what it has sent before, which takes
    /// about 40 KiB of memory for a connection. Default: true.
    public var usesServerContext = true

    /// The size of the window of the server as a power of 2, from 8 to 15: with less, its messages
    /// need less memory here. Default: 15, which is 32 KiB. Other numbers count as the nearest of
    /// these.
    public var serverWindowBits = 15

    /// The level of zlib for messages of the client, from 1, fastest, to 9, smallest. Default: 6.
    public var level = 6

    /// The bytes from which on a message is compressed; shorter ones are sent as they are. Default:
    /// 64.
    public var minimumSize = 64

    /// Makes parameters with the defaults.
    public init() {}
}

/// When a WebSocket whose connection was lost is opened again, and how long it waits before.
///
/// It is opened again when the connection was lost without a close handshake, over HTTP/2 also when
/// the server has reset its stream (RFC 8441 §5), when no pong came, and when the server has closed
/// with one of ``closeCodes``. An opening that fails is repeated for the errors and status codes of
/// the session's or the request's ``RetryPolicy``, those of ``RetryPolicy/standard`` where there is
/// none, and not before the time of `Retry-After`, up to ``RetryPolicy/longestRetryAfter``; a
/// response that asks for more is the error of the task. A first opening that fails is repeated,
/// too.
///
/// Each attempt that has failed and the wait behind it are told before that:
/// ``SessionEvent/Kind/willRetry``, ``SessionHooks/taskWillRetry`` and
/// ``TaskObserver/taskWillRetry(_:)``.
///
/// No counterpart in AFNetworking, Alamofire and URLSession.
public struct WebSocketReconnection: Sendable, Hashable {
    /// The waits before the attempts; they begin anew after an opening that has lasted longer than
    /// the longest of them. Default: that of ``RetryPolicy/backoff``.
    public var backoff: RetryBackoff

    /// The most attempts in a row that fail; nil for no limit. Default: nil.
    public var maximumAttempts: Int?

    /// The codes with which the server asks to come back. Default: 1001, 1012, 1013 and 1014.
    public var closeCodes: Set<WebSocketCloseCode> = [.goingAway, .serviceRestart, .tryAgainLater, .badGateway]

    /// Makes the rules.
    ///
    /// - Parameters:
    ///   - backoff: The waits before the attempts. Default: at random up to 0.5 seconds, then up to
    ///     twice the time before, 20 seconds at most.
    ///   - maximumAttempts: The most attempts in a row that fail; nil for no limit. Default: nil.
    public init(backoff: RetryBackoff = RetryBackoff(), maximumAttempts: Int? = nil) {
        self.backoff = backoff
        self.maximumAttempts = maximumAttempts
    }
}
