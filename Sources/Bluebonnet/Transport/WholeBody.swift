import FoundationEssentials

/// Collects the body of a response for a task that wants the whole of it.
final class WholeBody: Sendable {
    /// Whether the bytes of a response are wanted; nil for those of each.
    private let keepsBytes: (@Sendable (TransportResponse) -> Bool)?

    init(keepsBytes: (@Sendable (TransportResponse) -> Bool)? = nil) {
        self.keepsBytes = keepsBytes
    }

    /// Whether the body of a response has to be waited for.
    static func isComing(_ response: TransportResponse) -> Bool { response.body.wholeByteCount == nil }

    /// The response with its whole body, which can be read once more. The task shows its head
    /// meanwhile.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - context: The context of its task.
    /// - Returns: The response.
    /// - Throws: The error of a body that breaks off or is too large, with the response, and the
    ///   error that stopped the task.
    func collected(_ response: TransportResponse, _ context: ExchangeContext) async throws -> TransportResponse {
        var response = response
        let bytes = try await Self.collect(response, context, keepsBytes: keepsBytes?(response) ?? true)
        response.noteWhole(bytes)
        return response
    }

    /// Reads the body of a response.
    static func collect(
        _ response: TransportResponse,
        _ context: ExchangeContext,
        keepsBytes: Bool
    ) async throws -> Data {
        // The tasks of the session show it while its body comes.
        context.call.note(response)
        let (body, limit) = (response.body, context.settings.configuration.limits.bodyInMemory)
        do {
            guard body.comesFromSequence else {
                return try await body.collect(upTo: limit, keepsBytes: keepsBytes)
            }
            return try await StoppableCall.run(for: response.request, context, .elsewhere) {
                try await body.collect(upTo: limit, keepsBytes: keepsBytes)
            }
        } catch let error as NetworkingError {
            throw error.completed(request: response.request, response: response.head)
        }
    }
}
