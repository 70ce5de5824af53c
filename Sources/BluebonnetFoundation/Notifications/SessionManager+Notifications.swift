public import Bluebonnet
public import Dispatch
public import Foundation

extension SessionManager {
    /// Posts a notification for each event of the session from now on, until it ends.
    ///
    /// The names, objects and keys are those of AFNetworking: see
    /// ``Foundation/NSNotification/Name/networkingTaskDidComplete`` and its siblings. They come in
    /// the order of the events, and none is left out.
    ///
    /// - Parameters:
    ///   - center: The notification center. Default: the default one.
    ///   - queue: The serial queue on which they are posted. Default: the main queue. A program
    ///     that does not run the main queue needs another one.
    /// - Returns: What stops the posts.
    @discardableResult
    public func postNotifications(
        to center: NotificationCenter = .default,
        on queue: DispatchQueue = .main
    ) -> SessionNotifications {
        let events = events(keepingNewest: nil, withResults: true)
        let session = WeakSession(session: self)
        return SessionNotifications(
            Task {
                for await event in events {
                    // In the order of the events, and one after the other: the queue is serial.
                    queue.async { event.post(to: center, of: session.session) }
                }
            }
        )
    }
}

/// The posts of the notifications of a session, or of a reachability manager.
///
/// No counterpart: AFNetworking posts for ever.
public final class SessionNotifications: Sendable {
    private let task: Task<Void, Never>

    init(_ task: Task<Void, Never>) {
        self.task = task
    }

    /// Posts no notification for later events. Those that are on the queue already are still
    /// posted.
    public func stop() {
        task.cancel()
    }
}

private struct WeakSession: Sendable {
    weak let session: SessionManager?
}

extension SessionEvent {
    fileprivate func post(to center: NotificationCenter, of session: SessionManager?) {
        switch kind {
        case .didResume: center.post(name: .networkingTaskDidResume, object: task)
        case .didSuspend: center.post(name: .networkingTaskDidSuspend, object: task)
        case .didInvalidate: center.post(name: .sessionDidInvalidate, object: session)
        case .didComplete:
            if file != nil {
                center.post(name: .downloadTaskDidMoveFile, object: task)
            } else if let error, error.code == .outputFailed, task is DownloadTask {
                center.post(name: .downloadTaskDidFailToMoveFile, object: task, userInfo: (error as NSError).userInfo)
            }
            center.post(name: .networkingTaskDidComplete, object: task, userInfo: userInfo)
        default: break
        }
    }

    private var userInfo: [AnyHashable: Any] {
        var result: [AnyHashable: Any] = [:]
        result[NetworkingUserInfoKey.responseSerializer] = serializer
        result[NetworkingUserInfoKey.responseData] = body
        if let value { result[NetworkingUserInfoKey.serializedResponse] = value }
        result[NetworkingUserInfoKey.assetPath] = file
        if let error { result[NetworkingUserInfoKey.error] = error as NSError }
        if let metrics = task?.metrics { result[NetworkingUserInfoKey.sessionTaskMetrics] = metrics }
        return result
    }
}
