import FoundationEssentials
import NIOCore

/// The run of a task, from its beginning to its received response.
extension SessionCore {
    /// Sends the request and collects the response. Cancelling the Swift task cancels the run.
    ///
    /// When this throws, the task is complete. A body that `keepsBody` does not want is dropped as
    /// it comes, unless it came with the head. A transfer is noted in the journal before anything
    /// is sent, and so is its error.
    func receive(
        _ call: Call,
        _ transfer: JournaledTransfer? = nil,
        keepsBody: (@Sendable (TransportResponse) -> Bool)? = nil
    ) async throws(NetworkingError) -> ReceivedResponse {
        do {
            let startedAt = NIODeadline.now()
            call.begin(at: startedAt)
            try begin(call)
            if let transfer { try await transfer.start() }
            let needsHead = call.isWatched || hasListeners || hookCalls?.needsHead == true
            let context = context(
                of: call,
                collectsBody: !needsHead,
                wholeBody: hookCalls?.needsHead == true ? nil : wholeBody(for: call, keepsBody)
            )
            if call.hooks != nil { try await tellBeginning(call, context) }
            var response = try await send(call.originalRequest, context: context)
            received(response, for: call)
            if call.hooks != nil { response = try await told(response, call, context) }
            let body =
                if let body = try whole(of: response, for: call) { body } else {
                    try await WholeBody.collect(response, context, keepsBytes: keepsBody?(response) ?? true)
                }
            return ReceivedResponse(transport: response, body: body, startedAt: startedAt, call: call)
        } catch {
            if let transfer {
                var failure = call.error ?? .wrapping(error)
                failure.uploadResumeData = failure.uploadResumeData ?? call.uploadOffer?.resource
                await transfer.fail(failure)
            }
            throw await failed(call, error)
        }
    }

    /// Sends the request, collects the response, and parses it. Cancelling the Swift task cancels
    /// the run.
    ///
    /// When this throws, the task is complete.
    func response<Output: Sendable>(
        to call: Call,
        isLengthy: Bool,
        _ serialize: @escaping DataTask<Output>.Serialize
    ) async throws(NetworkingError) -> Response<Output> {
        try await parsed(try await receive(call), call, isLengthy: isLengthy, serialize)
    }

    /// Parses what was received, and completes the call.
    func parsed<Output: Sendable>(
        _ received: ReceivedResponse,
        _ call: Call,
        isLengthy: Bool,
        _ serialize: @escaping DataTask<Output>.Serialize
    ) async throws(NetworkingError) -> Response<Output> {
        guard call.isFinishedElsewhere(received, isLengthy: isLengthy, caller: #isolation) else {
            return try call.finish(received) { received throws(NetworkingError) in
                Response(value: try serialize(received), received)
            }
        }
        return try await call.finishElsewhere(received, isLengthy: isLengthy) { received throws(NetworkingError) in
            Response(value: try serialize(received), received)
        }
    }

    /// Sends the request and returns with the head. The task is over when the body has come to its
    /// end.
    ///
    /// When this throws, the task is complete, also where the response was refused. Otherwise
    /// `ended` is called when the body has ended, with the error that ended it early.
    func open(
        _ call: Call,
        _ begun: BegunResponse? = nil,
        accepting accept: (TransportResponse) async throws(NetworkingError) -> TransportResponse,
        whenEnded ended: (@Sendable (NetworkingError?) -> Void)? = nil
    ) async throws(NetworkingError) -> TransportResponse {
        defer { begun?.end() }
        do {
            call.begin(at: begun?.startedAt ?? .now())
            try begin(call, after: begun)
            let context = begun?.context(of: call) ?? context(of: call, collectsBody: false)
            if call.hooks != nil { try await tellBeginning(call, context, begun) }
            let response =
                if let taken = begun?.take() { taken } else {
                    try await send(call.originalRequest, context: context)
                }
            received(response, for: call)
            let accepted = try await accept(response)
            guard let stream = response.body.stream else {
                try call.complete(nil, response, CallResult(head: response.head))
                ended?(nil)
                return accepted
            }
            stream.whenEnded { end in
                // The reader of the body gets the error that ended it. A response kept here would
                // keep its body.
                let error: NetworkingError? = if case .failure(let error) = end { error } else { nil }
                try? call.complete(error, nil, CallResult(head: call.head))
                ended?(error)
            }
            return accepted
        } catch {
            throw await failed(call, error)
        }
    }

