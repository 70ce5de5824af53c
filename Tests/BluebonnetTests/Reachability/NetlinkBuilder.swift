@testable import Bluebonnet

/// Messages of rtnetlink as the kernel writes them.
enum NetlinkBuilder {
    static func message(_ type: UInt16, flags: UInt16 = 0, _ content: [UInt8]) -> [UInt8] {
        bytes(UInt32(16 + content.count)) + bytes(type) + bytes(flags) + bytes(UInt32(1)) + bytes(UInt32(0))
            + padded(content)
    }

    static func attribute(_ type: UInt16, _ value: [UInt8]) -> [UInt8] {
        bytes(UInt16(4 + value.count)) + bytes(type) + padded(value)
    }

    static func link(
        _ index: Int32,
        _ name: String,
        flags: UInt32 = 0x1_0043,
        hardwareType: UInt16 = 1,
        family: UInt8 = 0,
        master: Int32? = nil,
        type: UInt16 = 16
    ) -> [UInt8] {
        message(
            type,
            [family, 0] + bytes(hardwareType) + bytes(index) + bytes(flags) + bytes(UInt32(0))
                + attribute(3, Array(name.utf8) + [0]) + attribute(16, [6])
                + (master.map { attribute(10, bytes($0)) } ?? [])
        )
    }

    static func address(_ text: String, on index: Int32, flags: UInt8 = 0x80, type: UInt16 = 20) -> [UInt8] {
        let address = raw(text)
        return message(
            type,
            [address.count == 4 ? 2 : 10, 24, flags, 0] + bytes(index) + attribute(1, address)
                + attribute(8, bytes(UInt32(flags)))
        )
    }

    static func route(
        to destination: String,
        _ length: UInt8,
        over links: [Int32],
        metric: UInt32 = 0,
        table: UInt32 = 254,
        service: UInt8 = 0,
        nextHop: UInt32? = nil,
        kind: UInt8 = 1,
        type: UInt16 = 24,
        flags: UInt16 = 0
    ) -> [UInt8] {
        let address = raw(destination)
        let hops = links.reduce(into: [UInt8]()) { $0 += bytes(UInt16(8)) + [0, 0] + bytes($1) }
        let way =
            links.isEmpty
            ? [] : links.count == 1 ? attribute(4, bytes(links[0])) : attribute(9, hops)
        return message(
            type,
            flags: flags,
            [address.count == 4 ? 2 : 10, length, 0, service, UInt8(truncatingIfNeeded: table), 3, 0, kind]
                + bytes(UInt32(0)) + attribute(15, bytes(table)) + (length == 0 ? [] : attribute(1, address))
                + attribute(6, bytes(metric)) + way + (nextHop.map { attribute(30, bytes($0)) } ?? [])
        )
    }

    /// A rule that has a table searched, with further attributes.
    static func rule(
        _ priority: UInt32,
        table: UInt32,
        action: UInt8 = 1,
        family: UInt8 = 2,
        destination: (text: String, length: UInt8) = ("", 0),
        sourceLength: UInt8 = 0,
        isInverted: Bool = false,
        _ attributes: [UInt8] = [],
        type: UInt16 = 32
    ) -> [UInt8] {
        message(
            type,
            [family, destination.length, sourceLength, 0, UInt8(truncatingIfNeeded: table), 0, 0, action]
                + bytes(UInt32(isInverted ? 2 : 0)) + attribute(6, bytes(priority)) + attribute(15, bytes(table))
                + (destination.length > 0 ? attribute(1, raw(destination.text)) : []) + attributes
        )
    }

    private static func raw(_ text: String) -> [UInt8] {
        guard let address = IPAddress(text) else { return [] }
        return address.isIPv4
            ? bytes(UInt32(address.high >> 32).bigEndian)
            : bytes(address.high.bigEndian) + bytes(address.low.bigEndian)
    }

    static func bytes<Number: FixedWidthInteger & BitwiseCopyable>(_ number: Number) -> [UInt8] {
        var number = number
        return unsafe withUnsafeBytes(of: &number) { unsafe Array($0) }
    }

    private static func padded(_ bytes: [UInt8]) -> [UInt8] {
        bytes + [UInt8](repeating: 0, count: -bytes.count & 3)
    }
}

extension NetworkState {
    /// The state after these messages, whose links are cables unless the closure says otherwise.
    static func after(
        _ messages: [UInt8]...,
        nature: @escaping @Sendable (NetworkLink) -> LinkNature = { _ in LinkNature(kind: .ethernet) }
    ) -> NetworkState {
        var state = NetworkState(nature: nature)
        for bytes in messages { state.take(bytes) }
        return state
    }

    /// Applies the messages of a datagram.
    mutating func take(_ bytes: [UInt8]) {
        for message in NetlinkDatagram(bytes[...]).messages { _ = apply(message) }
    }
}
