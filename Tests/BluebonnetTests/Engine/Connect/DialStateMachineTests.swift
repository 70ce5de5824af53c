import NIOCore
import Testing

@testable import Bluebonnet

/// Happy Eyeballs version 2 (RFC 8305), with a clock of the test's.
@Suite struct DialStateMachineTests {
    private typealias Step = Dial.StateMachine.Step

    private let start = NIODeadline.uptimeNanoseconds(1_000_000_000)
    private let six = (1...4).compactMap { IPAddress("2001:db8::\($0)") }
    private let four = (1...4).compactMap { IPAddress("192.0.2.\($0)") }

    private func at(_ milliseconds: Int64) -> NIODeadline { start + .milliseconds(milliseconds) }

    @Test func `addresses of IPv6 are tried at once, whatever becomes of IPv4`() {
        var machine = Dial.StateMachine(IPAddress.Family.all)
        #expect(machine.found(six, in: .ipv6, at: at(0)) == .connect(0, six[0]))
        #expect(machine.timer == at(250))
    }

    @Test func `addresses of IPv4 wait 50 ms for those of IPv6`() {
        var machine = Dial.StateMachine(IPAddress.Family.all)
        #expect(machine.found(four, in: .ipv4, at: at(0)) == .wait)
        #expect(machine.timer == at(50))
        #expect(machine.timerFired(at: at(49)) == .wait)
        #expect(machine.timerFired(at: at(50)) == .connect(0, four[0]))
        // RFC 8305 §3: addresses that come later are tried in their turn.
        #expect(machine.found(six, in: .ipv6, at: at(60)) == .wait)
        #expect(machine.timer == at(300))
        #expect(machine.timerFired(at: at(300)) == .connect(1, six[0]))
        #expect(machine.timerFired(at: at(550)) == .connect(2, four[1]))
    }

    @Test(arguments: [false, true])
    func `addresses of IPv4 wait no longer when the lookup of IPv6 has ended`(hasAddresses: Bool) {
        var machine = Dial.StateMachine(IPAddress.Family.all)
        #expect(machine.found(four, in: .ipv4, at: at(0)) == .wait)
        let first = hasAddresses ? six[0] : four[0]
        #expect(machine.found(hasAddresses ? six : [], in: .ipv6, at: at(20)) == .connect(0, first))
    }

    @Test(arguments: ["fd00::1", "fc00::1", "fec0::1", "2002:c000:204::1", "2001::1", "3ffe::1", "::192.0.2.1"])
    func `addresses of IPv6 that RFC 6724 has below IPv4 come second, and wait 50 ms`(text: String) throws {
        let low = try #require(IPAddress(text))
        var machine = Dial.StateMachine(IPAddress.Family.all)
        #expect(machine.found([low], in: .ipv6, at: at(0)) == .wait)
        #expect(machine.timer == at(50))
        var other = machine
        #expect(machine.timerFired(at: at(50)) == .connect(0, low))
        #expect(other.found(four, in: .ipv4, at: at(10)) == .connect(0, four[0]))
        #expect(other.timerFired(at: at(260)) == .connect(1, low))
        // The family that was found first makes no difference.
        var turned = Dial.StateMachine(IPAddress.Family.all)
        #expect(turned.found(four, in: .ipv4, at: at(0)) == .wait)
        #expect(turned.found([low], in: .ipv6, at: at(10)) == .connect(0, four[0]))
        // Without IPv4 there is nothing to wait for, nor behind an address that was good before.
        var alone = Dial.StateMachine([.ipv6])
        #expect(alone.found([low], in: .ipv6, at: at(0)) == .connect(0, low))
        var known = Dial.StateMachine(IPAddress.Family.all, preferred: low)
        #expect(known.found([low], in: .ipv6, at: at(0)) == .connect(0, low))
    }

