import FoundationEssentials
import NIOCore

/// The run of a call that has been started.
extension Call {
    /// Sends the request and collects the response. Cancelling the Swift task cancels the run.
    ///
    /// When this throws, the task is complete.
    func receive() async throws -> ReceivedResponse {
        do {
            try core.begin(self)
            return try await exchange()
        } catch {
            throw failed(error, nil)
        }
    }

    /// Sends the request and returns with the head. The task is over when the body has come to its end, whoever reads it.
    ///
    /// When this throws, the task is complete.
    func stream() async throws -> TransportResponse {
        do {
            try core.begin(self)
            let context = context(collectsBody: false)
            let response = try await core.send(originalRequest, context: context)
            received(response)
            guard let stream = response.body.stream else {
                try complete(nil, response)
                return response
            }
            stream.whenEnded { [self] end in
                // Whoever reads the body hears of what ended it. The response, kept here, would keep its body.
                let error: NetworkingError? = if case .failure(let error) = end { error } else { nil }
                try? complete(error, nil)
            }
            return response
        } catch {
            throw failed(error, nil)
        }
    }

    private func exchange() async throws -> ReceivedResponse {
        let startedAt = NIODeadline.now()
        let context = context(collectsBody: !isWatched && !core.hasListeners)
        let response = try await core.send(originalRequest, context: context)
        received(response)
        if let body = try whole(of: response) {
            return ReceivedResponse(transport: response, body: body, startedAt: startedAt)
        }
        let body = try await collect(response, context)
        return ReceivedResponse(transport: response, body: body, startedAt: startedAt)
    }

    private func whole(of response: TransportResponse) throws -> Data? {
        do {
            return try response.wholeBody(upTo: core.settings.configuration.limits.bodyInMemory)
        } catch let error as NetworkingError {
            throw error.completed(request: response.request, response: response.head)
        }
    }

    // Apart, because most responses come whole, and need no frame for this.
    @inline(never)
    private func collect(
        _ response: TransportResponse,
        _ context: ExchangeContext
    ) async throws -> Data {
        let (body, limit) = (response.body, core.settings.configuration.limits.bodyInMemory)
        do {
            guard body.comesFromSequence else { return try await body.collect(upTo: limit) }
            return try await StoppableCall.run(for: response.request, context, .elsewhere) {
                try await body.collect(upTo: limit)
            }
        } catch let error as NetworkingError {
            throw error.completed(request: response.request, response: response.head)
        }
    }

    // MARK: Parsing

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

    /// Its context, the whole time counted from now.
    private func context(collectsBody: Bool) -> ExchangeContext {
        let timeout = originalRequest.effectiveTimeouts(over: core.settings.configuration.timeouts).request
        return ExchangeContext(
            call: self,
            end: timeout.map { ExchangeContext.End(after: $0) },
            collectsBody: collectsBody
        )
    }
}
