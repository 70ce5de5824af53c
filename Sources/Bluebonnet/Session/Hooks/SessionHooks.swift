public import FoundationEssentials

/// Closures that a session calls while its tasks run: one for each thing that may be decided, or
/// that somebody may want to know. Set in ``SessionConfiguration/hooks``, all nil by default.
///
/// <!-- snippet: let movies = URL(filePath: "movies") -->
/// ```swift
/// var configuration = SessionConfiguration()
/// configuration.hooks.taskWillPerformRedirection = { task, head, request in
///     request.url.host() == "example.com" ? request : nil
/// }
/// configuration.hooks.dataTaskDidReceiveResponse = { task, head in
///     head.mediaType == "video/mp4" ? .becomeDownload(to: .folder(movies)) : .allow
/// }
/// ```
///
/// The hooks of one task are called in the order of what happens, one after the other, on no
/// particular thread, which they must not block. The task waits for each: a slow hook holds back
/// the reading of this response, and of no other. What ends a task also ends the wait for its hook,
/// whose Swift task is cancelled; one that goes on is left to itself after a second. A hook must
/// not await the result of its own task, which waits for the hook. The connection of the task is
/// not free meanwhile: a request that the hook itself sends to the same host needs another one
/// (``SessionConfiguration/maximumConnectionsPerHost``).
///
/// The order for a task: ``sessionDidCreateTask``; ``taskDidSendBodyData``, with
/// ``taskDidReceiveChallenge``, ``taskWillPerformRedirection`` and ``taskNeedsNewBody`` for each
/// hop, and ``taskWillRetry`` between attempts; then, for a data task or an upload,
/// ``dataTaskDidReceiveResponse`` and ``dataTaskDidReceiveData``, or for a download
/// ``downloadTaskDidResume``, ``downloadTaskDidWriteData`` and
/// ``downloadTaskDidFinishDownloading``; at last ``taskDidFinishCollectingMetrics`` and
/// ``taskDidComplete``.
///
/// For a transfer whose result an earlier process has left, no more than ``sessionDidCreateTask``
/// and the last two are called.
///
/// Those two are also called for a task that was stopped. They have a second then; after that their
/// Swift task is cancelled too. So have the hooks of the session, while
/// ``SessionManager/shutdown()`` waits for them.
///
/// A session keeps its hooks to its end: one that captures its ``SessionManager`` keeps that alive
/// for ever. A hook that is not set costs nothing.
///
/// Counterpart of the `set…Block:` methods of `AFURLSessionManager`, which are the methods of
/// `NSURLSessionDelegate` and its kin, and of Alamofire's `EventMonitor`.
public struct SessionHooks: Sendable {
    // MARK: The session

    /// Called once when the session has ended: after all of its tasks, and before
    /// ``SessionManager/shutdown()`` returns. The error is nil after
    /// ``SessionManager/invalidate(cancellingTasks:)`` and ``SessionManager/shutdown()``, and when
    /// the ``SessionManager`` was released; where that ended tasks that ran, it is the error that
    /// they failed with.
    ///
    /// It has any time, but where ``SessionManager/shutdown()`` waits for it: there, its Swift task
    /// is cancelled after a second, and after another one that returns without it.
    ///
    /// Counterpart of `setSessionDidBecomeInvalidBlock:`.
    public var sessionDidBecomeInvalid: (@Sendable (_ error: NetworkingError?) async -> Void)?

    /// Called when a server asks for a client certificate, once its own certificates are verified;
    /// decides what it is shown. ``ChallengeDisposition/use(_:)`` with a
    /// ``Credential/init(identity:)`` shows that, ``ChallengeDisposition/performDefaultHandling``
    /// what ``TLSSettings`` has for the host, and ``ChallengeDisposition/rejectProtectionSpace``
    /// none, as does a credential of another kind.
    ///
    /// It is asked for each new connection, which may serve several tasks: the session keeps no
    /// answer. The handshake waits meanwhile, within ``Timeouts/connect``; after that, or when the
    /// connection is not wanted any more, the Swift task of the hook is cancelled.
    ///
    /// Counterpart of `setSessionDidReceiveAuthenticationChallengeBlock:` for
    /// `NSURLAuthenticationMethodClientCertificate`.
    public var sessionDidReceiveChallenge:
        (@Sendable (_ challenge: ClientCertificateChallenge) async -> ChallengeDisposition)?

