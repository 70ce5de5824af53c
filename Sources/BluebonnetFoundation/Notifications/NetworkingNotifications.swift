public import Foundation

/// The notifications that ``SessionManager/postNotifications(to:on:)`` posts, with AFNetworking's
/// names. The object is the task, and of the last one the session.
extension Notification.Name {
    /// A task was started, or resumed after a suspension.
    ///
    /// Counterpart of `AFNetworkingTaskDidResumeNotification`.
    public static let networkingTaskDidResume = Notification.Name("com.alamofire.networking.task.resume")
    /// A task was suspended.
    ///
    /// Counterpart of `AFNetworkingTaskDidSuspendNotification`.
    public static let networkingTaskDidSuspend = Notification.Name("com.alamofire.networking.task.suspend")
    /// A task is over. What came of it is in `userInfo`, under the keys of
    /// ``NetworkingUserInfoKey``.
    ///
    /// Counterpart of `AFNetworkingTaskDidCompleteNotification`.
    public static let networkingTaskDidComplete = Notification.Name("com.alamofire.networking.task.complete")
    /// The file of a download has its final name. Comes before ``networkingTaskDidComplete``.
    ///
    /// Counterpart of `AFURLSessionDownloadTaskDidMoveFileSuccessfullyNotification`.
    public static let downloadTaskDidMoveFile = Notification.Name(
        "com.alamofire.networking.session.download.file-manager-succeed"
    )
    /// The file of a download could not be written or not get its final name; `userInfo` is that of
    /// the error. Comes before ``networkingTaskDidComplete``.
    ///
    /// Counterpart of `AFURLSessionDownloadTaskDidFailToMoveFileNotification`.
    public static let downloadTaskDidFailToMoveFile = Notification.Name(
        "com.alamofire.networking.session.download.file-manager-error"
    )
    /// A session was invalidated. The object is nil when the session was released.
    ///
    /// Counterpart of `AFURLSessionDidInvalidateNotification`.
    public static let sessionDidInvalidate = Notification.Name("com.alamofire.networking.session.invalidate")
    /// The status of a ``Bluebonnet/NetworkReachabilityManager`` is another one; the object is the
    /// manager. Its ``Bluebonnet/NetworkReachabilityManager/postNotifications(to:on:)`` posts it.
    ///
    /// Counterpart of `AFNetworkingReachabilityDidChangeNotification`.
    public static let networkingReachabilityDidChange = Notification.Name(
        "com.alamofire.networking.reachability.change"
    )
}

/// The keys of the `userInfo` of ``Foundation/NSNotification/Name/networkingTaskDidComplete``, with
/// AFNetworking's names.
///
/// Counterpart of `AFNetworkingTaskDidCompleteErrorKey` and its siblings.
public enum NetworkingUserInfoKey {
    /// What makes the value of the response, a ``Bluebonnet/ResponseSerializer``; absent where
    /// ``Bluebonnet/SessionEvent/serializer`` is nil.
    public static let responseSerializer = "com.alamofire.networking.task.complete.responseserializer"
    /// The body of the response, `Data`; absent for downloads and streams.
    public static let responseData = "com.alamofire.networking.complete.finish.responsedata"
    /// The value that the response serializer made; of a download its file, and of a task that
    /// failed its body where that was parsed, ``Bluebonnet/NetworkingError/parsedBody``.
    public static let serializedResponse = "com.alamofire.networking.task.complete.serializedresponse"
    /// The file of a download, `URL`.
    public static let assetPath = "com.alamofire.networking.task.complete.assetpath"
    /// The error of a task that failed, `NSError` with the domains and codes of AFNetworking.
    public static let error = "com.alamofire.networking.task.complete.error"
    /// What happened for the task, ``Bluebonnet/TaskMetrics``; absent for one that never began.
    public static let sessionTaskMetrics = "com.alamofire.networking.complete.sessiontaskmetrics"
    /// The status of a manager, the `Int` ``Bluebonnet/NetworkReachabilityStatus/number``: in
    /// ``Foundation/NSNotification/Name/networkingReachabilityDidChange``.
    ///
    /// Counterpart of `AFNetworkingReachabilityNotificationStatusItem`.
    public static let reachabilityStatus = "AFNetworkingReachabilityNotificationStatusItem"
}
