/// One event of a stream of server-sent events (WHATWG HTML §9.2).
public struct ServerSentEvent: Sendable, Hashable {
    /// The type that the server gave it in `event:`. Default: `message`.
    public var type: String

    /// The text of its `data:` lines, joined with line feeds.
    public var data: String

    /// The last `id:` that came with it or before it; empty for none. A new request sends it as `Last-Event-ID`.
    public var id: String

    /// The last `retry:` that came with it or before it: how long the server wants us to wait before asking again. Default: none.
    public var retry: Duration?

    /// Makes an event.
    ///
    /// - Parameters:
    ///   - type: The type. Default: `message`.
    ///   - data: The text.
    ///   - id: The last event ID. Default: none.
    ///   - retry: The time before asking again. Default: none.
    public init(type: String = "message", data: String, id: String = "", retry: Duration? = nil) {
        self.type = type
        self.data = data
        self.id = id
        self.retry = retry
    }
}
