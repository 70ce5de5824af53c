import HTTPTypes

/// One event of a stream of server-sent events (WHATWG HTML §9.2).
///
/// No counterpart: neither AFNetworking nor Alamofire reads such streams.
public struct ServerSentEvent: Sendable, Hashable {
    /// The type that the server gave it in `event:`. Default: `message`.
    public var type: String

    /// The text of its `data:` lines, joined with line feeds.
    public var data: String

    /// The last `id:` that came with it or before it; empty for none. A new request sends it as
    /// `Last-Event-ID`.
    public var id: String

    /// The last `retry:` that came with it or before it: the time that the server wants to pass
    /// before a new request. Default: none.
    public var retry: Duration?

    /// Makes an event.
    ///
    /// - Parameters:
    ///   - type: The type. Default: `message`.
    ///   - data: The text.
    ///   - id: The last event ID. Default: none.
    ///   - retry: The time before a new request. Default: none.
    public init(type: String = "message", data: String, id: String = "", retry: Duration? = nil) {
        self.type = type
        self.data = data
        self.id = id
        self.retry = retry
    }
}

/// The events of a body of server-sent events (WHATWG HTML §9.2), while they come.
///
/// Made by ``ResponseStream/serverSentEvents`` and ``ResponseBody/serverSentEvents``.
///
/// No counterpart: neither AFNetworking nor Alamofire reads such streams.
public struct ServerSentEvents: AsyncSequence, Sendable {
    /// An event.
    public typealias Element = ServerSentEvent

    /// The source of the events.
    enum Source: Sendable {
        case body(ResponseBody)
        case stream(ResponseStream, reconnects: Bool, lastEventID: String)
    }

    let source: Source
    let limit: Int

    /// The time before a new request (§9.2.3).
    struct Pace: Sendable {
        /// The time where the server did not say.
        static let usual: Duration = .seconds(3)
        /// The shortest time, whatever the server says: many clients that ask at once keep it down.
        static let shortest: Duration = .milliseconds(100)
        /// The longest time, whatever the server says.
        static let longest: Duration = .seconds(300)

        /// The number of attempts in a row that brought no event.
        private var failures = 0

        /// Notes that an event has come.
        mutating func succeeded() {
            failures = 0
        }

        /// The time to the next attempt: what the server said, doubled after each that brought no
        /// event.
        mutating func next(_ retry: Duration?) -> Duration {
            var delay = Swift.max(retry ?? Self.usual, Self.shortest)
            for _ in 0..<failures where delay < Self.longest { delay *= 2 }
            // Counted after the delay, which is not doubled for the first attempt after an event.
            failures += 1
            return Swift.min(delay, Self.longest)
        }
    }

