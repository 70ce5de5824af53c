/// The links, addresses and routes of a machine, and the paths that follow from them.
///
/// Routes are those of the main table, IPv4 and IPv6; where they lead nowhere, those of the tables
/// that rules have searched. The longest prefix wins, then the lowest metric. A route is of use
/// where one of its links is up and has a carrier, and for IPv6 where there is an address that can
/// be sent from.
struct NetworkState: Sendable {
    /// A range of addresses in a table.
    private struct Range: Sendable, Hashable {
        let table: UInt32
        let first: IPAddress
        let length: Int
    }

    /// A link, and what was found out about it when it was first seen.
    private struct KnownLink: Sendable {
        var link: NetworkLink
        var nature: LinkNature
    }

    private var links: [Int32: KnownLink] = [:]
    private var addresses: [Int32: [LinkAddress]] = [:]
    private var routes: [Range: [NetworkRoute]] = [:]
    /// In the order in which they are tried.
    private var rules: [NetworkRule] = []
    /// The tables whose routes are kept.
    private var tables: Set<UInt32> = [NetworkRoute.mainTable]
    private let nature: @Sendable (NetworkLink) -> LinkNature

    /// A state without links.
    ///
    /// - Parameter nature: Finds out about a link, once for each.
    init(nature: @escaping @Sendable (NetworkLink) -> LinkNature = { LinkNature($0, reading: .system) }) {
        self.nature = nature
    }

    // MARK: Changes

    /// Takes a message of the kernel.
    ///
    /// - Returns: Whether it may have removed more than it says. The kernel does not tell of each
    ///   route that goes away with a link, an address or another route: the state has to be read
    ///   again, soon.
    mutating func apply(_ message: NetlinkDatagram.Message) -> Bool {
        switch message {
        case .link(let link):
            let known = links[link.index]?.link
            if let known, known.name == link.name {
                links[link.index]?.link = link
            } else {
                links[link.index] = KnownLink(link: link, nature: nature(link))
            }
            if !link.isUp { removeRoutes(over: link.index) }
            // A VRF takes the routes of its links into its own table.
            return !link.isUsable || known.map { $0.master != link.master } ?? false
        case .linkRemoved(let index):
            links[index] = nil
            addresses[index] = nil
            removeRoutes(over: index)
            return true
        case .address(let address):
            addresses[address.index, default: []].removeAll { $0.address == address.address }
            addresses[address.index, default: []].append(address)
            return false
        case .addressRemoved(let address):
            addresses[address.index]?.removeAll { $0.address == address.address }
            removeRoutes(without: address)
            return true
        case .route(let route, let replaces):
            guard tables.contains(route.table) else { return false }
            let range = Range(table: route.table, first: route.destination, length: route.length)
            routes[range, default: []].removeAll {
                $0.isSame(as: route) || replaces && $0.metric == route.metric
            }
            routes[range, default: []].append(route)
            return replaces
        case .routeRemoved(let route):
            guard tables.contains(route.table) else { return false }
            let range = Range(table: route.table, first: route.destination, length: route.length)
            if let index = routes[range]?.firstIndex(where: { $0.isSame(as: route) }) {
                routes[range]?.remove(at: index)
                if routes[range]?.isEmpty == true { routes[range] = nil }
            }
            return true
        case .rule(let rule):
            let index = rules.firstIndex { $0.priority > rule.priority } ?? rules.count
            rules.insert(rule, at: index)
            // The routes of a further table were not kept.
            if rule.searches { tables.insert(rule.table) }
            return true
        case .othersChanged: return true
        }
    }

    private mutating func removeRoutes(over index: Int32) {
        for (range, old) in routes where old.contains(where: { $0.links.contains(index) }) {
            let left = old.compactMap { route in
                var route = route
                route.links.removeAll { $0 == index }
                return route.links.isEmpty && route.type == 1 && !route.isIndirect ? nil : route
            }
            routes[range] = left.isEmpty ? nil : left
        }
    }

    /// Removes what the kernel removes with an address of IPv4: the routes that are to be sent from
    /// it, and with the last address of a link all routes over it.
    private mutating func removeRoutes(without address: LinkAddress) {
        guard address.address.isIPv4 else { return }
        let isLast = addresses[address.index]?.contains { $0.address.isIPv4 } != true
        for (range, old) in routes where range.first.isIPv4 {
            let left = old.filter {
                $0.source != address.address && !(isLast && $0.links == [address.index])
            }
            if left.count < old.count { routes[range] = left.isEmpty ? nil : left }
        }
    }

    // MARK: Paths

    /// The path to an address, or with nil the one to all other networks: the default route.
    func path(to destination: IPAddress?) -> NetworkPath {
        guard let destination else { return defaultPath }
        if destination.isLoopback || isOwn(destination) { return loopbackPath }
        return path(to: destination, upTo: destination.bits)
    }

    /// Whether any other machine may be reached, by whatever route of the main table.
    var hasAnyPath: Bool { defaultPath.isReachable || hasRoute(over: isUsable) }

    private func hasRoute(over isWanted: (Int32) -> Bool) -> Bool {
        routes.contains { range, routes in
            isOfMachines(range)
                && routes.contains { $0.type == 1 && ($0.isIndirect || $0.links.contains(where: isWanted)) }
        }
    }

    /// The links over which another machine may be reached.
    var linksInUse: Set<Int32> {
        var found: Set<Int32> = []
        for (range, routes) in routes where isOfMachines(range) {
            for route in routes where route.type == 1 { found.formUnion(route.links) }
        }
        return found.filter(isUsable)
    }