    /// Called when the last download or upload that the journal knows is over, each time there was
    /// one. The closures of ``ValueTask/whenComplete(_:)`` have returned by then; somebody who
    /// awaits a value may get it a moment later. Not called for what the end of the session stops.
    /// It has as much time as ``sessionDidBecomeInvalid``.
    ///
    /// Counterpart of `setDidFinishEventsForBackgroundURLSessionBlock:`.
    public var sessionDidFinishTransfers: (@Sendable () async -> Void)?

    // MARK: All tasks

    /// Called first for each task, when it begins. Nothing is sent before it returns. It is not
    /// called for a task that is never started, nor for one that a data task became, which
    /// ``dataTaskDidBecomeDownload`` or ``dataTaskDidBecomeStream`` hands out.
    ///
    /// Counterpart of `URLSession:didCreateTask:` of `NSURLSessionTaskDelegate`.
    public var sessionDidCreateTask: (@Sendable (_ task: any SessionTask) async -> Void)?

    /// Called before a redirect is followed, with the response that asks for it and the request
    /// that would be sent.
    ///
    /// It is asked about redirects that ``RedirectPolicy`` and ``Limits/redirects`` allow, and
    /// whose request is not refused. Fields that are secret are left out of the request already on
    /// the way to another origin. What it returns is sent as it is: nothing more is left out or
    /// checked, so that a hook that puts the new URL into the request of the task sends that one's
    /// secrets there. With nil the redirect is not followed, and its response is that of the task.
    /// The requests for further segments of a download ask it for the task, too.
    ///
    /// Counterpart of `setTaskWillPerformHTTPRedirectionBlock:`.
    public var taskWillPerformRedirection:
        (@Sendable (_ task: any SessionTask, _ response: ResponseHead, _ request: Request) async -> Request?)?

    /// Called before the wait after which a request is sent again by a ``RetryPolicy`` or a
    /// ``Retrier``, with the attempt that is repeated. The wait begins when it returns. Also before
    /// a WebSocket is opened again (``WebSocketReconnection``).
    ///
    /// Not called where the engine repeats a request by itself, on another connection.
    ///
    /// Counterpart of `requestIsRetrying(_:)` of Alamofire's `EventMonitor`.
    public var taskWillRetry: (@Sendable (_ task: any SessionTask, _ retry: TaskRetry) async -> Void)?

    /// Called when there is no network that the task may use, before it waits for one: see
    /// ``SessionConfiguration/waitsForConnectivity``. Called again where a later request of the
    /// task has to wait, too.
    ///
    /// Counterpart of `URLSession:taskIsWaitingForConnectivity:` of `NSURLSessionTaskDelegate`.
    public var taskIsWaitingForConnectivity: (@Sendable (_ task: any SessionTask) async -> Void)?

    /// Called when a server wants credentials (401), and neither the request nor the session has
    /// them: with the strongest challenge of the response, and then with the others, until one is
    /// not rejected.
    ///
    /// Tasks that meet the same protection space at the same time ask once, for one of them, and
    /// share the decision; a credential with ``Credential/Persistence/task`` is not shared. It is
    /// asked again when the server refuses the credential: see
    /// ``AuthenticationChallenge/previousFailureCount``. A request with a field `Authorization` of
    /// its own is not authenticated.
    ///
    /// Counterpart of `setAuthenticationChallengeHandler:`. The trust in a server is not decided
    /// here, and client certificates by ``sessionDidReceiveChallenge``.
    public var taskDidReceiveChallenge:
        (@Sendable (_ task: any SessionTask, _ challenge: AuthenticationChallenge) async -> ChallengeDisposition)?

    /// Called when a body that can be sent once has to be sent again
    /// (``RequestBody/isReplayable``): after a redirect with 307 or 308, on another connection, or
    /// by an interceptor that repeats a request with a ``RequestBody/stream(_:length:)``. With nil
    /// the task fails as without the hook.
    ///
    /// Counterpart of `setTaskNeedNewBodyStreamBlock:`.
    public var taskNeedsNewBody: (@Sendable (_ task: any SessionTask) async -> RequestBody?)?

