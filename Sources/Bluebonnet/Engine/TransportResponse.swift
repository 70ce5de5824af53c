public import FoundationEssentials
import NIOCore

/// A response as the engine brings it: the head is there, the body may still be coming.
public struct TransportResponse: Sendable {
    /// Status and header fields.
    public var head: ResponseHead

    /// The body, to be read once.
    public var body: ResponseBody

    /// The 1xx responses that came before the head.
    public var informational: [ResponseHead]

    /// The request of the response. Interceptors that send another request set it.
    public var request: Request

    /// Where redirects led, in order.
    public var redirects: [URL]

    /// How many times the engine sent the request again: because a pooled connection had gone stale, or without an expectation
    /// that the server refused with 417.
    public var retries: Int

    /// The timings up to the head. ``ResponseBody`` knows when the last byte came.
    public var timings: Timings

    /// The response came before the first byte of the request body was asked of its source, which can still be read.
    var isRequestBodyUntouched = false

    /// When the engine began with the request of the response.
    var startedAt: NIODeadline?

    /// Makes a response.
    ///
    /// - Parameters:
    ///   - head: Status and header fields.
    ///   - body: The body. Default: empty.
    ///   - request: The request of the response.
    ///   - informational: The 1xx responses before it. Default: none.
    public init(
        head: ResponseHead,
        body: ResponseBody = .data(Data()),
        request: Request,
        informational: [ResponseHead] = []
    ) {
        self.head = head
        self.body = body
        self.request = request
        self.informational = informational
        self.redirects = []
        self.retries = 0
        self.timings = Timings()
    }
}
