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
        /// It is one of the next session: this one does nothing more for it.
        case left
        /// The journal does not have it any more.
        case gone
    }

    private struct State {
        var record: Result<TransferRecord, NetworkingError>
        var stage = Stage.made

        /// Whether this session changes it.
        var isOurs: Bool { stage != .left && stage != .gone }
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
        let known = try state.withLock { $0.record }.get()
        let file: FileIdentity?
        do {
            file = try await BlockingThreads.files.run { try known.request.checkedFile() }
        } catch {
            throw NetworkingError.wrapping(error)
        }
        // A restored one may be noted already. It then goes on although the disk is full.
        if !known.isStarted || known.request.fileIdentity != file {
            let failure = await change { record in
                record.isStarted = true
                record.request.fileIdentity = file
            }
            if let failure {
                if isRestored { undoStart(known) } else { removeRecord() }
                throw failure
            }
        }
        state.withLock { if case .made = $0.stage { $0.stage = .started } }
    }

    /// Leaves a transfer whose start could not be noted to the next session, as it was.
    private func undoStart(_ known: TransferRecord) {
        changeLater { record in
            record.isStarted = known.isStarted
            record.request.fileIdentity = known.request.fileIdentity
        }
        leave()
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
    func willCommit(_ file: SystemFile, to target: PartialFile.Target, _ head: ResponseHead) async {
        _ = await change { record in
            guard let identity = FileIdentity(of: file.path) else { return }
            record.commit = TransferRecord.Commit(
                path: StoredRequest.absolute(target.path),
                isNumbered: target.options.contains(.uniqueName),
                identity: identity,
                head: StoredHead(head)
            )
        }
    }

    /// Notes what came of it, and returns when the disk has that.
    func finish(_ result: TransferResult) async {
        _ = await change { $0.result = result }
        state.withLock { if $0.isOurs { $0.stage = .finished } }
    }

    /// Notes that it failed. One that was cancelled is forgotten, and one whose session ended goes
    /// on in the next one.
    func fail(_ error: NetworkingError) async {
        switch error.code {
        case .cancelled: forget()
        case .sessionInvalidated: leave()
        default:
            // A new one that was not started is not in the journal, or must not be.
            let (isOurs, isNew) = state.withLock { ($0.isOurs, $0.stage == .made && !isRestored) }
            guard isOurs else { return }
            if isNew { removeRecord() } else { await finish(TransferResult(error)) }
        }
    }

    /// Forgets a transfer that was finished, because somebody has its result. Who was told only
    /// that the session ended has none.
    func taken(_ outcome: Result<some Sendable, NetworkingError>) {
        if case .failure(let error) = outcome, error.code == .sessionInvalidated { leave() }
        if state.withLock({ $0.stage == .finished }) { removeRecord() }
        session.release(identifier)
    }

    /// Forgets a transfer whatever its stage is, unless its session has ended: then it is one of
    /// the next session.
    func forget() {
        if session.hasEnded { leave() } else { removeRecord() }
        session.release(identifier)
    }

    /// Forgets a transfer whose task was cancelled when it was over: nobody wants its result. One
    /// that is under way notes its end itself.
    func cancelled() {
        if state.withLock({ $0.stage == .finished }) { forget() }
    }

    /// Notes that nobody has its task any more. A new one that was not started is forgotten, unless
    /// its session is ending. One of an earlier session is only given up with its session.
    func released() {
        guard state.withLock({ $0.stage == .made }) || isRestored else { return }
        if isRestored || session.isEnding { return leave() }
        forget()
        close()
    }

    /// Leaves it to the next session as it is.
    private func leave() {
        state.withLock { if $0.stage != .gone { $0.stage = .left } }
    }

    /// Notes another priority of the task.
    func priorityChanged(to priority: RequestPriority) {
        guard state.withLock({ $0.stage == .made || $0.stage == .started }) else { return }
        changeLater { $0.request.chosenPriority = priority }
    }

    /// Tells that its task is over, and those who waited for it have its result.
    func close() {
        session.closed(identifier, isLeft: isLeft)
    }

    // MARK: What is known

    /// Whether it is one of the next session, and so are its files.
    var isLeft: Bool { state.withLock { $0.stage == .left } }

    /// What came of it in an earlier process; nil when it has to go on. Blocks.
    ///
    /// - Throws: ``NetworkingError/Code/outputFailed`` when the disk does not take the name of its
    ///   file.
    func knownResult() throws(NetworkingError) -> TransferResult? {
        guard isRestored, let record = try? state.withLock({ $0.record }).get(),
            let result = record.result(identity: { FileIdentity(of: $0) })
        else { return nil }
        // The process may have ended before it did that.
        if record.result == nil, let file = result.file {
            do {
                try SystemFile.synchronizeFolder(of: file)
            } catch {
                throw FileOutput.failure(error, of: "The download")
            }
        }
        state.withLock { if $0.isOurs { $0.stage = .finished } }
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

    /// Changes the record, and returns when the disk has it, with the error if it has not. The
    /// closure may block; a record may be long, and is encoded there too.
    private func change(_ change: @escaping @Sendable (inout TransferRecord) -> Void) async -> NetworkingError? {
        await withCheckedContinuation { continuation in
            // Without a thread it is not written either, and the journal says so.
            BlockingThreads.files.submit { [self] _ in
                self.change(change) { continuation.resume(returning: $0) }
            }
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
            guard session.fault == nil, state.isOurs, case .success(var record) = state.record else {
                return .some(nil)
            }
            change(&record)
            state.record = .success(record)
            do throws(NetworkingError) {
                session.change(.store(try record.data), of: identifier, whenWritten: whenWritten)
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
            session.change(.remove, of: identifier)
        }
    }
}
