import FoundationEssentials
import Synchronization

/// One transfer of a session with a journal, and the steps that the journal notes: made, started,
/// its file about to get its name, over. Only after a step is on the disk what follows from it
/// happens; so after a crash at any moment the record says no more than what is true.
///
/// A start that cannot be noted is an error. A later step that cannot be noted is none: after a
/// crash the transfer goes on from an earlier one.
final class JournaledTransfer: Sendable {
    private enum Stage {
        case made, started
        /// Its result is in the journal until somebody has taken it.
        case finished
        /// The journal does not have it any more.
        case gone
    }

    private struct State {
        var record: Result<TransferRecord, NetworkingError>
        var stage = Stage.made
    }

    let identifier: Int
    /// Whether it is of an earlier session.
    let isRestored: Bool
    private let session: SessionTransfers
    private let state: Mutex<State>

    /// Notes a transfer that is new.
    ///
    /// - Parameters:
    ///   - identifier: The identifier of the task.
    ///   - record: What to note, or why it cannot be stored.
    ///   - session: The transfers of its session.
    init(_ identifier: Int, _ record: Result<TransferRecord, NetworkingError>, in session: SessionTransfers) {
        self.identifier = identifier
        self.session = session
        isRestored = false
        state = Mutex(State(record: record))
        changeLater { _ in }
        session.opened(identifier)
    }

    /// Takes up a transfer of an earlier session.
    init(restoring identifier: Int, _ record: TransferRecord, in session: SessionTransfers) {
        self.identifier = identifier
        self.session = session
        isRestored = true
        let stage: Stage = record.result != nil ? .finished : record.isStarted ? .started : .made
        state = Mutex(State(record: .success(record), stage: stage))
    }

    // MARK: Steps

    /// Notes that the task was started, and returns when the disk has that.
    ///
    /// - Throws: ``NetworkingError/Code/storeFailed``, ``NetworkingError/Code/storeInUse``,
    ///   ``NetworkingError/Code/invalidRequest`` for what cannot be stored, and
    ///   ``NetworkingError/Code/requestBodyFailed`` for a file that has changed meanwhile.
    func start() async throws(NetworkingError) {
        session.started(identifier)
        if let fault = session.fault { throw fault }
        var request = try state.withLock { $0.record }.get().request
        do {
            request = try await BlockingThreads.files.run { [request] in
                var request = request
                try request.checkFile()
                return request
            }
        } catch {
            throw NetworkingError.wrapping(error)
        }
        let failure = await change { [request] record in
            record.isStarted = true
            record.request = request
        }
        if let failure {
            removeRecord()
            throw failure
        }
        state.withLock { if case .made = $0.stage { $0.stage = .started } }
    }

    /// Notes the partial file, unless the next process can foresee it.
    func note(_ partial: PartialFile) {
        let path = StoredRequest.absolute(partial.file.path)
        guard state.withLock({ try? $0.record.get().knownPartialFile }) != path else { return }
        changeLater { $0.partialFile = path }
    }

    /// Notes the upload resource; nil when there is none any more.
    func note(_ resource: UploadResumeData?) {
        guard state.withLock({ try? $0.record.get().upload }) != resource else { return }
        changeLater { $0.upload = resource }
    }

    /// Notes that a file is complete and about to get its name, and returns when the disk has that.
    func willCommit(_ partial: PartialFile, to target: PartialFile.Target, _ head: ResponseHead) async {
        guard let identity = FileIdentity(of: partial.file.path) else { return }
        let commit = TransferRecord.Commit(
            path: StoredRequest.absolute(target.path),
            isNumbered: target.options.contains(.uniqueName),
            identity: identity,
            head: StoredHead(head)
        )
        _ = await change { $0.commit = commit }
    }

    /// Notes what came of it, and returns when the disk has that.
    func finish(_ result: TransferResult) async {
        _ = await change { $0.result = result }
        state.withLock { if $0.stage != .gone { $0.stage = .finished } }
    }

    /// Notes that it failed. One that was cancelled is forgotten, and one whose session ended goes
    /// on in the next one.
    func fail(_ error: NetworkingError) async {
        switch error.code {
        case .cancelled: forget()
        case .sessionInvalidated: break
        default:
            // Without a start the journal does not have it, or must not.
            if state.withLock({ $0.stage == .started }) {
                await finish(TransferResult(error))
            } else {
                removeRecord()
            }
        }
    }

    /// Forgets a transfer that was finished, because somebody has its result.
    func taken() {
        guard state.withLock({ $0.stage == .finished }) else { return }
        removeRecord()
        session.release(identifier)
    }

    /// Forgets a transfer whatever its stage is, unless its session has ended: then it is one of
    /// the next session.
    func forget() {
        guard !session.hasEnded else { return }
        removeRecord()
        session.release(identifier)
    }

    /// Forgets a transfer that nobody can start any more. One of an earlier session is only given
    /// up with its session, and the next one gets it.
    func released() {
        guard !isRestored, state.withLock({ $0.stage == .made }) else { return }
        forget()
        close()
    }

    /// Notes another priority of the task.
    func priorityChanged(to priority: RequestPriority) {
        guard state.withLock({ $0.stage == .made || $0.stage == .started }) else { return }
        changeLater { $0.request.chosenPriority = priority }
    }

    /// Tells that its task is over, and those who waited for it have its result.
    func close() {
        session.closed(identifier)
    }

    // MARK: What is known

    /// What came of it in an earlier process; nil when it has to go on. Blocks.
    func knownResult() -> TransferResult? {
        guard isRestored, let record = try? state.withLock({ $0.record }).get(),
            let result = record.result(identity: { FileIdentity(of: $0) })
        else { return nil }
        state.withLock { if $0.stage != .gone { $0.stage = .finished } }
        return result
    }

    /// What continues a download of an earlier process; nil when there is nothing. Blocks.
    func resumeData(for url: URL) -> ResumeData? {
        guard isRestored, let path = try? state.withLock({ $0.record }).get().knownPartialFile else { return nil }
        return ResumeData(partialFile: path, from: url)
    }

    /// The upload resource of an earlier process; nil where there is none.
    var uploadResumeData: UploadResumeData? {
        isRestored ? state.withLock { try? $0.record.get().upload } : nil
    }

    // MARK: The journal

    /// Changes the record, and returns when the disk has it, with the error if it has not.
    private func change(_ change: @Sendable (inout TransferRecord) -> Void) async -> NetworkingError? {
        await withCheckedContinuation { continuation in
            self.change(change) { continuation.resume(returning: $0) }
        }
    }

    private func changeLater(_ change: (inout TransferRecord) -> Void) {
        self.change(change) { _ in }
    }

    private func change(
        _ change: (inout TransferRecord) -> Void,
        whenWritten: @escaping @Sendable (NetworkingError?) -> Void
    ) {
        // Under the lock, so that changes come to the journal in their order.
        let failure = state.withLock { state -> NetworkingError?? in
            guard session.fault == nil, state.stage != .gone, case .success(var record) = state.record else {
                return .some(nil)
            }
            change(&record)
            state.record = .success(record)
            do throws(NetworkingError) {
                session.journal.change(.store(try record.data), of: identifier, whenWritten: whenWritten)
                return nil
            } catch {
                return error
            }
        }
        if let failure { whenWritten(failure) }
    }

    private func removeRecord() {
        state.withLock { state in
            guard state.stage != .gone else { return }
            state.stage = .gone
            if session.fault == nil { session.journal.change(.remove, of: identifier) }
        }
    }
}
