public import Bluebonnet
public import HTTPTypes

public import FoundationEssentials

/// A response or an error of a ``StubTransport``, at once or after a delay.
///
/// ```swift
/// StubResponse(status: .noContent)
/// StubResponse.json(["id": 42, "name": "Ada"])
/// StubResponse.text("busy", status: .serviceUnavailable).delayed(by: .seconds(2))
/// StubResponse.failure(NetworkingError(.connectionLost, "The cable is out."))
/// ```
///
/// No counterpart in AFNetworking or Alamofire.
public struct StubResponse: Sendable {
    /// The status.
    public var status: HTTPResponse.Status

    /// The header fields, exactly as the client gets them: nothing is added.
    public var headerFields: HTTPFields

    /// The body bytes.
    public var body: Data

    /// A body that comes piece by piece, instead of ``body``. Default: none.
    public var streamedBody: ResponseBody?

    /// The trailer fields.
    public var trailers: HTTPFields

    /// The time that the transport waits before it responds, by its clock. Default: zero.
    public var delay: Duration = .zero

    /// An error that is thrown instead of a response, after the delay. Default: none.
    public var error: (any Error)?

    /// Makes a response.
    ///
    /// - Parameters:
    ///   - status: The status. Default: 200.
    ///   - headerFields: The header fields. Default: none.
    ///   - body: The body bytes. Default: none.
    ///   - trailers: The trailer fields. Default: none.
    public init(
        status: HTTPResponse.Status = .ok,
        headerFields: HTTPFields = [:],
        body: Data = Data(),
        trailers: HTTPFields = [:]
    ) {
        self.status = status
        self.headerFields = headerFields
        self.body = body
        self.trailers = trailers
    }

    /// A JSON value with the content type `application/json`.
    ///
    /// - Parameters:
    ///   - value: The value. Infinity and NaN, which JSON cannot write, make a response that fails.
    ///   - status: The status. Default: 200.
    ///   - headerFields: More header fields; a `Content-Type` among them wins. Default: none.
    /// - Returns: The response.
    public static func json(
        _ value: JSONValue,
        status: HTTPResponse.Status = .ok,
        headerFields: HTTPFields = [:]
    ) -> StubResponse {
        do {
            return typed("application/json", try value.data(), status, headerFields)
        } catch {
            return failure(error)
        }
    }

    /// A JSON text, sent as it is, with the content type `application/json`.
    ///
    /// - Parameters:
    ///   - text: The text, valid or not.
    ///   - status: The status. Default: 200.
    ///   - headerFields: More header fields; a `Content-Type` among them wins. Default: none.
    /// - Returns: The response.
    public static func json(
        text: String,
        status: HTTPResponse.Status = .ok,
        headerFields: HTTPFields = [:]
    ) -> StubResponse {
        typed("application/json", Data(text.utf8), status, headerFields)
    }

    /// A text in UTF-8 with the content type `text/plain; charset=utf-8`.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - status: The status. Default: 200.
    ///   - headerFields: More header fields; a `Content-Type` among them wins. Default: none.
    /// - Returns: The response.
    public static func text(
        _ text: String,
        status: HTTPResponse.Status = .ok,
        headerFields: HTTPFields = [:]
    ) -> StubResponse {
        typed("text/plain; charset=utf-8", Data(text.utf8), status, headerFields)
    }

    /// Bytes with the content type `application/octet-stream`.
    ///
    /// - Parameters:
    ///   - data: The bytes.
    ///   - status: The status. Default: 200.
    ///   - headerFields: More header fields; a `Content-Type` among them wins. Default: none.
    /// - Returns: The response.
    public static func data(
        _ data: Data,
        status: HTTPResponse.Status = .ok,
        headerFields: HTTPFields = [:]
    ) -> StubResponse {
        typed("application/octet-stream", data, status, headerFields)
    }

    /// A body that comes piece by piece, as fast as it is read.
    ///
    /// ```swift
    /// let (pieces, feed) = AsyncStream.makeStream(of: Data.self)
    /// let events = StubResponse.stream(pieces, contentType: "text/event-stream")
    /// let transport = StubTransport(routes: [.get("/events"): events])
    /// feed.yield(Data("data: hello\n\n".utf8))
    /// ```
    ///
    /// An error that the sequence throws breaks the body off. A sequence that can be read once
    /// serves one request.
    ///
    /// - Parameters:
    ///   - pieces: The pieces.
    ///   - contentType: The value of `Content-Type`. Default: `application/octet-stream`.
    ///   - status: The status. Default: 200.
    ///   - headerFields: More header fields; a `Content-Type` among them wins. Default: none.
    /// - Returns: The response.
    public static func stream<Pieces: AsyncSequence & Sendable>(
        _ pieces: Pieces,
        contentType: String = "application/octet-stream",
        status: HTTPResponse.Status = .ok,
        headerFields: HTTPFields = [:]
    ) -> StubResponse
    where Pieces.AsyncIterator: SendableMetatype, Pieces.Element: SendableMetatype, Pieces.Element: Collection<UInt8> {
        var response = typed(contentType, Data(), status, headerFields)
        response.streamedBody = .stream(pieces)
        return response
    }

    /// A redirect.
    ///
    /// - Parameters:
    ///   - location: The value of `Location`.
    ///   - status: The status. Default: 302.
    /// - Returns: The response.
    public static func redirect(to location: String, status: HTTPResponse.Status = .found) -> StubResponse {
        StubResponse(status: status, headerFields: [.location: location])
    }

    /// An error instead of a response.
    ///
    /// - Parameter error: The error that the transport throws; any but a `NetworkingError` reaches
    ///   the caller wrapped in one.
    /// - Returns: The response.
    public static func failure(_ error: any Error) -> StubResponse {
        var response = StubResponse()
        response.error = error
        return response
    }

    /// A copy of the response that is delayed.
    ///
    /// - Parameter delay: The time that the transport waits, by its clock.
    /// - Returns: The copy.
    public func delayed(by delay: Duration) -> StubResponse {
        var copy = self
        copy.delay = delay
        return copy
    }

    private static func typed(
        _ contentType: String,
        _ body: Data,
        _ status: HTTPResponse.Status,
        _ headerFields: HTTPFields
    ) -> StubResponse {
        var fields = headerFields
        if !fields.contains(.contentType) { fields[.contentType] = contentType }
        return StubResponse(status: status, headerFields: fields, body: body)
    }
}
