/// Transfers that outlive the process, in a session with a
/// ``SessionConfiguration/transferJournal``.
extension SessionManager {
    /// The downloads and uploads of an earlier session with the same journal, which ended before
    /// somebody had their results: because the process was ended, however, or the session.
    ///
    /// Each is a ``DownloadTask`` or an ``UploadTask`` of `Data`, with the identifier, the request,
    /// the destination and the priority that it had. It waits for ``SessionTask/resume()``, or for
    /// somebody who awaits its value, unless ``SessionConfiguration/resumesTransfers`` began it.
    /// ``SessionTask/cancel()`` forgets it, also when it is over. A download goes on where it was;
    /// so does an upload to a server with ``ResumableUploads``, and another one is sent from its
    /// beginning. One that was over, and whose result nobody took, ends at once with that result.
    /// The value of an upload is the body of its response as it is: nothing is validated, and a
    /// response of any status is returned, because serializers are code.
    ///
    /// The session keeps each until its result is taken: awaited, or given to a closure of
    /// ``ValueTask/whenComplete(_:)``. Empty for a session without a journal.
    ///
    /// Counterpart of the tasks that a background session of NSURLSession has when it is made again
    /// (`getTasksWithCompletionHandler:`).
    public var restoredTasks: [any SessionTask] { core.transfers?.restored ?? [] }

    /// The number of stored transfers that this version of the library cannot read: a newer one has
    /// written them, or their data is damaged. They stay in the store, and are not among
    /// ``restoredTasks``. 0 for a session without a journal.
    public var unreadableTransfers: Int { core.transfers?.unreadable ?? 0 }

    /// Returns when no download and no upload is left that the journal knows, with results or
    /// errors; also those that are suspended count. Returns at once for a session without a
    /// journal, and for one that has ended.
    ///
    /// The closures of ``ValueTask/whenComplete(_:)`` have returned by then. Somebody who awaits a
    /// value may get it a moment later, and has taken it then: wait for that too before the program
    /// ends.
    ///
    /// ``SessionHooks/sessionDidFinishTransfers`` is the same as a closure.
    public func finishTransfers() async {
        guard let transfers = core.transfers else { return }
        await withCheckedContinuation { continuation in
            transfers.whenClosed { continuation.resume() }
        }
    }

    /// Returns when the disk has all that happened so far: the tasks that were made, and that
    /// results were taken. Without it, that takes a few milliseconds more: a process that ends
    /// within them has not stored its newest tasks, or gives some results again. ``shutdown()``
    /// waits too.
    public func synchronizeTransfers() async {
        await core.transfers?.journal.synchronize()
    }
}
