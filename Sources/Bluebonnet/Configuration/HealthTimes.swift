import NIOCore

/// The times after which a connection of HTTP/2 is tested, and one of its tunnels is reset, which
/// tests replace.
struct HealthTimes: Sendable {
    /// The time without a byte after which a connection that is used again is tested.
    var pause = TimeAmount.seconds(10)
    /// The time without a byte after which a connection with streams is tested.
    var silence = TimeAmount.seconds(20)
    /// The time within which a PING that was sent must be acknowledged.
    var patience = TimeAmount.seconds(10)
    /// The time within which the peer should end its side of a tunnel that this side has closed.
    var lingering = TimeAmount.seconds(2)
}
