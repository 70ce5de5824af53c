import Foundation

@testable import Bluebonnet

/// Datagrams of the kernel about links, addresses and routes.
extension FuzzTarget {
    /// A datagram is read in full or said to be incomplete, gives no more messages than its bytes
    /// have room for, and each message can be applied. The same bytes behind others, where all
    /// numbers are at odd places, are the same messages.
    static func netlink(_ input: [UInt8]) throws(Violation) -> String {
        let datagram = NetlinkDatagram(input[...])
        guard datagram.messages.count <= input.count / 16 else {
            throw Violation(description: "\(datagram.messages.count) messages in \(input.count) bytes")
        }
        let shifted = NetlinkDatagram(([0] + input)[1...])
        guard shifted == datagram else { throw Violation(description: "\(shifted) is not \(datagram)") }
        var state = NetworkState(nature: { _ in LinkNature(kind: .ethernet) })
        var unsure = 0
        for message in datagram.messages {
            if state.apply(message) { unsure += 1 }
            if case .route(let route, _) = message, !(0...route.destination.bits).contains(route.length) {
                throw Violation(description: "the length \(route.length)")
            }
        }
        let path = state.path(to: nil)
        let other = state.path(to: IPAddress("2001:db8::1"))
        if path.status != .notReachable, !state.mayHavePath { throw Violation(description: "a path, and none at all") }
        return "\(bucket(datagram.messages.count)) \(unsure > 0) \(datagram.isEnd) \(datagram.isIncomplete) "
            + "\(datagram.failure == nil) \(path.isReachable) \(other.isReachable) \(path.localAddress == nil)"
    }
}