    @Test(arguments: ["2001:db8::1", "2001:4860:4860::8888", "2a00::1", "64:ff9b::1", "fe80::1", "::1"])
    func `other addresses of IPv6 come first`(text: String) throws {
        var machine = Dial.StateMachine(IPAddress.Family.all)
        let address = try #require(IPAddress(text))
        #expect(machine.found([address], in: .ipv6, at: at(0)) == .connect(0, address))
    }

    @Test func `a single family does not wait for the other one`() {
        var machine = Dial.StateMachine([.ipv4])
        #expect(machine.found(four + six, in: .ipv4, at: at(0)) == .connect(0, four[0]))
        #expect(machine.found(six, in: .ipv6, at: at(0)) == .wait)
        #expect(machine.attemptFailed(0, at: at(1)) == .connect(1, four[1]))
    }

    @Test func `the families take turns, and begin 250 ms after each other`() {
        var machine = Dial.StateMachine(IPAddress.Family.all)
        #expect(machine.found(Array(six.prefix(3)), in: .ipv6, at: at(0)) == .connect(0, six[0]))
        #expect(machine.found(Array(four.prefix(1)), in: .ipv4, at: at(0)) == .wait)
        var steps: [Step] = []
        for time in stride(from: Int64(250), through: 1250, by: 250) { steps.append(machine.timerFired(at: at(time))) }
        #expect(steps == [.connect(1, four[0]), .connect(2, six[1]), .connect(3, six[2]), .wait, .wait])
        #expect(machine.timer == nil)
    }

    @Test func `four dead addresses cost a second`() {
        var machine = Dial.StateMachine(IPAddress.Family.all)
        var last = machine.found(Array(six.prefix(2)), in: .ipv6, at: at(0))
        _ = machine.found(Array(four.prefix(3)), in: .ipv4, at: at(0))
        var now = at(0)
        while let timer = machine.timer {
            now = timer
            last = machine.timerFired(at: now)
        }
        #expect(last == .connect(4, four[2]) && now == at(1000))
    }

    @Test func `a refused attempt begins the next one at once`() {
        var machine = Dial.StateMachine(IPAddress.Family.all)
        #expect(machine.found(six, in: .ipv6, at: at(0)) == .connect(0, six[0]))
        #expect(machine.found(four, in: .ipv4, at: at(1)) == .wait)
        #expect(machine.attemptFailed(0, at: at(2)) == .connect(1, four[0]))
        #expect(machine.timer == at(252))
        #expect(machine.attemptFailed(0, at: at(3)) == .wait)
    }

    @Test func `it fails when all attempts have failed`() {
        var machine = Dial.StateMachine(IPAddress.Family.all)
        _ = machine.found([six[0]], in: .ipv6, at: at(0))
        _ = machine.found([four[0]], in: .ipv4, at: at(0))
        #expect(machine.timerFired(at: at(250)) == .connect(1, four[0]))
        #expect(machine.attemptFailed(0, at: at(300)) == .wait)
        #expect(machine.attemptFailed(1, at: at(301)) == .fail)
    }

    @Test func `it waits for a lookup while all attempts have failed`() {
        var machine = Dial.StateMachine(IPAddress.Family.all)
        _ = machine.found([six[0]], in: .ipv6, at: at(0))
        #expect(machine.attemptFailed(0, at: at(5)) == .wait)
        #expect(machine.timer == nil)
        #expect(machine.found([four[0]], in: .ipv4, at: at(9000)) == .connect(1, four[0]))
        #expect(machine.attemptFailed(1, at: at(9001)) == .fail)
    }