    /// Called when bytes of the request body were handed to the socket: the number since the call
    /// before, the number in all, and how many there will be, nil where that is not known.
    ///
    /// What is sent while it runs counts together in its next call, and sending does not wait for
    /// it; but no other hook of the task is called before it has all bytes. A body that is sent
    /// again counts from zero. Where a data task became another one, what is sent after that is
    /// told of the new one, whose number in all goes on from there.
    ///
    /// Counterpart of `setTaskDidSendBodyDataBlock:`.
    public var taskDidSendBodyData:
        (
            @Sendable (
                _ task: any SessionTask, _ bytesSent: Int, _ totalBytesSent: Int, _ totalBytesExpectedToSend: Int?
            ) async -> Void
        )?

    /// Called once for each task that had begun, when it is over, before ``taskDidComplete``.
    ///
    /// Counterpart of `setTaskDidFinishCollectingMetricsBlock:`.
    public var taskDidFinishCollectingMetrics:
        (@Sendable (_ task: any SessionTask, _ metrics: TaskMetrics) async -> Void)?

    /// Called once for each task that had begun, as its last hook: with the error that it failed
    /// with, also one of its response serializer, or nil. Its caller has the result when this
    /// returns; who reads a stream does not wait for it.
    ///
    /// Counterpart of `setTaskDidCompleteBlock:`, which does not know errors of serializers.
    public var taskDidComplete: (@Sendable (_ task: any SessionTask, _ error: NetworkingError?) async -> Void)?

    // MARK: Data tasks and uploads

    /// Called when the head of the last hop's response is here, with what is to become of it. The
    /// body is not read before it returns. It is called for data tasks, for uploads and for calls
    /// without a task object, not for downloads and streams.
    ///
    /// Counterpart of `setDataTaskDidReceiveResponseBlock:`.
    public var dataTaskDidReceiveResponse:
        (@Sendable (_ dataTask: any SessionTask, _ response: ResponseHead) async -> ResponseDisposition)?

    /// Called when a data task became a download, with the download, which runs. It begins to read
    /// when this returns.
    ///
    /// Counterpart of `setDataTaskDidBecomeDownloadTaskBlock:`.
    public var dataTaskDidBecomeDownload:
        (@Sendable (_ dataTask: any SessionTask, _ downloadTask: DownloadTask) async -> Void)?

    /// Called when a data task became a stream, with the stream, which runs. Keep it, and read its
    /// body: a stream that nobody refers to is cancelled. It is open when this returns: await its
    /// ``StreamTask/value`` in a Swift task of your own.
    ///
    /// Counterpart of `URLSession:dataTask:didBecomeStreamTask:` of `NSURLSessionDataDelegate`.
    public var dataTaskDidBecomeStream:
        (@Sendable (_ dataTask: any SessionTask, _ streamTask: StreamTask) async -> Void)?

    /// Called with each piece of the body of a data task or an upload, in order, its content coding
    /// undone, never empty; a body that came whole is one piece. The task goes on collecting the
    /// body. Nothing more is read before it returns.
    ///
    /// Counterpart of `setDataTaskDidReceiveDataBlock:`.
    public var dataTaskDidReceiveData: (@Sendable (_ dataTask: any SessionTask, _ data: Data) async -> Void)?

    /// Called before the response to a data task or an upload is stored in the
    /// ``SessionConfiguration/cache``, with its head as it would be stored: without the fields of
    /// the connection. What it returns is stored, with nil nothing is. The task gets the response
    /// as the server sent it.
    ///
    /// It is asked about responses that may be stored by the rules of HTTP, not about others, and
    /// not when a stored response is used or confirmed. The body has not been read yet, and is
    /// stored as it comes.
    ///
    /// Counterpart of `setDataTaskWillCacheResponseBlock:`, which has the body too, and of
    /// `CachedResponseHandler` in Alamofire.
    public var dataTaskWillCacheResponse:
        (@Sendable (_ dataTask: any SessionTask, _ proposed: ResponseHead) async -> ResponseHead?)?

    // MARK: Downloads

    /// Called when all bytes of a download are in its partial file, with that file, before it is
    /// moved to its destination. What it returns is the destination, in place of that of the task:
    /// a `URL`, a ``DownloadTarget``, or another ``DownloadDestination``. With nil the download
    /// goes where its task says. It must not move the file itself.
    ///
    /// It is not called for a download that goes to a pipe or a device.
    ///
    /// Counterpart of `setDownloadTaskDidFinishDownloadingBlock:`.
    public var downloadTaskDidFinishDownloading:
        (@Sendable (_ downloadTask: DownloadTask, _ location: URL) async -> (any DownloadDestination)?)?

