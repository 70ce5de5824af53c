public import FoundationEssentials
import NIOCore

/// A request whose response is read while it comes, with back-pressure: made by
/// ``HTTPSessionManager/stream(_:parameters:headers:timeout:options:)``.
///
/// A value that describes the request. Each iteration, of itself or of ``lines``,
/// ``serverSentEvents`` and the others, sends a request of its own; its first element comes after
/// the response was validated. Leaving the loop, or cancelling the Swift task, cancels the request.
/// While no element is asked for, about a megabyte waits in memory and the server is slowed down.
///
/// ```swift
/// for try await piece in api.stream("export") { print(piece.count) }
///
/// let response = try await api.stream("export").open()    // the head first, then the body
/// ```
///
/// Every error is a ``NetworkingError``; that the Swift task was cancelled, too.
///
/// Counterpart of `setDataTaskDidReceiveDataBlock:` of `AFURLSessionManager`, and of Alamofire's
/// `DataStreamRequest`.
public struct ResponseStream: AsyncSequence, Sendable {
    /// A piece of the body, never empty.
    public typealias Element = Data

    /// The rules for responses that fulfil ``HTTPSessionManager/validation``; one that breaks them
    /// fails before the first element. Default: the status codes that the manager's response
    /// serializer accepts, 200 to 299 otherwise, with any content type.
    public var validation: ResponseValidation

    /// The timeouts where they differ from the session's. Default: the session's. A stream with
    /// long silences needs another ``Timeouts/betweenBytes``.
    public var timeouts: Timeouts?

    /// The most bytes of the body of a refused response that its error carries: as many as come
    /// within a second, and of a stream of events those that came with the head. Default: 64 KiB.
    public var errorBodyLimit = defaultErrorBodyLimit

    static let defaultErrorBodyLimit = 65_536

    private let session: SessionManager
    /// The rules that every response of the manager must fulfil.
    private let managerValidation: ResponseValidation
    private let makeRequest: @Sendable () throws(NetworkingError) -> Request

    /// Makes a stream of a request.
    ///
    /// - Parameters:
    ///   - request: The request to send, once for every iteration.
    ///   - session: The session that sends it.
    ///   - validation: Which responses are accepted. Default: every 2xx.
    public init(_ request: Request, session: SessionManager, validation: ResponseValidation = .default) {
        self.init(session: session, managerValidation: .none, validation: validation) { () throws(NetworkingError) in
            request
        }
    }

    init(
        session: SessionManager,
        managerValidation: ResponseValidation,
        validation: ResponseValidation,
        makeRequest: @escaping @Sendable () throws(NetworkingError) -> Request
    ) {
        self.session = session
        self.managerValidation = managerValidation
        self.validation = validation
        self.makeRequest = makeRequest
    }

    /// The same stream with another validation.
    ///
    /// - Parameter validation: Which responses are accepted.
    /// - Returns: The copy.
    public func validating(_ validation: ResponseValidation) -> ResponseStream {
        var copy = self
        copy.validation = validation
        return copy
    }

    /// The same stream with other timeouts.
    ///
    /// - Parameter timeouts: The timeouts of its requests.
    /// - Returns: The copy.
    public func timeouts(_ timeouts: Timeouts) -> ResponseStream {
        var copy = self
        copy.timeouts = timeouts
        return copy
    }

    // MARK: Whole responses

    /// Sends a request and returns when the response head is there and was validated; the body is
    /// still to be read.
    ///
    /// ``ResponseBody/currentProgress`` of the body tells how much of it has come.
    ///
    /// - Returns: The response.
    /// - Throws: ``NetworkingError``; for a refused response with its head and the beginning of its
    ///   body.
    public func open() async throws(NetworkingError) -> TransportResponse {
        try await open { _ in }
    }

    /// Sends a request and reads the whole body.
    ///
    /// - Parameter limit: The most bytes to keep. Default: 1 GiB.
    /// - Returns: The bytes.
    /// - Throws: ``NetworkingError``; ``NetworkingError/Code/bodyTooLarge`` beyond the limit.
    public func collect(upTo limit: Int = 1 << 30) async throws(NetworkingError) -> Data {
        let response = try await open()
        do throws(NetworkingError) {
            return try await response.body.collect(upTo: limit)
        } catch {
            throw error.completed(request: response.request, response: response.head)
        }
    }

    /// Does the same as ``open()``, with a change to the request.
    func open(changing change: (inout Request) -> Void) async throws(NetworkingError) -> TransportResponse {
        var request = try makeRequest()
        if let timeouts { request.timeouts = timeouts }
        change(&request)
        return try await session.open(
            request,
            validations: [managerValidation, validation],
            errorBodyLimit: errorBodyLimit
        )
    }

    // MARK: Pieces

    /// Makes the iterator; it sends the request when it is first asked.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(reader: BodyReader(self))
    }

    /// The pieces of the body.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private var reader: BodyReader

        fileprivate init(reader: BodyReader) {
            self.reader = reader
        }

        /// The next piece, never empty; nil at the end.
        ///
        /// - Throws: ``NetworkingError``: no or a refused response, a connection lost, a truncated
        ///   body, a timeout.
        public mutating func next() async throws(NetworkingError) -> Data? {
            try await reader.nextData()
        }

        /// Does the same as ``next()``, for `for try await`.
        ///
        /// - Throws: As ``next()``.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(NetworkingError) -> Data? {
            try await next()
        }
    }
}

@available(*, unavailable)
extension ResponseStream.AsyncIterator: Sendable {}
