import FoundationEssentials
import NIOCore

extension TransportResponse {
    /// The response with a body that keeps its session, and knows progress and metrics of its call.
    func keeping(_ session: SessionManager, _ call: Call) -> TransportResponse {
        var response = self
        response.body = body.keeping(session, lineLimit: session.configuration.limits.line) {
            call.currentProgress
        } metrics: {
            call.metrics
        }
        return response
    }

    /// The response, when rules accept it before its body is read.
    ///
    /// - Parameters:
    ///   - validations: The rules, in this order.
    ///   - limit: The most bytes of the body that the error carries.
    /// - Returns: The response; with its empty body, where that makes it acceptable.
    /// - Throws: ``NetworkingError`` with the head and the beginning of the body: as much as comes
    ///   within a second, and of a stream of events what came with the head.
    func accepted(
        by validations: [ResponseValidation],
        errorBodyLimit limit: Int
    ) async throws(NetworkingError) -> TransportResponse {
        // Of the body only counts whether it is empty, which is not known yet.
        guard var error = failure(by: validations, body: Data([0x20])) else { return self }
        // A stream of events has no end to wait for.
        let isEndless = head.mediaType == "text/event-stream"
        let beginning = await body.beginning(upTo: limit, within: isEndless ? .zero : .seconds(1))
        let bytes = Data(taking: beginning.bytes)
        guard !bytes.isEmpty || !beginning.isAll else {
            if let failure = failure(by: validations, body: bytes) { throw failure }
            // Whether the body is empty is only known of one that came whole.
            if let error = beginning.error { throw NetworkingError.wrapping(error) }
            var response = self
            response.body = body.replaced(by: bytes)
            return response
        }
        error.body = bytes
        error.parsedBody = try? JSONValue(parsing: bytes)
        throw error
    }

    private func failure(by validations: [ResponseValidation], body: Data) -> NetworkingError? {
        for validation in validations {
            if let failure = validation.failure(body, head: head, request: request) { return failure }
        }
        return nil
    }
}
