import Testing

@testable import Bluebonnet

@Suite struct NetworkStateTests {
    private typealias Builder = NetlinkBuilder

    private static let wired = NetworkState.after(
        Builder.link(1, "lo", flags: 0x49, hardwareType: 772),
        Builder.address("127.0.0.1", on: 1),
        Builder.link(2, "eth0"),
        Builder.address("192.0.2.7", on: 2),
        Builder.route(to: "192.0.2.0", 24, over: [2]),
        Builder.route(to: "0.0.0.0", 0, over: [2], metric: 100)
    )

    private func path(_ state: NetworkState, to text: String?) throws -> NetworkPath {
        state.path(to: try text.map { try #require(IPAddress($0)) })
    }

    @Test func `a default route is a path over its link`() throws {
        let path = try path(Self.wired, to: nil)
        #expect(path.status == .reachableViaEthernet)
        #expect(path.interfaceName == "eth0" && path.interfaceKind == .ethernet && path.localAddress == "192.0.2.7")
    }

    @Test func `a state without routes has no path`() throws {
        #expect(try path(NetworkState(), to: nil).status == .notReachable)
        #expect(!NetworkState().mayHavePath)
    }

    @Test func `a link that goes down takes its routes with it`() throws {
        var state = Self.wired
        state.take(Builder.link(2, "eth0", flags: 0x1002))
        #expect(try path(state, to: nil).status == .notReachable)
        // Switched on again it has no route: the kernel has removed it.
        state.take(Builder.link(2, "eth0"))
        #expect(try path(state, to: nil).status == .notReachable)
        state.take(Builder.route(to: "0.0.0.0", 0, over: [2], metric: 100))
        #expect(try path(state, to: nil).isReachable)
    }

    @Test func `a link without a carrier keeps its routes, which are of no use`() throws {
        var state = Self.wired
        state.take(Builder.link(2, "eth0", flags: 0x1003))
        #expect(try path(state, to: nil).status == .notReachable)
        state.take(Builder.link(2, "eth0"))
        #expect(try path(state, to: nil).isReachable)
    }

    @Test func `changes that may remove more than they say ask for another reading`() throws {
        var state = Self.wired
        for (bytes, isUnsure) in [
            (Builder.link(2, "eth0"), false), (Builder.link(2, "eth0", flags: 0x1002), true),
            (Builder.address("192.0.2.8", on: 2), false), (Builder.address("192.0.2.8", on: 2, type: 21), true),
            (Builder.route(to: "10.0.0.0", 8, over: [2]), false),
            (Builder.route(to: "10.0.0.0", 8, over: [2], flags: 0x100), true),
            (Builder.route(to: "10.0.0.0", 8, over: [2], type: 25), true), (Builder.link(2, "eth0", type: 17), true),
        ] {
            let message = try #require(NetlinkDatagram(bytes[...]).messages.first)
            #expect(state.apply(message) == isUnsure)
        }
    }

    @Test func `the second interface takes over, and gives back`() throws {
        var state = Self.wired
        state.take(Builder.link(3, "eth1"))
        state.take(Builder.route(to: "0.0.0.0", 0, over: [3], metric: 200))
        #expect(try path(state, to: nil).interfaceName == "eth0")
        state.take(Builder.link(2, "eth0", flags: 0x1003))
        #expect(try path(state, to: nil).interfaceName == "eth1")
        state.take(Builder.link(2, "eth0"))
        #expect(try path(state, to: nil).interfaceName == "eth0")
    }

    @Test func `a host has a route of its own while the default is gone`() throws {
        var state = Self.wired
        state.take(Builder.route(to: "0.0.0.0", 0, over: [2], metric: 100, type: 25))
        #expect(try path(state, to: nil).status == .notReachable)
        #expect(try path(state, to: "192.0.2.99").isReachable)
        #expect(try path(state, to: "198.51.100.1").status == .notReachable)
        #expect(state.mayHavePath)
    }

    @Test func `the longest prefix wins, then the lowest metric`() throws {
        var state = Self.wired
        for (index, name) in [(3, "vpn0"), (4, "eth1"), (5, "eth2")] as [(Int32, String)] {
            state.take(Builder.link(index, name))
        }
        state.take(Builder.route(to: "198.51.100.0", 24, over: [3], metric: 900))
        state.take(Builder.route(to: "198.51.0.0", 16, over: [4], metric: 1))
        state.take(Builder.route(to: "198.51.100.0", 24, over: [5], metric: 300))
        #expect(try path(state, to: "198.51.100.1").interfaceName == "eth2")
        #expect(try path(state, to: "198.51.7.1").interfaceName == "eth1")
        #expect(try path(state, to: "203.0.113.1").interfaceName == "eth0")
    }

    @Test(arguments: [6, 7, 8] as [UInt8])
    func `a route that refuses is no path, though the default would be one`(kind: UInt8) throws {
        var state = Self.wired
        state.take(Builder.route(to: "203.0.113.0", 24, over: [], kind: kind))
        #expect(try path(state, to: "203.0.113.1").status == .notReachable)
        state.take(Builder.route(to: "203.0.113.0", 24, over: [], kind: kind, type: 25))
        #expect(try path(state, to: "203.0.113.1").isReachable)
    }

    @Test func `one of several next hops that works is enough`() throws {
        var state = NetworkState.after(
            Builder.link(2, "eth0", flags: 0x1003),
            Builder.link(3, "eth1"),
            Builder.route(to: "0.0.0.0", 0, over: [2, 3])
        )
        #expect(try path(state, to: nil).interfaceName == "eth1")
        state.take(Builder.link(3, "eth1", type: 17))
        #expect(try path(state, to: nil).status == .notReachable)
    }

    @Test func `two halves in place of a default route win over it`() throws {
        var state = Self.wired
        state.take(Builder.link(9, "tun0", hardwareType: 65534))
        state.take(Builder.route(to: "0.0.0.0", 1, over: [9]))
        state.take(Builder.route(to: "128.0.0.0", 1, over: [9]))
        #expect(try path(state, to: nil).interfaceName == "tun0")
    }

    @Test func `IPv6 needs an address that can be sent from`() throws {
        var state = NetworkState.after(
            Builder.link(2, "eth0"),
            Builder.address("fe80::1", on: 2),
            Builder.route(to: "::", 0, over: [2], metric: 1024)
        )
        #expect(try path(state, to: nil).status == .notReachable)
        // Tentative: another machine may have it.
        state.take(Builder.address("2001:db8::7", on: 2, flags: 0x40))
        #expect(try path(state, to: nil).status == .notReachable)
        state.take(Builder.address("2001:db8::7", on: 2, flags: 0))
        #expect(try path(state, to: nil).localAddress == "2001:db8::7")
        state.take(Builder.address("2001:db8::7", on: 2, type: 21))
        #expect(try path(state, to: nil).status == .notReachable)
    }

    @Test func `the last address of IPv4 takes the routes of its link with it`() throws {
        var state = Self.wired
        state.take(Builder.address("192.0.2.8", on: 2))
        state.take(Builder.address("192.0.2.7", on: 2, type: 21))
        #expect(try path(state, to: nil).localAddress == "192.0.2.8")
        state.take(Builder.address("192.0.2.8", on: 2, type: 21))
        #expect(try path(state, to: nil).status == .notReachable && !state.mayHavePath)
    }

    @Test func `a default route that refuses leaves IPv6 to be used`() throws {
        let state = NetworkState.after(
            Builder.link(2, "eth0"),
            Builder.address("2001:db8::7", on: 2),
            Builder.route(to: "0.0.0.0", 0, over: [], kind: 7),
            Builder.route(to: "::", 0, over: [2])
        )
        #expect(try path(state, to: nil).localAddress == "2001:db8::7")
    }

    @Test func `the route that each link of IPv6 has to itself is no network`() {
        let state = NetworkState.after(
            Builder.link(2, "eth0"),
            Builder.address("fe80::1", on: 2),
            Builder.route(to: "fe80::", 64, over: [2])
        )
        #expect(!state.mayHavePath)
    }

    @Test func `this machine is reached over the loopback interface`() throws {
        for text in ["127.0.0.1", "127.8.8.8", "192.0.2.7"] {
            let path = try path(Self.wired, to: text)
            #expect(path.status == .reachableViaOther && path.interfaceKind == .loopback)
        }
        #expect(try path(.after(Builder.link(1, "lo", flags: 8)), to: "127.0.0.1").status == .notReachable)
    }

    @Test func `the nature of a link is found out once, and again under another name`() throws {
        let nature: @Sendable (NetworkLink) -> LinkNature = { link in
            link.name == "wlan0" ? LinkNature(kind: .wifi) : LinkNature(kind: .cellular, isExpensive: true)
        }
        var state = NetworkState.after(
            Builder.link(2, "wlan0"),
            Builder.route(to: "0.0.0.0", 0, over: [2]),
            nature: nature
        )
        #expect(try path(state, to: nil).status == .reachableViaWiFi)
        state.take(Builder.link(2, "wwan0"))
        let path = try path(state, to: nil)
        #expect(path.status == .reachableViaWWAN && path.isExpensive)
    }

    @Test func `a route that ends the search in its table is no path, though the default would be one`() throws {
        var state = Self.wired
        state.take(Builder.route(to: "203.0.113.0", 24, over: [], kind: 9))
        #expect(try path(state, to: "203.0.113.1").status == .notReachable)
        #expect(try path(state, to: "198.51.100.1").isReachable)
    }

    @Test func `a route for one type of service is for others`() throws {
        let state = NetworkState.after(
            Builder.link(2, "eth0"),
            Builder.route(to: "0.0.0.0", 0, over: [2], service: 0x10)
        )
        #expect(try path(state, to: nil).status == .notReachable)
    }

    @Test func `IPv6 is sent from an address of another link where its own has none`() throws {
        var state = NetworkState.after(
            Builder.link(1, "lo", flags: 0x49, hardwareType: 772),
            Builder.address("::1", on: 1),
            Builder.link(2, "eth0"),
            Builder.address("fe80::1", on: 2),
            Builder.route(to: "::", 0, over: [2])
        )
        #expect(try path(state, to: nil).status == .notReachable)
        state.take(Builder.address("2001:db8::7", on: 1))
        #expect(try path(state, to: nil).localAddress == "2001:db8::7")
        #expect(try path(state, to: "2001:db8:1::1").interfaceName == "eth0")
        state.take(Builder.address("2001:db8::8", on: 2))
        #expect(try path(state, to: nil).localAddress == "2001:db8::8")
    }

    @Test func `a next hop that is not told is not known, and is not told as not reachable`() throws {
        var state = Self.wired
        state.take(Builder.route(to: "198.51.100.0", 24, over: [], nextHop: 7))
        #expect(try path(state, to: "198.51.100.1").status == .unknown)
        #expect(try path(state, to: nil).isReachable)
        state.take(Builder.route(to: "0.0.0.0", 0, over: [2], metric: 100, type: 25))
        #expect(try path(state, to: nil).status == .notReachable)
        state.take(Builder.route(to: "0.0.0.0", 0, over: [], nextHop: 7))
        #expect(try path(state, to: nil).status == .unknown && state.mayHavePath)
    }

    @Test func `changes of what routes depend on ask for another reading`() throws {
        var state = Self.wired
        for type in [104, 105] as [UInt16] {
            let datagram = NetlinkDatagram(Builder.message(type, [2, 0, 0, 0, 0, 0, 0, 0])[...])
            #expect(state.apply(try #require(datagram.messages.first)))
        }
        for (master, isUnsure) in [(nil, false), (9, true), (9, false), (nil, true)] as [(Int32?, Bool)] {
            let datagram = NetlinkDatagram(Builder.link(2, "eth0", master: master)[...])
            #expect(state.apply(try #require(datagram.messages.first)) == isUnsure)
        }
    }
}