    /// Sends the request, and writes the body of the response to a file. Cancelling the Swift task
    /// cancels the run.
    ///
    /// When this throws, the task is complete.
    func download(_ call: Call, _ download: Download) async throws(NetworkingError) -> Response<URL> {
        if let known = try await result(of: download.transfer, call) { return try await downloaded(known, call) }
        let begun = download.begun
        let startedAt = begun?.startedAt ?? .now()
        call.begin(at: startedAt)
        let context = begun?.context(of: call) ?? context(of: call, collectsBody: false)
        defer { begun?.end() }
        do {
            let (response, file) = try await download.run(context) {
                try begin(call, after: begun)
                if call.hooks != nil { try await tellBeginning(call, context, begun) }
            } send: { request in
                let response = if let taken = begun?.take() { taken } else { try await send(request, context: context) }
                received(response, for: call)
                return response
            } sendPart: { request, link in
                // A call of its own, which counts for itself; the session knows only the task,
                // which notes its transactions.
                let part = Call(
                    request,
                    identifier: self.newIdentifier(),
                    settings: self.settings,
                    owner: nil,
                    partOf: call,
                    isStarted: true
                )
                link.tie(part)
                return try await self.send(request, context: context.forPart(part))
            }
            await download.transfer?.finish(TransferResult(response, file))
            // Where it was stopped meanwhile, the journal forgets it before it is complete.
            let result = CallResult(head: response.head, value: file, file: file)
            try call.complete(nil, response, isStopGivenBack: true, result)
            await call.hooks?.settle(call)
            return Response(
                value: file,
                ReceivedResponse(transport: response, body: Data(), startedAt: startedAt, call: call)
            )
        } catch {
            await download.transfer?.fail(call.error ?? .wrapping(error))
            throw await failed(call, error)
        }
    }

    /// Sends a request through the interceptors and the transport.
    func send(_ request: Request, context: ExchangeContext) async throws -> TransportResponse {
        var request = withAdditionalFields(request)
        if let priority = context.call.chosenPriority { request.setPriority(priority) }
        if chain.end.retries.concerns(request) { request = chain.end.retries.keyed(request) }
        let response = try await chain.appending(request.interceptors).send(request, context: context)
        return try context.call.uploadOffer?.response(for: response) ?? response
    }

    /// Completes a call that failed; returns when the last hooks were called.
    @inline(never)
    func failed(_ call: Call, _ error: any Error) async -> NetworkingError {
        let failure = call.failed(error, nil)
        await call.hooks?.settle(call)
        return failure
    }

    private func whole(of response: TransportResponse, for call: Call) throws(NetworkingError) -> Data? {
        do throws(NetworkingError) {
            return try response.wholeBody(upTo: settings.configuration.limits.bodyInMemory)
        } catch {
            call.note(response)
            throw error.completed(request: response.request, response: response.head)
        }
    }

    /// The context of a call, whose whole time counts from now.
    func context(of call: Call, collectsBody: Bool, wholeBody: WholeBody? = nil) -> ExchangeContext {
        let timeout = call.originalRequest.effectiveTimeouts(over: settings.timeouts).request.duration
        return ExchangeContext(
            call: call,
            end: timeout.map { ExchangeContext.End(after: $0) },
            collectsBody: collectsBody,
            wholeBody: wholeBody
        )
    }

    /// What collects the body within an attempt; nil for a request that is not sent again.
    private func wholeBody(
        for call: Call,
        _ keepsBody: (@Sendable (TransportResponse) -> Bool)?
    ) -> WholeBody? {
        guard chain.end.retries.concerns(call.originalRequest) else { return nil }
        // An interceptor may want what the caller does not.
        let hasReaders = !chain.interceptors.isEmpty || !call.originalRequest.interceptors.isEmpty
        return WholeBody(keepsBytes: hasReaders ? nil : keepsBody)
    }
}