    /// Called when bytes of a download were written: their number, the number of bytes in the file,
    /// and how many there will be, nil where that is not known. Nothing more is read before it
    /// returns.
    ///
    /// Counterpart of `setDownloadTaskDidWriteDataBlock:`.
    public var downloadTaskDidWriteData:
        (
            @Sendable (
                _ downloadTask: DownloadTask, _ bytesWritten: Int, _ totalBytesWritten: Int,
                _ totalBytesExpectedToWrite: Int?
            ) async -> Void
        )?

    /// Called when the server continues a download, before its bytes are written: the number of
    /// bytes that are there already, and the number in all, nil where that is not known. It is not
    /// called where the server sends the whole again.
    ///
    /// Counterpart of `setDownloadTaskDidResumeBlock:`.
    public var downloadTaskDidResume:
        (@Sendable (_ downloadTask: DownloadTask, _ fileOffset: Int, _ expectedTotalBytes: Int?) async -> Void)?

    /// Makes hooks of which none is set.
    public init() {}

    /// Whether none is set.
    var isEmpty: Bool {
        let ofTasks =
            sessionDidCreateTask == nil && taskWillPerformRedirection == nil && taskDidReceiveChallenge == nil
            && taskWillRetry == nil && taskIsWaitingForConnectivity == nil && taskNeedsNewBody == nil
            && taskDidSendBodyData == nil
            && taskDidFinishCollectingMetrics == nil
            && taskDidComplete == nil
        let ofDataTasks =
            dataTaskDidReceiveResponse == nil && dataTaskDidBecomeDownload == nil && dataTaskDidBecomeStream == nil
            && dataTaskDidReceiveData == nil && dataTaskWillCacheResponse == nil
        let ofDownloads =
            downloadTaskDidFinishDownloading == nil && downloadTaskDidWriteData == nil && downloadTaskDidResume == nil
        let ofSession =
            sessionDidBecomeInvalid == nil && sessionDidReceiveChallenge == nil && sessionDidFinishTransfers == nil
        return ofSession && ofTasks && ofDataTasks && ofDownloads
    }
}

extension SessionHooks: CallHooks {}

extension SessionConfiguration {
    /// Closures that are called while the tasks of the session run. Default: none.
    public var hooks: SessionHooks {
        get { callHooks as? SessionHooks ?? SessionHooks() }
        set { callHooks = newValue.isEmpty ? nil : newValue }
    }
}

/// What becomes of the response of a data task, as
/// ``SessionHooks/dataTaskDidReceiveResponse`` decides. A struct, so that a new one does not break
/// a `switch`.
///
/// Counterpart of `NSURLSessionResponseDisposition`.
public struct ResponseDisposition: Sendable {
    enum Kind: Sendable {
        case allow
        case cancel
        case becomeDownload(any DownloadDestination)
        case becomeStream
    }

    let kind: Kind

    /// The task goes on.
    public static let allow = ResponseDisposition(kind: .allow)

    /// The task fails with ``NetworkingError/Code/cancelled``, and the body is not read.
    public static let cancel = ResponseDisposition(kind: .cancel)

    /// A new download takes the response, and writes its body to a file.
    ///
    /// The data task fails with ``NetworkingError/Code/becameDownload`` when
    /// ``SessionHooks/dataTaskDidBecomeDownload`` has returned, and no other hook is called for it.
    /// The download is suspended where it was, and a session that completes its tasks before it
    /// ends completes the download too.
    /// The download runs by itself; it has the deadline of the data task, its counts and its
    /// metrics. No second request is sent, and no rule refuses the response. It is not in a
    /// ``SessionConfiguration/transferJournal``.
    ///
    /// - Parameter destination: The file, or what decides it.
    /// - Returns: The disposition.
    public static func becomeDownload(to destination: some DownloadDestination) -> ResponseDisposition {
        ResponseDisposition(kind: .becomeDownload(destination))
    }

    /// A new stream takes the response, for ``SessionHooks/dataTaskDidBecomeStream`` to read.
    ///
    /// The data task fails with ``NetworkingError/Code/becameStream`` when that hook has returned,
    /// and no other hook is called for it. The stream is suspended where it was, and a session that
    /// completes its tasks before it ends completes the stream too. It has the deadline of the data
    /// task, its counts and its metrics. No second request is sent, and no rule refuses the
    /// response.
    public static let becomeStream = ResponseDisposition(kind: .becomeStream)
}