    /// Each link of IPv6 has a route to itself (RFC 4291 §2.5.6), which leads to nobody that is
    /// known.
    private func isOfMachines(_ range: Range) -> Bool {
        range.table == NetworkRoute.mainTable && !range.first.isLinkLocal
    }

    /// Whether a path over some link would cost money.
    var hasExpensiveLink: Bool {
        links.values.contains { $0.nature.isExpensive && $0.link.isUsable }
    }

    private func isUsable(_ index: Int32) -> Bool {
        links[index].map { $0.link.isUsable && !$0.link.isLoopback } ?? false
    }

    /// Two halves in place of one default route are how tunnels win over it; of IPv6, the eighth of
    /// all addresses that are global (RFC 4291 §2.4) counts, too.
    private var defaultPath: NetworkPath {
        let path4 = path(to: IPAddress(isIPv4: true, high: 1 << 56, low: 0), upTo: 1)
        if path4.isReachable { return path4 }
        let path6 = path(to: IPAddress(isIPv4: false, high: 0x2000 << 48, low: 1), upTo: 3)
        return path6.isReachable || path4.status == .notReachable ? path6 : path4
    }

    private func isOwn(_ address: IPAddress) -> Bool {
        addresses.values.contains { $0.contains { $0.address == address.unscoped } }
    }

    private var loopbackPath: NetworkPath {
        guard let known = links.values.first(where: { $0.link.isLoopback && $0.link.isUp }) else { return .none }
        return NetworkPath(
            status: .reachableViaOther,
            interfaceName: known.link.name,
            interfaceKind: .loopback,
            localAddress: nil,
            isExpensive: false
        )
    }

    private func path(to destination: IPAddress, upTo longest: Int) -> NetworkPath {
        if let found = search(NetworkRoute.mainTable, for: destination, upTo: longest),
            found.path.status != .notReachable
        {
            return found.path
        }
        return pathByRules(to: destination, upTo: longest)
    }

    /// The path by the rules, for a destination to which the main table has none.
    ///
    /// A tunnel may have a route for all that goes nowhere: it counts where another link leads to
    /// somebody.
    private func pathByRules(to destination: IPAddress, upTo longest: Int) -> NetworkPath {
        var (isUnsure, first) = (false, UInt32(0))
        for rule in rules where rule.priority >= first {
            let match = rule.match(destination)
            guard match != .no else { continue }
            switch rule.action {
            case 1:
                guard let found = search(rule.table, for: destination, upTo: longest),
                    found.length > rule.suppressedLength
                else { continue }
                let counts =
                    found.path.interfaceKind != .other
                    || hasRoute { isUsable($0) && links[$0]?.nature.kind != .other }
                let path = counts ? found.path : .none
                if match == .yes { return path.status == .notReachable && isUnsure ? .unknown : path }
                isUnsure = isUnsure || path.status != .notReachable
            case 2: if match == .yes { first = max(first, rule.target) }
            case 6...8: if match == .yes { return isUnsure ? .unknown : .none }
            default: continue
            }
        }
        return isUnsure ? .unknown : .none
    }

    /// The path by the routes of a table, with the length of the range; nil where the search goes
    /// on elsewhere.
    private func search(
        _ table: UInt32,
        for destination: IPAddress,
        upTo longest: Int
    ) -> (path: NetworkPath, length: Int)? {
        for length in stride(from: longest, through: 0, by: -1) {
            let range = Range(table: table, first: destination.prefix(length), length: length)
            guard let routes = routes[range] else { continue }
            for route in routes.sorted(by: { $0.metric < $1.metric }) {
                switch route.type {
                case 1 where route.isIndirect: return (.unknown, length)
                case 1:
                    if let path = path(over: route, to: destination) { return (path, length) }
                // RTN_THROW
                case 9: return nil
                // RTN_BLACKHOLE, RTN_UNREACHABLE and RTN_PROHIBIT
                default: return (.none, length)
                }
            }
        }
        return nil
    }

    private func path(over route: NetworkRoute, to destination: IPAddress) -> NetworkPath? {
        for index in route.links {
            guard let known = links[index], known.link.isUsable else { continue }
            let source = route.source ?? source(on: index, for: destination)
            if !destination.isIPv4, source == nil { continue }
            return NetworkPath(
                status: known.nature.status,
                interfaceName: known.link.name,
                interfaceKind: known.nature.kind,
                localAddress: source?.description,
                isExpensive: known.nature.isExpensive
            )
        }
        return nil
    }

    /// An address from which a destination can be reached over a link: one of its own, or for IPv6
    /// one of any other link that is up (RFC 6724 §4, §5 rule 5), such as that of a router or a
    /// server which has its address on the loopback interface.
    private func source(on index: Int32, for destination: IPAddress) -> IPAddress? {
        if let own = source(among: addresses[index] ?? [], for: destination) { return own }
        guard !destination.isIPv4, !destination.isLinkLocal else { return nil }
        let others = addresses.filter { links[$0.key]?.link.isUp == true }.sorted { $0.key < $1.key }
        return source(among: others.flatMap(\.value), for: destination)
    }

    private func source(among addresses: [LinkAddress], for destination: IPAddress) -> IPAddress? {
        let usable = addresses.filter {
            $0.isUsable && $0.address.isIPv4 == destination.isIPv4 && !$0.address.isLoopback
                && (destination.isLinkLocal || !$0.address.isLinkLocal)
        }
        return (usable.first { !$0.isDeprecated } ?? usable.first)?.address
    }
}
