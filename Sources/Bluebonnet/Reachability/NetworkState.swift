/// The links, addresses and routes of a machine, and the paths that follow from them.
///
/// Routes are those of the main table, IPv4 and IPv6, unless a rule refuses before it is searched;
/// where they lead nowhere, those of the tables that rules have searched. The longest prefix wins,
/// then the lowest metric. A route is of use
/// where one of its links is up and has a carrier, and for IPv6 where there is an address that can
/// be sent from.
struct NetworkState: Sendable {
    /// A link, and what was found out about it when it was first seen.
    private struct KnownLink: Sendable {
        var link: NetworkLink
        var nature: LinkNature
    }

    private var links: [Int32: KnownLink] = [:]
    private var addresses: [Int32: [LinkAddress]] = [:]
    private var routes = RouteTables()
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
            routes.change(route.range) { ways in
                ways.removeAll { $0.isSame(as: route.way) || replaces && $0.metric == route.way.metric }
                ways.append(route.way)
            }
            return replaces
        case .routeRemoved(let route):
            guard tables.contains(route.table) else { return false }
            routes.change(route.range) { ways in
                if let index = ways.firstIndex(where: { $0.isSame(as: route.way) }) { ways.remove(at: index) }
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
        routes.changeAll { ways in
            guard ways.contains(where: { $0.links.contains(index) }) else { return }
            ways = ways.compactMap { way in
                var way = way
                way.links.removeAll { $0 == index }
                return way.links.isEmpty && way.type == 1 && !way.isIndirect ? nil : way
            }
        }
    }

    /// Removes what the kernel removes with an address of IPv4: the routes that are to be sent from
    /// it, and with the last address of a link all routes over it.
    private mutating func removeRoutes(without address: LinkAddress) {
        guard address.address.isIPv4 else { return }
        let isLast = addresses[address.index]?.contains { $0.address.isIPv4 } != true
        routes.changeAll(ofIPv4Only: true) { ways in
            ways.removeAll { $0.source == address.address || isLast && $0.links == [address.index] }
        }
    }

    // MARK: Paths

    /// The path to an address, or with nil the one to all other networks: the default route.
    func path(to destination: IPAddress?) -> NetworkPath {
        guard let destination else { return defaultPath }
        if destination.isLoopback || isOwn(destination) { return loopbackPath }
        return path(to: destination, upTo: destination.bits)
    }

    /// Whether any other machine may be reached, by whatever route; also where that is not known.
    var mayHavePath: Bool { defaultPath.status != .notReachable || hasRoute(over: isUsable) }

    private func hasRoute(over isWanted: (Int32) -> Bool) -> Bool {
        routes.hasWay { $0.type == 1 && ($0.isIndirect || $0.links.contains(where: isWanted)) }
    }

    /// The links over which another machine may be reached.
    var linksInUse: Set<Int32> { routes.links.filter(isUsable) }

    /// Whether a path may be over a link of some nature.
    func hasLink(where isWanted: (LinkNature) -> Bool) -> Bool {
        links.values.contains { $0.link.isUsable && isWanted($0.nature) }
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
        if isRefusedByRule(destination, upTo: longest) { return .none }
        if let found = search(NetworkRoute.mainTable, for: destination, upTo: longest),
            found.path.status != .notReachable
        {
            return found.path
        }
        return pathByRules(to: destination, upTo: longest)
    }

    /// Whether a rule refuses a destination before any other has found a route for it: by itself,
    /// or by a route in its table that refuses.
    private func isRefusedByRule(_ destination: IPAddress, upTo longest: Int) -> Bool {
        let isRefused = firstByRules(for: destination, upTo: longest) { path, isSure in
            let refuses = path.status == .notReachable
            return isSure || !refuses ? refuses : nil
        }
        return isRefused ?? false
    }

    /// The path by the rules, for a destination to which the main table has none.
    ///
    /// A tunnel may have a route for all that goes nowhere: it counts where another link leads to
    /// somebody.
    private func pathByRules(to destination: IPAddress, upTo longest: Int) -> NetworkPath {
        var isUnsure = false
        let found = firstByRules(for: destination, upTo: longest) { path, isSure -> NetworkPath? in
            let counts =
                path.interfaceKind != .other || hasRoute { isUsable($0) && links[$0]?.nature.kind != .other }
            let path = counts ? path : .none
            if isSure { return path.status == .notReachable && isUnsure ? .unknown : path }
            isUnsure = isUnsure || path.status != .notReachable
            return nil
        }
        return found ?? (isUnsure ? .unknown : .none)
    }

    /// The first value that the body makes of what the rules find for a destination, in their
    /// order; nil where there is none. The body gets a path, which for a rule that refuses is none,
    /// and whether the rule is surely for the destination.
    private func firstByRules<Value>(
        for destination: IPAddress,
        upTo longest: Int,
        _ body: (_ path: NetworkPath, _ isSure: Bool) -> Value?
    ) -> Value? {
        var first = UInt32(0)
        for rule in rules where rule.priority >= first {
            let match = rule.match(destination, upTo: longest)
            guard match != .no else { continue }
            switch rule.action {
            case 1:
                guard let found = search(rule.table, for: destination, upTo: longest),
                    found.length > rule.suppressedLength
                else { continue }
                if let value = body(found.path, match == .yes) { return value }
            case 2: if match == .yes { first = max(first, rule.target) }
            case 6...8: if let value = body(.none, match == .yes) { return value }
            default: continue
            }
        }
        return nil
    }

    /// The path by the routes of a table, with the length of the range; nil where the search goes
    /// on elsewhere.
    private func search(
        _ table: UInt32,
        for destination: IPAddress,
        upTo longest: Int
    ) -> (path: NetworkPath, length: Int)? {
        for length in stride(from: longest, through: 0, by: -1) {
            let range = RouteTables.Range(table: table, first: destination.prefix(length), length: length)
            for way in routes.ways(range) {
                switch way.type {
                case 1 where way.isIndirect: return (.unknown, length)
                case 1:
                    if let path = path(over: way, to: destination) { return (path, length) }
                // RTN_THROW
                case 9: return nil
                // RTN_BLACKHOLE, RTN_UNREACHABLE and RTN_PROHIBIT
                default: return (.none, length)
                }
            }
        }
        return nil
    }

    private func path(over way: NetworkRoute.Way, to destination: IPAddress) -> NetworkPath? {
        for index in way.links {
            guard let known = links[index], known.link.isUsable else { continue }
            let source = way.source ?? source(on: index, for: destination)
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
