/// What becomes of a response that was received whole.
extension Call {
    /// Whether what was received must not be parsed where the caller runs.
    static func isParsedElsewhere(_ received: ReceivedResponse, caller: (any Actor)?) -> Bool {
        received.body.count > Computation.inlineSize && Computation.belongsElsewhere(caller: caller)
    }

    /// Parses what was received, and completes the call. Not asynchronous: values whose size is known at run time only are dear
    /// where a function may be suspended.
    func finish<Output: Sendable>(
        _ received: ReceivedResponse,
        _ parse: (ReceivedResponse) throws(NetworkingError) -> Output
    ) throws -> Output {
        do {
            let output = try parse(received)
            try complete(nil, received.transport)
            return output
        } catch {
            throw failed(error, received)
        }
    }

    /// The same off the event loop and off the caller's actor.
    @inline(never)
    func finishElsewhere<Output: Sendable>(
        _ received: ReceivedResponse,
        _ parse: @escaping @Sendable (ReceivedResponse) throws(NetworkingError) -> Output
    ) async throws -> Output {
        let result: Result<Output, NetworkingError>
        do throws(NetworkingError) {
            result = .success(try await Computation.elsewhere { () throws(NetworkingError) in try parse(received) })
        } catch {
            result = .failure(error)
        }
        return try finish(received) { _ throws(NetworkingError) in try result.get() }
    }
}
