import Bluebonnet
import BluebonnetFoundation
import Foundation
import Synchronization
import Testing

@Suite struct ReachabilityNotificationTests {
    @Test func `names and keys are those of AFNetworking`() {
        #expect(
            Notification.Name.networkingReachabilityDidChange.rawValue == "com.alamofire.networking.reachability.change"
        )
        #expect(NetworkingUserInfoKey.reachabilityStatus == "AFNetworkingReachabilityNotificationStatusItem")
    }

    #if os(Linux)
        @Test(.timeLimit(.minutes(1)))
        func `the first status is posted with its manager`() async throws {
            // The address is this machine on every network.
            let manager = try #require(NetworkReachabilityManager(address: "127.0.0.1"))
            let center = NotificationCenter()
            let (statuses, continuation) = AsyncStream.makeStream(of: Int.self)
            let observer = center.addObserver(forName: .networkingReachabilityDidChange, object: nil, queue: nil) {
                notification in
                guard notification.object as? NetworkReachabilityManager === manager else { return }
                continuation.yield(notification.userInfo?[NetworkingUserInfoKey.reachabilityStatus] as? Int ?? -9)
            }
            let posts = manager.postNotifications(to: center, on: DispatchQueue(label: "notifications"))
            manager.startMonitoring()
            let status = await statuses.first { _ in true }
            #expect(status == manager.status.number && status != -1)
            posts.stop()
            center.removeObserver(observer)
        }
    #endif
}
