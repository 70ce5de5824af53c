import NIOCore

/// The beginning and the end of a call, which a session takes care of.
extension Call {
    /// Makes a call of a session.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - core: The session.
    ///   - identifier: Its identifier, where it had one in an earlier session. Default: a new one.
    ///   - kind: The kind of the task. Default: data.
    ///   - isWatched: Whether it may be looked at while it runs. Default: false.
    ///   - isStarted: Whether its maker runs it at once. Default: false.
    ///   - now: The clock of the speeds. Default: the event loops'.
    convenience init(
        _ request: Request,
        core: SessionCore,
        identifier: Int? = nil,
        kind: Kind = .data,
        isWatched: Bool = false,
        isStarted: Bool = false,
        now: @escaping @Sendable () -> NIODeadline = { .now() }
    ) {
        self.init(
            request,
            identifier: identifier ?? core.newIdentifier(),
            settings: core.settings,
            owner: core,
            kind: kind,
            isWatched: isWatched,
            isStarted: isStarted,
            now: now
        )
    }

    /// Whether what was received must not be parsed where the caller runs, or hooks are called
    /// behind that.
    func isFinishedElsewhere(_ received: ReceivedResponse, isLengthy: Bool, caller: (any Actor)?) -> Bool {
        hooks != nil || isLengthy || Self.isParsedElsewhere(received, caller: caller)
    }

    private static func isParsedElsewhere(_ received: ReceivedResponse, caller: (any Actor)?) -> Bool {
        received.body.count > Computation.inlineSize && Computation.belongsElsewhere(caller: caller)
    }

    /// Parses what was received, and completes the call. Not asynchronous: values whose size is
    /// known at run time only cost much where a function may be suspended.
    func finish<Output: Sendable>(
        _ received: ReceivedResponse,
        _ parse: (ReceivedResponse) throws(NetworkingError) -> Output
    ) throws(NetworkingError) -> Output {
        do throws(NetworkingError) {
            let output = try parse(received)
            try complete(nil, received.transport, Self.result(output, received))
            return output
        } catch {
            throw failed(error, received)
        }
    }

    /// Parses and completes as ``finish(_:_:)``, but off the event loop and off the caller's actor,
    /// and returns when the last hooks were called.
    @inline(never)
    func finishElsewhere<Output: Sendable>(
        _ received: ReceivedResponse,
        isLengthy: Bool = false,
        _ parse: @escaping @Sendable (ReceivedResponse) throws(NetworkingError) -> Output
    ) async throws(NetworkingError) -> Output {
        let result: Result<Output, NetworkingError>
        do throws(NetworkingError) {
            if isLengthy {
                result = .success(
                    try await Computation.lengthy { () throws(NetworkingError) in
                        // It may have been stopped while it waited for a thread.
                        if !self.isHandedOver, let error = self.error { throw error }
                        return try parse(received)
                    }
                )
            } else if Self.isParsedElsewhere(received, caller: #isolation) {
                result = .success(try await Computation.elsewhere { () throws(NetworkingError) in try parse(received) })
            } else {
                result = .success(try parse(received))
            }
        } catch {
            result = .failure(error)
        }
        do throws(NetworkingError) {
            let output = try finish(received) { _ throws(NetworkingError) in try result.get() }
            await hooks?.settle(self)
            return output
        } catch {
            await hooks?.settle(self)
            throw error
        }
    }

    /// Ends a task that was never started, when nobody can start it any more.
    func releasedEarly() -> NetworkingError {
        failed(NetworkingError(.cancelled, "The task was released before it was started."), nil)
    }

    /// Ends the task with an error, and adds request and response to it. The error that stopped the
    /// task wins: interceptors saw it as a mere cancellation.
    func failed(_ error: any Error, _ received: ReceivedResponse?) -> NetworkingError {
        let request = received?.transport.request ?? originalRequest
        var seen = NetworkingError.wrapping(error)
        // Serializers see the request without what the engine added to it.
        if let received { seen.request = received.transport.request }
        // What stops a call that was handed over stops the one that has it.
        var error = ((isHandedOver ? nil : self.error) ?? seen)
            .completed(request: seen.request ?? request, response: seen.response, body: seen.body)
            .completed(request: request, response: received?.transport.head, body: received?.body)
        if let resumeData = seen.resumeData { error.resumeData = resumeData }
        if let resource = uploadOffer?.resource(hasResponse: received != nil) { error.uploadResumeData = resource }
        noteEnd()
        error.metrics = metrics
        // It cannot throw: with an error given, it does not throw the one that stopped the task.
        try? complete(error, received?.transport)
        return error
    }

    private static func result(_ output: some Sendable, _ received: ReceivedResponse) -> CallResult {
        CallResult(
            head: received.transport.head,
            body: received.body,
            value: (output as? any ValueHolder)?.heldValue ?? output
        )
    }
}

/// A response, whatever type its value has.
private protocol ValueHolder {
    var heldValue: any Sendable { get }
}

extension Response: ValueHolder {
    fileprivate var heldValue: any Sendable { value }
}
