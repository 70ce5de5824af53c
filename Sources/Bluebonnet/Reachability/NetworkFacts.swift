/// An interface, as the kernel tells of it.
struct NetworkLink: Sendable, Hashable {
    var index: Int32
    var name: String
    /// Its kind for ARP (ARPHRD_…), such as 1 for Ethernet and 772 for the loopback interface.
    var hardwareType: UInt16
    /// Its flags (IFF_…).
    var flags: UInt32
    /// The index of the bridge, bond or VRF that it is a part of; 0 for none.
    var master: Int32 = 0

    init(index: Int32, name: String, hardwareType: UInt16, flags: UInt32, master: Int32 = 0) {
        (self.index, self.name, self.hardwareType, self.flags) = (index, name, hardwareType, flags)
        self.master = master
    }

    /// struct ifinfomsg: family, padding, type, index, flags, change. Nil for a wrong length.
    init?(_ content: NetlinkBytes) {
        guard let hardwareType = content.number(at: 2, UInt16.self), let index = content.number(at: 4, Int32.self),
            let flags = content.number(at: 8, UInt32.self), content.number(at: 12, UInt32.self) != nil
        else { return nil }
        var (name, master) = ("", Int32(0))
        let isWhole = content.dropping(16).forEachAttribute { type, value in
            switch type {
            // IFLA_IFNAME
            case 3: name = value.text
            // IFLA_MASTER
            case 10: master = value.number(at: 0, Int32.self) ?? 0
            default: break
            }
        }
        guard isWhole else { return nil }
        self.init(index: index, name: name, hardwareType: hardwareType, flags: flags, master: master)
    }

    /// IFF_UP: somebody has switched it on.
    var isUp: Bool { flags & 1 != 0 }

    /// Whether packets can be sent: it is up, and has a carrier (IFF_RUNNING).
    var isUsable: Bool { flags & 0x41 == 0x41 }

    /// IFF_LOOPBACK
    var isLoopback: Bool { flags & 8 != 0 }
}

/// An address of an interface.
struct LinkAddress: Sendable, Hashable {
    var address: IPAddress
    var index: Int32
    /// Its flags (IFA_F_…).
    var flags: UInt32 = 0

    init(address: IPAddress, index: Int32, flags: UInt32 = 0) {
        (self.address, self.index, self.flags) = (address, index, flags)
    }

    /// struct ifaddrmsg: family, length of the prefix, flags, scope, index. Nil for a wrong length,
    /// or another family.
    init?(_ content: NetlinkBytes) {
        guard let family = content.number(at: 0, UInt8.self), family == 2 || family == 10,
            let short = content.number(at: 2, UInt8.self), let index = content.number(at: 4, Int32.self)
        else { return nil }
        var flags = UInt32(short)
        var (address, local): (IPAddress?, IPAddress?)
        let isWhole = content.dropping(8).forEachAttribute { type, value in
            switch type {
            // IFA_ADDRESS, which between two machines is that of the other one.
            case 1: address = value.address
            // IFA_LOCAL
            case 2: local = value.address
            // IFA_FLAGS
            case 8: flags = value.number(at: 0, UInt32.self) ?? flags
            default: break
            }
        }
        guard isWhole, let own = local ?? address else { return nil }
        self.init(address: own, index: index, flags: flags)
    }

    /// Whether it can be sent from: it is neither being tried (IFA_F_TENTATIVE, unless it is
    /// optimistic) nor taken by another machine (IFA_F_DADFAILED).
    var isUsable: Bool { flags & 0x08 == 0 && (flags & 0x40 == 0 || flags & 0x04 != 0) }

    /// IFA_F_DEPRECATED: others are preferred.
    var isDeprecated: Bool { flags & 0x20 != 0 }
}

/// A way to a range of addresses.
struct NetworkRoute: Sendable, Hashable {
    /// What many routes have in common.
    struct Way: Sendable, Hashable {
        /// The lowest wins among those of one length.
        var metric: UInt32 = 0
        /// Its kind (RTN_…): 1 leads somewhere, 6 to 8 refuse, 9 ends the search in its table.
        var type: UInt8 = 1
        /// The interfaces that it leads to; several share the load.
        var links: [Int32] = []
        /// Whether a next hop that is an object of its own says where it leads, and it does not:
        /// where `net.ipv4.nexthop_compat_mode` is 0.
        var isIndirect = false
        /// The address to send from; nil where the kernel chooses.
        var source: IPAddress?

