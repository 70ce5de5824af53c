/// What the pool has to know of a connection or an exchange.
protocol PoolMember {
    var id: ObjectIdentifier { get }
    /// The event loop it lives on or prefers.
    var loop: ObjectIdentifier? { get }
    /// An idle connection will not do: the last one turned out to be stale.
    var needsFreshConnection: Bool { get }
}
