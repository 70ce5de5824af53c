/// One datagram of the kernel about links, addresses and routes (rtnetlink), read without trust:
/// each length is checked, and what is not known is passed over.
///
/// The numbers are those of `linux/netlink.h`, `linux/rtnetlink.h`, `linux/if_link.h` and
/// `linux/if_addr.h`; they are in the byte order of the machine.
struct NetlinkDatagram: Sendable, Equatable {
    /// A part of the state of the network.
    enum Message: Sendable, Equatable {
        case link(NetworkLink)
        case linkRemoved(index: Int32)
        case address(LinkAddress)
        case addressRemoved(LinkAddress)
        case route(NetworkRoute, replaces: Bool)
        case routeRemoved(NetworkRoute)
        case rule(NetworkRule)
        /// Something that routes depend on has changed, or which of them are searched.
        case othersChanged
    }

    private(set) var messages: [Message] = []
    /// Whether it ends the reply to a request.
    private(set) var isEnd = false
    /// The error of the reply to a request, an `errno`; nil where there is none.
    private(set) var failure: Int32?
    /// Whether messages are missing: the kernel says so, the state changed while it was read, or a
    /// length is wrong.
    private(set) var isIncomplete = false

    /// Reads a datagram.
    init(_ bytes: ArraySlice<UInt8>) {
        var rest = NetlinkBytes(bytes)
        while !rest.isEmpty {
            // struct nlmsghdr: length, type, flags, number, sender.
            guard let length = rest.number(at: 0, UInt32.self), let type = rest.number(at: 4, UInt16.self),
                let flags = rest.number(at: 6, UInt16.self), length >= 16,
                let message = rest.take(Int(length))
            else {
                isIncomplete = true
                return
            }
            // NLM_F_DUMP_INTR
            if flags & 0x10 != 0 { isIncomplete = true }
            read(message.dropping(16), type: type, flags: flags)
        }
    }

    private mutating func read(_ content: NetlinkBytes, type: UInt16, flags: UInt16) {
        switch type {
        // NLMSG_ERROR: its number is negative, or 0 for a confirmation.
        case 2:
            let code = content.number(at: 0, Int32.self) ?? -1
            if code != 0 { failure = code == .min ? .max : -code }
            isEnd = true
        // NLMSG_DONE, which may have the error of a reading that was given up.
        case 3:
            if let code = content.number(at: 0, Int32.self), code < 0 { failure = code == .min ? .max : -code }
            isEnd = true
        // NLMSG_OVERRUN
        case 4: isIncomplete = true
        // RTM_NEWLINK, RTM_DELLINK
        case 16, 17:
            // Messages of the family of bridges tell of ports, not of links.
            guard content.number(at: 0, UInt8.self) == 0 else { return }
            guard let link = NetworkLink(content) else { return isIncomplete = true }
            messages.append(type == 16 ? .link(link) : .linkRemoved(index: link.index))
        // RTM_NEWADDR, RTM_DELADDR
        case 20, 21:
            guard let address = LinkAddress(content) else { return note(unreadable: content) }
            messages.append(type == 20 ? .address(address) : .addressRemoved(address))
        // RTM_NEWROUTE, RTM_DELROUTE
        case 24, 25:
            guard let route = NetworkRoute(content) else { return note(unreadable: content) }
            guard !route.isForOthers, route.table != NetworkRoute.localTable else { return }
            // NLM_F_REPLACE
            messages.append(type == 24 ? .route(route, replaces: flags & 0x100 != 0) : .routeRemoved(route))
        // RTM_NEWRULE
        case 32:
            guard let rule = NetworkRule(content) else { return note(unreadable: content) }
            messages.append(.rule(rule))
        // RTM_DELRULE, RTM_NEWNEXTHOP, RTM_DELNEXTHOP
        case 33, 104, 105: messages.append(.othersChanged)
        default: break
        }
    }

    /// Messages of other families than IPv4 and IPv6 are none of ours.
    private mutating func note(unreadable content: NetlinkBytes) {
        if [2, 10].contains(content.number(at: 0, UInt8.self)) { isIncomplete = true }
    }
}

/// Bytes of a message, whose parts begin at multiples of four.
struct NetlinkBytes {
    private var bytes: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
    }

    var isEmpty: Bool { bytes.isEmpty }

    /// The number at an offset; nil where the bytes end before.
    func number<Number: FixedWidthInteger & BitwiseCopyable>(at offset: Int, _: Number.Type) -> Number? {
        guard offset >= 0, bytes.count >= MemoryLayout<Number>.size, offset <= bytes.count - MemoryLayout<Number>.size
        else { return nil }
        // The bytes from the offset on are enough for the number.
        return unsafe bytes.withUnsafeBytes { unsafe $0.loadUnaligned(fromByteOffset: offset, as: Number.self) }
    }

    func dropping(_ count: Int) -> NetlinkBytes { NetlinkBytes(bytes.dropFirst(count)) }

    /// Takes the first bytes, and the ones that fill them up to a multiple of four; nil where there
    /// are not so many.
    mutating func take(_ length: Int) -> NetlinkBytes? {
        guard length <= bytes.count else { return nil }
        defer { bytes = bytes.dropFirst((length + 3) & ~3) }
        return NetlinkBytes(bytes.prefix(length))
    }

    /// Calls the closure with each attribute (struct rtattr); false where a length is wrong.
    func forEachAttribute(_ body: (_ type: UInt16, _ value: NetlinkBytes) -> Void) -> Bool {
        var rest = self
        while !rest.isEmpty {
            guard let length = rest.number(at: 0, UInt16.self), let type = rest.number(at: 2, UInt16.self),
                length >= 4, let attribute = rest.take(Int(length))
            else { return false }
            // NLA_F_NESTED and NLA_F_NET_BYTEORDER are no part of the type.
            body(type & 0x3FFF, attribute.dropping(4))
        }
        return true
    }

    var address: IPAddress? { IPAddress(bytes) }

    /// A text up to its NUL.
    var text: String { String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }
}
