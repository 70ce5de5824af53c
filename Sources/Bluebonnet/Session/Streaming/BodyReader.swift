import FoundationEssentials
import NIOCore

/// Reads the body of a response that is there, or of a request that is sent when the first piece is
/// asked for.
struct BodyReader {
    private enum State {
        /// Then `reading`, or `ended` when there is no response.
        case unsent(ResponseStream, @Sendable (inout Request) -> Void)
        /// The body keeps its session alive. Then `ended`.
        case reading(ResponseBody.Buffers, ResponseBody, TransportResponse?)
        /// The last state.
        case ended
    }

    private var state: State

    /// - Parameters:
    ///   - stream: The description of the request to send.
    ///   - change: Adds to the request what its reader needs.
    init(_ stream: ResponseStream, changing change: @escaping @Sendable (inout Request) -> Void = { _ in }) {
        state = .unsent(stream, change)
    }

    init(_ body: ResponseBody) {
        state = .reading(body.makeBuffers(), body, nil)
    }

    /// The longest line of the body that is read.
    var lineLimit: Int {
        if case .reading(_, let body, _) = state { body.options.lineLimit } else { Limits.defaultLine }
    }

    /// Sends the request if that was not done.
    ///
    /// - Returns: The head of the response, nil where only its body is known.
    mutating func open() async throws(NetworkingError) -> ResponseHead? {
        switch state {
        case .ended: return nil
        case .reading(_, _, let response): return response?.head
        case .unsent(let stream, let change):
            state = .ended
            let response = try await stream.open(changing: change)
            state = .reading(response.body.makeBuffers(), response.body, response)
            return response.head
        }
    }

    /// The next piece, never empty; nil at the end and after an error.
    mutating func next() async throws(NetworkingError) -> ByteBuffer? {
        try await next { buffers throws(NetworkingError) in try await buffers.next() }
    }

    /// The next piece for the user, who may write into it.
    mutating func nextData() async throws(NetworkingError) -> Data? {
        try await next { buffers throws(NetworkingError) in try await buffers.nextData() }
    }

    private mutating func next<Piece>(
        _ take: (inout ResponseBody.Buffers) async throws(NetworkingError) -> Piece?
    ) async throws(NetworkingError) -> Piece? {
        if case .unsent = state { _ = try await open() }
        guard case .reading(var buffers, let body, let response) = state else { return nil }
        state = .ended
        do throws(NetworkingError) {
            guard let piece = try await take(&buffers) else { return nil }
            state = .reading(buffers, body, response)
            return piece
        } catch {
            throw completed(error, response)
        }
    }

    /// Ends the reading with an error of its reader's.
    mutating func failed(_ error: NetworkingError) -> NetworkingError {
        guard case .reading(_, _, let response) = state else { return error }
        state = .ended
        return completed(error, response)
    }

    private func completed(_ error: NetworkingError, _ response: TransportResponse?) -> NetworkingError {
        guard let response else { return error }
        return error.completed(request: response.request, response: response.head)
    }
}
