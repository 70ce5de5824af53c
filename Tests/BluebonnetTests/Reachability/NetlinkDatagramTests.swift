import Testing

@testable import Bluebonnet

@Suite struct NetlinkDatagramTests {
    private typealias Builder = NetlinkBuilder

    @Test func `links, addresses and routes of one datagram are read`() throws {
        let bytes =
            Builder.link(2, "eth0") + Builder.address("192.0.2.7", on: 2)
            + Builder.route(to: "0.0.0.0", 0, over: [2], metric: 100)
            + Builder.route(to: "2001:db8::", 32, over: [2, 3])
        let datagram = NetlinkDatagram(bytes[...])
        let any = try #require(IPAddress("0.0.0.0"))
        let six = try #require(IPAddress("2001:db8::"))
        #expect(
            datagram.messages == [
                .link(NetworkLink(index: 2, name: "eth0", hardwareType: 1, flags: 0x1_0043)),
                .address(LinkAddress(address: try #require(IPAddress("192.0.2.7")), index: 2, flags: 0x80)),
                .route(NetworkRoute(to: any, length: 0, metric: 100, links: [2]), replaces: false),
                .route(NetworkRoute(to: six, length: 32, links: [2, 3]), replaces: false),
            ]
        )
        #expect(!datagram.isEnd && !datagram.isIncomplete && datagram.failure == nil)
    }

    @Test func `removals and replacements are told apart`() {
        let bytes =
            Builder.link(2, "eth0", type: 17) + Builder.address("192.0.2.7", on: 2, type: 21)
            + Builder.route(to: "0.0.0.0", 0, over: [2], type: 25)
            + Builder.route(to: "0.0.0.0", 0, over: [2], flags: 0x100)
        let kinds = NetlinkDatagram(bytes[...]).messages.map { message in
            switch message {
            case .linkRemoved(let index): "link \(index)"
            case .addressRemoved: "address"
            case .routeRemoved: "route"
            case .route(_, let replaces): "new, replaces: \(replaces)"
            default: "?"
            }
        }
        #expect(kinds == ["link 2", "address", "route", "new, replaces: true"])
    }

    @Test func `own addresses, routes for others and ports of bridges are passed over`() {
        let bytes =
            Builder.route(to: "192.0.2.7", 32, over: [1], table: 255)
            + Builder.route(to: "10.0.0.0", 8, over: [2], service: 0x10)
            + Builder.link(2, "eth0", family: 7, type: 17)
        #expect(NetlinkDatagram(bytes[...]).messages.isEmpty)
        #expect(!NetlinkDatagram(bytes[...]).isIncomplete)
    }

    @Test func `the end of a reply, its error and a loss are told`() {
        let end = NetlinkDatagram(Builder.message(3, Builder.bytes(Int32(0)))[...])
        #expect(end.isEnd && end.failure == nil)
        let failed = NetlinkDatagram(
            Builder.message(2, Builder.bytes(Int32(-1)) + [UInt8](repeating: 0, count: 16))[...]
        )
        #expect(failed.isEnd && failed.failure == 1)
        let odd = NetlinkDatagram(Builder.message(2, Builder.bytes(Int32.min))[...])
        #expect(odd.failure == .max)
        #expect(NetlinkDatagram(Builder.message(4, [])[...]).isIncomplete)
        // NLM_F_DUMP_INTR
        #expect(NetlinkDatagram(Builder.message(3, flags: 0x10, Builder.bytes(Int32(0)))[...]).isIncomplete)
    }

    @Test func `a datagram that was cut anywhere is incomplete or has fewer messages`() {
        let bytes =
            Builder.link(2, "eth0") + Builder.address("2001:db8::7", on: 2)
            + Builder.route(to: "198.51.100.0", 24, over: [2, 3])
        let whole = NetlinkDatagram(bytes[...])
        for count in 1..<bytes.count {
            let cut = NetlinkDatagram(bytes[..<count])
            #expect(cut.messages.count < 3)
            #expect(cut.isIncomplete || whole.messages.starts(with: cut.messages))
        }
    }

    @Test(arguments: [0, 3, 15, 17, 0xFFFF_FFFF] as [UInt32])
    func `a wrong length of a message ends the reading`(length: UInt32) {
        var bytes = Builder.link(2, "eth0")
        bytes.replaceSubrange(0..<4, with: Builder.bytes(length))
        let datagram = NetlinkDatagram(bytes[...])
        #expect(datagram.messages.isEmpty && datagram.isIncomplete)
    }

    @Test(arguments: [0, 3, 200, 0xFFFF] as [UInt16])
    func `a wrong length of an attribute makes the datagram incomplete`(length: UInt16) {
        var bytes = Builder.link(2, "eth0")
        bytes.replaceSubrange(32..<34, with: Builder.bytes(length))
        let datagram = NetlinkDatagram(bytes[...])
        #expect(datagram.messages.isEmpty && datagram.isIncomplete)
    }

    @Test func `a prefix that is longer than an address is refused`() {
        #expect(NetlinkDatagram(Builder.route(to: "192.0.2.0", 33, over: [2])[...]).isIncomplete)
        #expect(NetlinkDatagram(Builder.route(to: "2001:db8::", 129, over: [2])[...]).isIncomplete)
    }

    @Test(arguments: [
        ("192.0.2.129", 25, "192.0.2.128"), ("192.0.2.129", 0, "0.0.0.0"), ("192.0.2.129", 32, "192.0.2.129"),
        ("2001:db8:ffff::1", 33, "2001:db8:8000::"), ("2001:db8::ff", 124, "2001:db8::f0"),
        ("::ffff:192.0.2.1", 24, "192.0.2.0"),
        ("2001:db8::1", 64, "2001:db8::"),
    ])
    func `a prefix keeps the first bits of an address`(text: String, length: Int, prefix: String) throws {
        let address = try #require(IPAddress(text))
        #expect(address.prefix(length).description == prefix)
    }

    @Test func `texts that are no addresses have none`() {
        for text in ["", "example.org", "192.0.2", "192.0.2.256", "[192.0.2.1", "2001:db8:::1", "1.2.3.4.5"] {
            #expect(IPAddress(text) == nil)
        }
        #expect(IPAddress("[2001:db8::1]")?.description == "2001:db8::1")
    }
}
