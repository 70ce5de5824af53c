/// The destination whose reachability is wanted, and the decision about it.
enum ReachabilityTarget: Sendable, Hashable {
    /// The networks beyond this machine: the default route.
    case anywhere
    /// One of these addresses.
    case addresses([IPAddress])
    /// A host whose addresses are not known yet, or were not found.
    case unresolved

    /// The path, which is unknown where it cannot be told.
    ///
    /// A host is not reachable where none of its addresses is, and that is known of each of them.
    /// One without known addresses is not where there is no path to any other machine; otherwise
    /// nothing is known of it: that a name is not found says nothing of the network.
    func path(in state: NetworkState) -> NetworkPath {
        switch self {
        case .anywhere: return state.path(to: nil)
        case .addresses(let addresses):
            var isKnown = true
            for address in addresses {
                let path = state.path(to: address)
                if path.isReachable { return path }
                if path.status == .unknown { isKnown = false }
            }
            return isKnown ? .none : .unknown
        case .unresolved: return state.mayHavePath ? .unknown : .none
        }
    }
}