    /// Makes the iterator.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(source: source, limit: limit)
    }

    /// Cuts the body into events; sends a new request if it `reconnects`.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let source: Source
        private let limit: Int
        private var reader: BodyReader
        private var parser: ServerSentEventParser
        /// The head of the present response was seen.
        private var isOpen = false
        /// The head of any response was seen.
        private var wasOpen = false
        private var isAtEnd = false
        private var pace = Pace()

        fileprivate init(source: Source, limit: Int) {
            self.source = source
            self.limit = limit
            switch source {
            case .body(let body):
                reader = BodyReader(body)
                parser = ServerSentEventParser(limit: limit)
            case .stream(let stream, _, let lastEventID):
                reader = Self.reader(stream, lastEventID)
                parser = ServerSentEventParser(limit: limit, lastEventID: lastEventID)
            }
        }

        /// The next event; nil at the end and after an error.
        ///
        /// - Throws: ``NetworkingError/Code/lineTooLong`` for an event beyond the limit, whose
        ///   lines count together; every error that ends a body early.
        public mutating func next() async throws(NetworkingError) -> ServerSentEvent? {
            while !isAtEnd {
                do {
                    if let event = try await nextOfResponse() { return event }
                    try await endOfResponse(nil)
                } catch is ServerSentEventParser.EventTooLarge {
                    isAtEnd = true
                    throw reader.failed(
                        NetworkingError(
                            .lineTooLong,
                            "An event of the response is larger than the \(limit) bytes allowed."
                        )
                    )
                } catch {
                    try await endOfResponse(NetworkingError.wrapping(error))
                }
            }
            return nil
        }

        /// Does the same as ``next()``, for `for try await`.
        ///
        /// - Throws: As ``next()``.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(NetworkingError) -> ServerSentEvent? {
            try await next()
        }

        private mutating func nextOfResponse() async throws -> ServerSentEvent? {
            if !isOpen {
                let head = try await reader.open()
                isOpen = true
                wasOpen = true
                // §9.2.3: 204 tells the client to stop.
                if let head, head.statusCode == 204 { isAtEnd = true }
            }
            while true {
                if let event = try parser.next() {
                    pace.succeeded()
                    return event
                }
                guard let piece = try await reader.next() else { return nil }
                parser.push(piece)
            }
        }

        /// Sends a new request, or ends with the error.
        private mutating func endOfResponse(_ error: NetworkingError?) async throws(NetworkingError) {
            guard !isAtEnd, wasOpen, case .stream(let stream, true, _) = source, error.map(Self.isPassing) ?? true
            else {
                isAtEnd = true
                if let error { throw error }
                return
            }
            do {
                try await Task.sleep(for: pace.next(parser.retry))
            } catch {
                isAtEnd = true
                throw NetworkingError.wrapping(error)
            }
            parser = ServerSentEventParser(limit: limit, lastEventID: parser.lastEventID, retry: parser.retry)
            reader = Self.reader(stream, parser.lastEventID)
            isOpen = false
        }

        /// Whether the same request may succeed a little later.
        private static func isPassing(_ error: NetworkingError) -> Bool {
            switch error.code.family {
            case .transport, .timeout: true
            // The ends of one response: on HTTP/2 the server resets its stream (RFC 9113 §5.4.2).
            default: error.code == .truncatedResponse || error.code == .streamReset
            }
        }

        private static func reader(_ stream: ResponseStream, _ lastEventID: String) -> BodyReader {
            var stream = stream
            // §9.2.2: any other type is not a stream of events.
            if stream.validation.acceptableContentTypes == ResponseValidation.anyContentType {
                stream.validation.acceptableContentTypes = ["text/event-stream"]
            }
            return BodyReader(stream) { request in
                let fields = request.headerFields
                if !fields.contains(.accept) { request.headerFields[.accept] = "text/event-stream" }
                if !fields.contains(.cacheControl) { request.headerFields[.cacheControl] = "no-cache" }
                if !lastEventID.isEmpty, let name = HTTPField.Name("Last-Event-ID") {
                    request.headerFields[name] = lastEventID
                }
            }
        }
    }
}

@available(*, unavailable)
extension ServerSentEvents.AsyncIterator: Sendable {}

extension ResponseStream {
    /// The body as server-sent events, of one response: when it ends, the events do.
    ///
    /// Only `text/event-stream` is accepted, unless ``validation`` names content types.
    public var serverSentEvents: ServerSentEvents { serverSentEvents() }

    /// The body as server-sent events.
    ///
    /// With `reconnects`, a new request with the last event's ID follows when a response has ended
    /// or its connection was lost, or the server has reset its HTTP/2 stream, after the time of the
    /// server's last `retry:` or three seconds: at least 100 milliseconds, doubled with each
    /// attempt that brings no event, and at most five minutes. That goes on until the server sends
    /// a 204, refuses, or the loop is left. The first request is not repeated.
    ///
    /// - Parameters:
    ///   - lastEventID: The `Last-Event-ID` to begin with. Default: none.
    ///   - reconnects: Whether new requests follow. Default: no.
    ///   - limit: The most bytes of an event. Default: 16 MiB.
    /// - Returns: The events; the request is sent when they are iterated.
    public func serverSentEvents(
        lastEventID: String = "",
        reconnects: Bool = false,
        limit: Int = 16 << 20
    ) -> ServerSentEvents {
        ServerSentEvents(source: .stream(self, reconnects: reconnects, lastEventID: lastEventID), limit: limit)
    }
}

extension ResponseBody {
    /// The body as server-sent events (WHATWG HTML §9.2) of at most 16 MiB each, while they come.
    public var serverSentEvents: ServerSentEvents { ServerSentEvents(source: .body(self), limit: 16 << 20) }
}