    @Test func `the families that are waited for are those of lookups that nothing goes on without`() {
        var machine = Dial.StateMachine(IPAddress.Family.all)
        #expect(machine.awaitedFamilies == IPAddress.Family.all)
        var without = machine
        #expect(without.found([], in: .ipv4, at: at(0)) == .wait && without.awaitedFamilies == [.ipv6])
        // An address of IPv4 waits for 50 ms, and is under way then.
        #expect(machine.found([four[0]], in: .ipv4, at: at(0)) == .wait && machine.awaitedFamilies.isEmpty)
        #expect(machine.timerFired(at: at(50)) == .connect(0, four[0]) && machine.awaitedFamilies.isEmpty)
        #expect(machine.attemptFailed(0, at: at(51)) == .wait && machine.awaitedFamilies == [.ipv6])
        #expect(machine.found([six[0]], in: .ipv6, at: at(60)) == .connect(1, six[0]))
        #expect(machine.awaitedFamilies.isEmpty)
    }

    @Test func `addresses that come when the next attempt is due are tried at once`() {
        var machine = Dial.StateMachine(IPAddress.Family.all)
        _ = machine.found([six[0]], in: .ipv6, at: at(0))
        #expect(machine.found([four[0]], in: .ipv4, at: at(400)) == .connect(1, four[0]))
    }

    @Test(arguments: [true, false])
    func `it fails when no family has an address`(isSixFirst: Bool) {
        var machine = Dial.StateMachine(IPAddress.Family.all)
        #expect(machine.found([], in: isSixFirst ? .ipv6 : .ipv4, at: at(0)) == .wait)
        #expect(machine.found([], in: isSixFirst ? .ipv4 : .ipv6, at: at(9)) == .fail)
    }

    @Test func `the address that was good before is first, and so is its family`() {
        var machine = Dial.StateMachine(IPAddress.Family.all, preferred: four[2])
        #expect(machine.found(six, in: .ipv6, at: at(0)) == .wait)
        #expect(machine.found(four, in: .ipv4, at: at(1)) == .connect(0, four[2]))
        #expect(machine.timerFired(at: at(251)) == .connect(1, six[0]))
        #expect(machine.timerFired(at: at(501)) == .connect(2, four[0]))
    }

    @Test func `an address that was good before and is not found any more is not tried`() {
        var machine = Dial.StateMachine(IPAddress.Family.all, preferred: four[3])
        #expect(machine.found([four[0], four[0]], in: .ipv4, at: at(0)) == .connect(0, four[0]))
        #expect(machine.found([], in: .ipv6, at: at(1)) == .wait)
        #expect(machine.timer == nil)
    }

    @Test func `of many addresses the first ones are tried`() throws {
        let many = try (0..<4000).map { try #require(IPAddress("224.0.\($0 / 250).\($0 % 250)")) }
        var machine = Dial.StateMachine([.ipv4], preferred: many[3000])
        var step = machine.found(many, in: .ipv4, at: at(0))
        #expect(step == .connect(0, many[3000]))
        while case .connect(let number, _) = step { step = machine.attemptFailed(number, at: at(1)) }
        #expect(step == .fail)
        #expect(machine.attempts == Dial.StateMachine.mostAddresses)
    }

    @Test func `addresses that do not respond are in vain when all were tried`() {
        var machine = Dial.StateMachine(IPAddress.Family.all)
        #expect(!machine.isInVain(at: at(0)))
        #expect(machine.found(Array(six.prefix(2)), in: .ipv6, at: at(0)) == .connect(0, six[0]))
        #expect(machine.found([], in: .ipv4, at: at(0)) == .wait)
        #expect(!machine.isInVain(at: at(250)))
        #expect(machine.timerFired(at: at(250)) == .connect(1, six[1]))
        #expect(!machine.isInVain(at: at(499)))
        #expect(machine.isInVain(at: at(500)))
    }

    @Test func `addresses that have failed are in vain, also before the other lookup ends`() {
        var machine = Dial.StateMachine(IPAddress.Family.all)
        #expect(machine.found([six[0]], in: .ipv6, at: at(0)) == .connect(0, six[0]))
        #expect(!machine.isInVain(at: at(1)))
        #expect(machine.attemptFailed(0, at: at(2)) == .wait)
        #expect(machine.isInVain(at: at(2)))
    }
}
