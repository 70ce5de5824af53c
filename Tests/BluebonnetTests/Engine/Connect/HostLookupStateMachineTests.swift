import Testing

@testable import Bluebonnet

/// The order of the addresses of a host that a proxy is asked for one by one.
@Suite struct HostLookupStateMachineTests {
    private typealias Machine = HostLookup.StateMachine

    private static let (six, otherSix) = (address("2001:db8::1"), address("2001:db8::2"))
    private static let (four, otherFour) = (address("192.0.2.1"), address("192.0.2.2"))

    private static func address(_ text: String) -> IPAddress { IPAddress(text) ?? .loopback }

    @Test func `the first address of IPv6 is used at once, and the families take turns`() {
        var machine = Machine([.ipv4, .ipv6])
        #expect(machine.found([Self.six, Self.otherSix], in: .ipv6) == .use(Self.six))
        #expect(machine.found([Self.four], in: .ipv4) == .wait)
        #expect(machine.failed() == .use(Self.four))
        #expect(machine.failed() == .use(Self.otherSix))
        #expect(!machine.mayContinue)
        #expect(machine.failed() == .fail)
    }

    @Test func `addresses of IPv4 wait for those of IPv6 for a moment`() {
        var machine = Machine([.ipv4, .ipv6])
        #expect(machine.found([Self.four], in: .ipv4) == .delay)
        #expect(machine.found([Self.six], in: .ipv6) == .use(Self.six))
        #expect(machine.delayPassed() == .wait)
        machine = Machine([.ipv4, .ipv6])
        #expect(machine.found([Self.four], in: .ipv4) == .delay)
        #expect(machine.delayPassed() == .use(Self.four))
    }

    @Test func `without an address of IPv6, those of IPv4 wait for nothing`() {
        var machine = Machine([.ipv4, .ipv6])
        #expect(machine.found([], in: .ipv6) == .wait)
        #expect(machine.found([Self.four], in: .ipv4) == .use(Self.four))
        machine = Machine([.ipv4, .ipv6])
        #expect(machine.found([Self.four], in: .ipv4) == .delay)
        #expect(machine.found([], in: .ipv6) == .use(Self.four))
        machine = Machine([.ipv4])
        #expect(machine.found([Self.four], in: .ipv4) == .use(Self.four))
    }

    @Test func `addresses that are found later are used, too`() {
        var machine = Machine([.ipv4, .ipv6])
        _ = machine.found([Self.four], in: .ipv4)
        #expect(machine.delayPassed() == .use(Self.four))
        #expect(machine.found([Self.six], in: .ipv6) == .wait)
        #expect(machine.failed() == .use(Self.six))
    }

    @Test func `an address that has failed is followed by the end of the other lookup`() {
        var machine = Machine([.ipv4, .ipv6])
        #expect(machine.found([Self.six], in: .ipv6) == .use(Self.six))
        #expect(machine.mayContinue)
        #expect(machine.failed() == .wait)
        #expect(machine.found([Self.four], in: .ipv4) == .use(Self.four))
        machine = Machine([.ipv4, .ipv6])
        _ = machine.found([Self.six], in: .ipv6)
        #expect(machine.failed() == .wait)
        #expect(machine.found([], in: .ipv4) == .fail)
    }

    @Test func `a host without addresses is a failure when both lookups have ended`() {
        var machine = Machine([.ipv4, .ipv6])
        #expect(machine.found([], in: .ipv4) == .wait)
        #expect(machine.found([], in: .ipv6) == .fail)
    }

    @Test func `each address is used once, and those of another family are not`() {
        var machine = Machine([.ipv4])
        let found = [Self.four, Self.six, Self.four, Self.otherFour]
        #expect(machine.found(found, in: .ipv4) == .use(Self.four))
        #expect(machine.failed() == .use(Self.otherFour))
        #expect(machine.failed() == .fail)
    }

    @Test func `of many addresses eight are used`() {
        var machine = Machine([.ipv4])
        var step = machine.found((1...20).map { Self.address("192.0.2.\($0)") }, in: .ipv4)
        var count = 0
        while case .use = step {
            count += 1
            step = machine.failed()
        }
        #expect(count == 8 && step == .fail)
    }
}
