/// A rule that says which table of routes is searched, as an ordinary packet of this process meets
/// it: without a mark, a type of service, or an interface or an address that it is bound to.
struct NetworkRule: Sendable, Hashable {
    /// Whether a rule is for a packet.
    enum Match: Sendable {
        case no
        /// It depends on what is not known here, such as ports.
        case perhaps
        case yes
    }

    var isIPv4: Bool
    /// Rules are tried from the lowest number to the highest.
    var priority: UInt32 = 0
    /// What it does (FR_ACT_…): 1 has a table searched, 2 goes on with another rule, 3 does
    /// nothing, 6 to 8 refuse.
    var action: UInt8 = 1
    var table: UInt32
    /// The rule that it goes on with.
    var target: UInt32 = 0
    /// What is found for ranges of this length and shorter ones does not count; -1 for none.
    var suppressedLength = -1
    /// The addresses that it is for.
    var destination: IPAddress
    var length = 0
    /// Whether it is for packets that have all the rest it asks for.
    var match = Match.yes
    /// Whether it is for all packets but these (FIB_RULE_INVERT).
    var isInverted = false

    init(isIPv4: Bool, table: UInt32) {
        (self.isIPv4, self.table) = (isIPv4, table)
        destination = IPAddress(isIPv4: isIPv4, high: 0, low: 0)
    }

    /// struct fib_rule_hdr: family, length of the destination, length of the source, type of
    /// service, table, two reserved, action, flags. Nil for a wrong length, or another family.
    init?(_ content: NetlinkBytes) {
        guard let family = content.number(at: 0, UInt8.self), family == 2 || family == 10,
            let length = content.number(at: 1, UInt8.self), let sourceLength = content.number(at: 2, UInt8.self),
            let service = content.number(at: 3, UInt8.self), let shortTable = content.number(at: 4, UInt8.self),
            let action = content.number(at: 7, UInt8.self), let flags = content.number(at: 8, UInt32.self)
        else { return nil }
        var rule = NetworkRule(isIPv4: family == 2, table: UInt32(shortTable))
        guard length <= rule.destination.bits else { return nil }
        var match = sourceLength == 0 && service == 0 ? Match.yes : .no
        var (mark, mask) = (UInt32(0), UInt32?.none)
        let isWhole = content.dropping(12).forEachAttribute { type, value in
            let number = value.number(at: 0, UInt32.self) ?? 0
            switch type {
            // FRA_DST
            case 1: rule.destination = value.address ?? rule.destination
            // FRA_IIFNAME: packets of this machine come from the loopback interface.
            case 3: if value.text != "lo" { match = .no }
            // FRA_GOTO
            case 4: rule.target = number
            // FRA_PRIORITY
            case 6: rule.priority = number
            // FRA_FWMARK and FRA_FWMASK
            case 10: mark = number
            case 16: mask = number
            // FRA_SUPPRESS_PREFIXLEN, which is -1 for none.
            case 14: rule.suppressedLength = Int(Int32(bitPattern: number))
            // FRA_TABLE
            case 15: rule.table = number
            // FRA_TUN_ID, FRA_OIFNAME and FRA_DSCP
            case 12, 17, 25: match = .no
            // FRA_L3MDEV: for the interfaces of a VRF.
            case 19: if value.number(at: 0, UInt8.self) != 0 { match = .no }
            // FRA_UID_RANGE, FRA_IP_PROTO, FRA_SPORT_RANGE and FRA_DPORT_RANGE
            case 20, 22, 23, 24: if match == .yes { match = .perhaps }
            default: break
            }
        }
        guard isWhole, rule.destination.isIPv4 == rule.isIPv4 else { return nil }
        if mark & (mask ?? .max) != 0 { match = .no }
        rule.destination = rule.destination.prefix(Int(length))
        (rule.length, rule.action, rule.match) = (Int(length), action, match)
        rule.isInverted = flags & 2 != 0
        self = rule
    }

    /// Whether it is for packets to an address. Longer ranges than the longest do not count: the
    /// address stands for a larger network, of which they have only a part.
    func match(_ address: IPAddress, upTo longest: Int) -> Match {
        guard address.isIPv4 == isIPv4 else { return .no }
        let found = length <= longest && address.prefix(length) == destination ? match : .no
        guard isInverted else { return found }
        return found == .perhaps ? .perhaps : found == .yes ? .no : .yes
    }

    /// Whether some packet may meet it, which then has its table searched.
    var searches: Bool { action == 1 && (match != .no || isInverted) }
}
