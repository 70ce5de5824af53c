extension HTTP2Connection {
    /// What the server allows (RFC 9113 §6.5.2).
    struct PeerSettings: Equatable {
        /// The streams at once. Nil: no limit. Before its settings came, the least that §6.5.2
        /// recommends to servers.
        var concurrentStreams: Int? = 100
        var initialWindow = 65_535
        /// RFC 8441: whether CONNECT may name a protocol.
        var allowsConnectProtocol = false
    }

    /// The decisions of one HTTP/2 connection, without I/O: its streams, its capacity, and its end.
    struct StateMachine {
        private(set) var peer = PeerSettings()
        private(set) var hasSettings = false
        private var nextStream = 1
        /// Whether no further stream begins.
        private(set) var isDoomed = false
        /// The end that the server has announced (§6.8).
        private(set) var goneAway: HTTP2Code?
        private var hasLeftPool = false
        /// Whether the connection has served at least one response completely.
        private(set) var hasServed = false

        /// The largest number of a stream (§5.1.1).
        private static let lastStream = 0x7FFF_FFFF

        /// The number of exchanges that the connection can carry at once.
        var capacity: Int { peer.concurrentStreams ?? .max }

        /// Whether another stream may begin.
        var mayBegin: Bool { !isDoomed && nextStream <= Self.lastStream }

        /// Begins a stream, with the number that it gets; numbers are used once (§5.1.1).
        mutating func begin() -> Int? {
            guard mayBegin else { return nil }
            defer { nextStream += 2 }
            return nextStream
        }

        /// Whether the numbers of streams are used up, so that the connection must be left.
        var isUsedUp: Bool { nextStream > Self.lastStream }

        /// New settings came. Returns how much larger the send window of each stream is (§6.9.2).
        mutating func apply(_ change: (inout PeerSettings) -> Void) -> Int {
            // §6.5.2: without the setting, there is no limit.
            if !hasSettings { peer.concurrentStreams = nil }
            hasSettings = true
            let before = peer.initialWindow
            change(&peer)
            return peer.initialWindow - before
        }

        /// The server ends the connection (§6.8).
        mutating func goAway(_ code: HTTP2Code) {
            goneAway = code
            isDoomed = true
        }

        mutating func doom() {
            isDoomed = true
        }

        mutating func served() {
            hasServed = true
        }

        /// Returns whether the pool is to be told that the connection leaves it: once.
        mutating func leavePool() -> Bool {
            defer { hasLeftPool = true }
            return !hasLeftPool
        }
    }
}
