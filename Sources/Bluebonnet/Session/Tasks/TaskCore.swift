/// The part of a task that is the same for all kinds: its call in its session, and its outcome,
/// which comes once. The public tasks show it: a protocol that is not public cannot give them
/// public members.
struct TaskCore<Success: Sendable>: Sendable {
    typealias Outcome = Result<Success, NetworkingError>

    let session: SessionCore
    let call: Call
    let ending = TaskEnding<Outcome>()
    /// The transfer in the journal of the session, where there is one.
    let transfer: JournaledTransfer?

    init(
        _ request: Request,
        session: SessionCore,
        kind: Call.Kind,
        restoring transfer: JournaledTransfer? = nil,
        resuming resumeData: UploadResumeData? = nil,
        record: () throws(NetworkingError) -> TransferRecord? = { () throws(NetworkingError) in nil }
    ) {
        self.session = session
        call = Call(request, core: session, identifier: transfer?.identifier, kind: kind, isWatched: true)
        self.transfer = transfer ?? session.transfers?.made(call.identifier, record)
        guard let offer = call.uploadOffer else { return }
        if let earlier = resumeData ?? self.transfer?.uploadResumeData { offer.continue(earlier) }
        if let transfer = self.transfer { offer.whenChanged { transfer.note($0) } }
    }

    /// Makes the task known to its session, as a step of making it.
    ///
    /// - Parameters:
    ///   - task: The public task.
    ///   - serializer: What makes its value of the response. Default: nothing does.
    func present(as task: any SessionTask, serializer: (any ResponseSerializer)? = nil) {
        call.present(as: task, serializer: serializer)
        session.made(task, call.kind)
    }

    /// Forgets the task, which nobody refers to any more. One that runs is referred to.
    func release() {
        session.released(call.identifier)
        transfer?.released()
        if ending.isAwaited { ending.end(.failure(call.releasedEarly())) }
    }

    /// The outcome of the work, which begins now unless the task was started before.
    ///
    /// - Parameters:
    ///   - work: The work of the task.
    ///   - cancel: Cancels the task: called when the Swift task that awaits is cancelled.
    /// - Returns: The outcome.
    func outcome(
        of work: () async throws(NetworkingError) -> Success,
        onCancel cancel: @Sendable () -> Void
    ) async -> Outcome {
        // Where there is no journal, the caller runs it without a frame for this.
        guard let transfer else {
            if call.markStarted() { return await run(work) }
            return await ending.outcome(onCancel: cancel)
        }
        let outcome = call.markStarted() ? await run(work) : await ending.outcome(onCancel: cancel)
        transfer.taken(outcome)
        return outcome
    }

    /// Calls the closure once, when the outcome is there; it has the outcome then.
    func whenComplete(_ body: @escaping @Sendable (Outcome) -> Void) {
        guard let transfer else { return ending.whenThere(body) }
        ending.whenThere { outcome in
            body(outcome)
            transfer.taken(outcome)
        }
    }

    func setPriority(_ priority: RequestPriority) {
        call.priority = priority
        transfer?.priorityChanged(to: priority)
    }

    /// Starts a new task, which does the work, or resumes a suspended one.
    func resume(_ work: @escaping @Sendable () async throws(NetworkingError) -> Success) {
        if !start(work) { call.resume() }
    }

    /// Starts a new task; false when it had started.
    @discardableResult
    func start(_ work: @escaping @Sendable () async throws(NetworkingError) -> Success) -> Bool {
        call.start { _ = await run(work) }
    }

    /// Cancels the task.
    ///
    /// - Returns: Whether it had not been started.
    @discardableResult
    func cancel() -> Bool {
        call.cancel()
        // No other code completes a task that never started.
        guard call.markUnstarted() else {
            transfer?.cancelled()
            return false
        }
        transfer?.forget()
        ending.end(.failure(call.failed(CancellationError(), nil)))
        transfer?.close()
        return true
    }

    private func run(_ work: () async throws(NetworkingError) -> Success) async -> Outcome {
        let outcome: Outcome
        do throws(NetworkingError) {
            outcome = .success(try await work())
        } catch {
            outcome = .failure(error)
        }
        await call.reported()
        ending.end(outcome)
        transfer?.close()
        return outcome
    }
}
