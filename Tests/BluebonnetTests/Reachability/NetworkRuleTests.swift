import Testing

@testable import Bluebonnet

@Suite struct NetworkRuleTests {
    private typealias Builder = NetlinkBuilder

    /// The rules that each machine has.
    private static let plain =
        Builder.rule(0, table: 255) + Builder.rule(32_766, table: 254) + Builder.rule(32_767, table: 253)

    /// A network nearby, whose default route is in the table 1000, behind rules.
    private func state(_ rules: [UInt8], over kind: NetworkPath.InterfaceKind = .ethernet) -> NetworkState {
        .after(
            Self.plain + rules,
            Builder.link(2, "eth0") + Builder.link(3, "x0"),
            Builder.route(to: "192.0.2.0", 24, over: [2]),
            Builder.route(to: "0.0.0.0", 0, over: [3], table: 1000),
            nature: { LinkNature(kind: $0.index == 2 ? .ethernet : kind) }
        )
    }

    private func status(_ state: NetworkState, to text: String? = nil) throws -> NetworkReachabilityStatus {
        state.path(to: try text.map { try #require(IPAddress($0)) }).status
    }

    @Test func `a default route in another table is found by its rule`() throws {
        let state = state(Builder.rule(100, table: 1000))
        #expect(state.path(to: nil).interfaceName == "x0")
        #expect(try status(state, to: "198.51.100.1") == .reachableViaEthernet)
        #expect(state.path(to: IPAddress("192.0.2.9")).interfaceName == "eth0")
        // Without the rule, nothing leads to the table.
        #expect(try status(self.state([])) == .notReachable)
    }

    @Test func `the main table decides where it has a path`() throws {
        var state = state(Builder.rule(100, table: 1000))
        state.take(Builder.route(to: "0.0.0.0", 0, over: [2]))
        #expect(state.path(to: nil).interfaceName == "eth0")
    }

    /// Attributes of rules, and what they make of the path.
    @Test(arguments: [
        // A mark, which no packet has; one of which only other bits are looked at.
        (Builder.attribute(10, Builder.bytes(UInt32(7))), NetworkReachabilityStatus.notReachable),
        (
            Builder.attribute(10, Builder.bytes(UInt32(0x100))) + Builder.attribute(16, Builder.bytes(UInt32(0xFF))),
            .reachableViaEthernet
        ),
        // The interface that packets come from or go to, and a VRF.
        (Builder.attribute(3, Array("eth9\0".utf8)), .notReachable),
        (Builder.attribute(3, Array("lo\0".utf8)), .reachableViaEthernet),
        (Builder.attribute(17, Array("eth9\0".utf8)), .notReachable),
        (Builder.attribute(19, [1]), .notReachable),
        // Default routes do not count.
        (Builder.attribute(14, Builder.bytes(UInt32(0))), .notReachable),
        (Builder.attribute(14, Builder.bytes(UInt32.max)), .reachableViaEthernet),
        // A port, and a user: it depends.
        (Builder.attribute(24, Builder.bytes(UInt32(0x01BB_01BB))), .unknown),
        (Builder.attribute(20, Builder.bytes(UInt64(0))), .unknown),
    ])
    func `a rule is for the packets that it names`(attributes: [UInt8], expected: NetworkReachabilityStatus) throws {
        #expect(try status(state(Builder.rule(100, table: 1000, attributes))) == expected)
    }

    @Test func `a rule may be for addresses, or for all others`() throws {
        let some = state(Builder.rule(100, table: 1000, destination: ("198.51.100.0", 24)))
        #expect(try status(some, to: "198.51.100.1") == .reachableViaEthernet)
        #expect(try status(some, to: "203.0.113.1") == .notReachable)
        let others = state(Builder.rule(100, table: 1000, destination: ("198.51.100.0", 24), isInverted: true))
        #expect(try status(others, to: "198.51.100.1") == .notReachable)
        #expect(try status(others, to: "203.0.113.1") == .reachableViaEthernet)
        let sources = state(Builder.rule(100, table: 1000, sourceLength: 24))
        #expect(try status(sources) == .notReachable)
        // wg-quick: all packets that have no mark.
        let mark = Builder.attribute(10, Builder.bytes(UInt32(51_820)))
        #expect(try status(state(Builder.rule(100, table: 1000, isInverted: true, mark))) == .reachableViaEthernet)
    }

    @Test func `rules refuse, and go on with others`() throws {
        #expect(
            try status(state(Builder.rule(99, table: 0, action: 7) + Builder.rule(100, table: 1000))) == .notReachable
        )
        let jump = Builder.rule(98, table: 0, action: 2, Builder.attribute(4, Builder.bytes(UInt32(100))))
        let state = state(jump + Builder.rule(99, table: 0, action: 7) + Builder.rule(100, table: 1000))
        #expect(try status(state) == .reachableViaEthernet)
        // One that leads back is followed to nowhere.
        let back = Builder.rule(98, table: 0, action: 2, Builder.attribute(4, Builder.bytes(UInt32(1))))
        #expect(try status(self.state(back)) == .notReachable)
    }

    @Test(arguments: [6, 7, 8] as [UInt8])
    func `a rule that refuses before the main table is searched is no path`(action: UInt8) throws {
        func status(_ rule: [UInt8], to text: String? = nil) throws -> NetworkReachabilityStatus {
            var state = state(rule)
            state.take(Builder.route(to: "0.0.0.0", 0, over: [2]))
            return try self.status(state, to: text)
        }
        #expect(try status(Builder.rule(100, table: 0, action: action)) == .notReachable)
        // One behind the main table, for other packets, or for some users only.
        let user = Builder.attribute(20, Builder.bytes(UInt64(0)))
        let mark = Builder.attribute(10, Builder.bytes(UInt32(7)))
        for rule in [
            Builder.rule(40_000, table: 0, action: action), Builder.rule(100, table: 0, action: action, mark),
            Builder.rule(100, table: 0, action: action, user), Builder.rule(100, table: 0, action: action, family: 10),
        ] {
            #expect(try status(rule) == .reachableViaEthernet)
        }
        // One for some addresses.
        let some = Builder.rule(100, table: 0, action: action, destination: ("198.51.100.0", 24))
        #expect(try status(some, to: "198.51.100.1") == .notReachable)
        #expect(try status(some, to: "203.0.113.1") == .reachableViaEthernet && status(some) == .reachableViaEthernet)
        // Few addresses do not decide for all networks, whichever they are; half of them do.
        let few = Builder.rule(100, table: 0, action: action, destination: ("1.0.0.0", 24))
        #expect(try status(few, to: "1.0.0.9") == .notReachable && status(few) == .reachableViaEthernet)
        let half = Builder.rule(100, table: 0, action: action, destination: ("0.0.0.0", 1))
        #expect(try status(half) == .notReachable)
        let others = Builder.rule(100, table: 0, action: action, destination: ("1.0.0.0", 24), isInverted: true)
        #expect(try status(others, to: "1.0.0.9") == .reachableViaEthernet && status(others) == .notReachable)
        // One that another rule goes around.
        let jump = Builder.rule(98, table: 0, action: 2, Builder.attribute(4, Builder.bytes(UInt32(101))))
        #expect(try status(jump + Builder.rule(100, table: 0, action: action)) == .reachableViaEthernet)
    }

    @Test func `a route that refuses counts in a table that is searched before the main one`() throws {
        var state = state(Builder.rule(100, table: 1001))
        state.take(Builder.route(to: "0.0.0.0", 0, over: [2]))
        #expect(try status(state) == .reachableViaEthernet)
        state.take(Builder.route(to: "0.0.0.0", 0, over: [], table: 1001, kind: 6))
        #expect(try status(state) == .notReachable)
        #expect(try status(state, to: "192.0.2.9") == .notReachable)
    }

    @Test func `a tunnel counts where another link leads to somebody`() throws {
        var state = state(Builder.rule(100, table: 1000), over: .other)
        #expect(try status(state) == .reachableViaOther)
        state.take(Builder.link(2, "eth0", flags: 0x1002))
        #expect(try status(state) == .notReachable)
    }

    @Test func `a rule that ends the search in a table has the next one searched`() throws {
        var state = state(Builder.rule(100, table: 1001) + Builder.rule(101, table: 1000))
        state.take(Builder.route(to: "198.51.100.0", 24, over: [], table: 1001, kind: 9))
        #expect(try status(state, to: "198.51.100.1") == .reachableViaEthernet)
    }

    @Test func `changes of rules ask for another reading, those of tables that no rule names do not`() throws {
        var state = state([])
        for bytes in [Builder.rule(100, table: 1000), Builder.rule(100, table: 1000, type: 33)] {
            let datagram = NetlinkDatagram(bytes[...])
            #expect(state.apply(try #require(datagram.messages.first)))
        }
        let other = NetlinkDatagram(Builder.route(to: "10.0.0.0", 8, over: [2], table: 7, type: 25)[...])
        #expect(!state.apply(try #require(other.messages.first)))
    }

    @Test func `a rule that was cut, or has a wrong length, is incomplete`() {
        let rule = Builder.rule(100, table: 1000, destination: ("198.51.100.0", 24))
        for count in 1..<rule.count {
            let cut = NetlinkDatagram(rule[..<count])
            #expect(cut.isIncomplete && cut.messages.isEmpty)
        }
        #expect(NetlinkDatagram(Builder.rule(1, table: 9, destination: ("198.51.100.0", 33))[...]).isIncomplete)
        #expect(NetlinkDatagram(Builder.rule(1, table: 9, family: 128)[...]).messages.isEmpty)
    }
}