        /// Whether it is the same one, for removal and replacement.
        func isSame(as other: Way) -> Bool {
            metric == other.metric && type == other.type && (links == other.links || other.links.isEmpty)
        }
    }

    /// The range: the first bits of its addresses, all others zero.
    var destination: IPAddress
    var length: Int
    var way: Way
    /// Its table; 254 is the main one.
    var table: UInt32 = NetworkRoute.mainTable
    /// Whether it is for packets that this process does not send.
    var isForOthers = false

    static let mainTable: UInt32 = 254
    /// That of the addresses of this machine.
    static let localTable: UInt32 = 255

    init(to destination: IPAddress, length: Int, metric: UInt32 = 0, type: UInt8 = 1, links: [Int32]) {
        (self.destination, self.length) = (destination.prefix(length), length)
        way = Way(metric: metric, type: type, links: links)
    }

    var range: RouteTables.Range { RouteTables.Range(table: table, first: destination, length: length) }

    /// struct rtmsg: family, length of the destination, length of the source, type of service,
    /// table, protocol, scope, type, flags. Nil for a wrong length, or another family.
    init?(_ content: NetlinkBytes) {
        guard let family = content.number(at: 0, UInt8.self), family == 2 || family == 10,
            let length = content.number(at: 1, UInt8.self), let sourceLength = content.number(at: 2, UInt8.self),
            let service = content.number(at: 3, UInt8.self), let shortTable = content.number(at: 4, UInt8.self),
            let type = content.number(at: 7, UInt8.self),
            let flags = content.number(at: 8, UInt32.self)
        else { return nil }
        let any = IPAddress(isIPv4: family == 2, high: 0, low: 0)
        guard length <= any.bits else { return nil }
        var (destination, source, metric, table) = (any, IPAddress?.none, UInt32(0), UInt32(shortTable))
        var links: [Int32] = []
        var (isReadable, hasNextHop) = (true, false)
        let isWhole = content.dropping(12).forEachAttribute { attribute, value in
            switch attribute {
            // RTA_DST
            case 1: destination = value.address ?? any
            // RTA_OIF
            case 4: links += value.number(at: 0, Int32.self).map { [$0] } ?? []
            // RTA_PRIORITY
            case 6: metric = value.number(at: 0, UInt32.self) ?? 0
            // RTA_PREFSRC
            case 7: source = value.address
            // RTA_MULTIPATH
            case 9: isReadable = Self.add(hopsOf: value, to: &links) && isReadable
            // RTA_NH_ID
            case 30: hasNextHop = true
            // RTA_TABLE
            case 15: table = value.number(at: 0, UInt32.self) ?? table
            default: break
            }
        }
        guard isWhole, isReadable, destination.isIPv4 == any.isIPv4 || length == 0 || length >= 96 else { return nil }
        // A range of IPv6 that holds IPv4 addresses is of no use to us, but is no fault.
        let isForeign = destination.isIPv4 != any.isIPv4 && length > 0
        self.init(
            to: isForeign ? any : destination.isIPv4 == any.isIPv4 ? destination : any,
            length: Int(length),
            metric: metric,
            type: type,
            links: links
        )
        way.source = source
        way.isIndirect = hasNextHop && links.isEmpty && type == 1
        self.table = table
        // RTM_F_CLONED is a remembered route. One for some sources or for a type of service only is
        // for others.
        isForOthers = flags & 0x200 != 0 || sourceLength != 0 || service != 0 || isForeign
    }

    /// struct rtnexthop: length, flags, weight, interface, and attributes.
    private static func add(hopsOf value: NetlinkBytes, to links: inout [Int32]) -> Bool {
        var rest = value
        while !rest.isEmpty {
            guard let length = rest.number(at: 0, UInt16.self), length >= 8, let hop = rest.take(Int(length)),
                let flags = hop.number(at: 2, UInt8.self), let link = hop.number(at: 4, Int32.self)
            else { return false }
            // RTNH_F_DEAD
            if flags & 1 == 0 { links.append(link) }
        }
        return true
    }
}
