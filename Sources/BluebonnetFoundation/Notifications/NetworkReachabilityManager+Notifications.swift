public import Bluebonnet
public import Dispatch
public import Foundation

extension NetworkReachabilityManager {
    /// Posts a notification for each status from now on, beginning with the present one where it is
    /// known. It does not start the manager:
    /// ``Bluebonnet/NetworkReachabilityManager/startMonitoring()`` does.
    ///
    /// The name is ``Foundation/NSNotification/Name/networkingReachabilityDidChange``, the object
    /// is the manager, and `userInfo` has the number of AFNetworking's status under
    /// ``NetworkingUserInfoKey/reachabilityStatus``. They come in the order of the statuses; equal
    /// ones are not repeated.
    ///
    /// - Parameters:
    ///   - center: The notification center. Default: the default one.
    ///   - queue: The serial queue on which they are posted. Default: the main queue. A program
    ///     that does not run the main queue needs another one.
    /// - Returns: What stops the posts. The manager is kept until then.
    @discardableResult
    public func postNotifications(
        to center: NotificationCenter = .default,
        on queue: DispatchQueue = .main
    ) -> SessionNotifications {
        let statuses = statuses
        return SessionNotifications(
            Task {
                for await status in statuses {
                    queue.async {
                        center.post(
                            name: .networkingReachabilityDidChange,
                            object: self,
                            userInfo: [NetworkingUserInfoKey.reachabilityStatus: status.number]
                        )
                    }
                }
            }
        )
    }
}
