import NIOCore
import Testing

@testable import Bluebonnet

/// The negotiation with SOCKS proxies as a value.
struct SOCKSStateMachineTests {
    private typealias Machine = SOCKSStateMachine

    private static let login = Credential(user: "ada", password: "pw")

    private static func machine(
        _ kind: Proxy.Kind,
        _ host: Machine.Destination.Host = .name("example.com"),
        _ credential: Credential? = nil
    ) -> Machine {
        Machine(kind, to: .init(host: host, port: 443), credential: credential)
    }

    /// Gives bytes to a machine one by one, as a slow proxy does; the last step that is not a wait.
    private static func answer(_ machine: inout Machine, _ bytes: [UInt8]) throws -> Machine.Step {
        var buffer = ByteBuffer()
        var last = Machine.Step.wait
        for byte in bytes {
            #expect(last == .wait)
            buffer.writeInteger(byte)
            last = try machine.received(&buffer)
        }
        #expect(buffer.readableBytes == 0)
        return last
    }

    @Test func `SOCKS 5 asks for a name without authentication`() throws {
        var machine = Self.machine(.socks5h)
        #expect(try machine.begin() == [5, 1, 0])
        let request = [5, 1, 0, 3, 11] + Array("example.com".utf8) + [1, 187]
        #expect(try Self.answer(&machine, [5, 0]) == .send(request))
        #expect(try Self.answer(&machine, [5, 0, 0, 1, 0, 0, 0, 0, 0, 0]) == .open)
    }

    @Test func `SOCKS 5 sends user and password where the proxy wants them`() throws {
        var machine = Self.machine(.socks5, .address(.loopback), Self.login)
        #expect(try machine.begin() == [5, 2, 0, 2])
        #expect(try Self.answer(&machine, [5, 2]) == .send([1, 3] + Array("ada".utf8) + [2] + Array("pw".utf8)))
        #expect(try Self.answer(&machine, [1, 0]) == .send([5, 1, 0, 1, 127, 0, 0, 1, 1, 187]))
        #expect(try Self.answer(&machine, [5, 0, 0, 4] + [UInt8](repeating: 9, count: 18)) == .open)
    }

    @Test func `SOCKS 5 sends no credential to a proxy that wants none`() throws {
        var machine = Self.machine(.socks5, .address(.loopback), Self.login)
        _ = try machine.begin()
        #expect(try Self.answer(&machine, [5, 0]) == .send([5, 1, 0, 1, 127, 0, 0, 1, 1, 187]))
    }

    @Test func `a credential for Digest alone is not sent by SOCKS`() throws {
        var credential = Self.login
        credential.schemes = [.digest]
        var five = Self.machine(.socks5h, .name("x"), credential)
        #expect(try five.begin() == [5, 1, 0])
        #expect(throws: SOCKSStateMachine.Failure.noMethod) { try Self.answer(&five, [5, 0xFF]) }
        var four = Self.machine(.socks4, .address(.loopback), credential)
        #expect(try four.begin() == [4, 1, 1, 187, 127, 0, 0, 1, 0])
    }

    @Test func `addresses of IPv6 have sixteen bytes`() throws {
        let address = try #require(IPAddress("2001:db8::7"))
        var machine = Self.machine(.socks5, .address(address))
        _ = try machine.begin()
        let bytes: [UInt8] = [0x20, 1, 0xD, 0xB8] + [UInt8](repeating: 0, count: 11) + [7]
        #expect(try Self.answer(&machine, [5, 0]) == .send([5, 1, 0, 4] + bytes + [1, 187]))
    }

    @Test func `SOCKS 4a sends the name behind an address that cannot be one`() throws {
        var machine = Self.machine(.socks4a, .name("example.com"), Self.login)
        let user = Array("ada".utf8) + [0]
        #expect(try machine.begin() == [4, 1, 1, 187, 0, 0, 0, 1] + user + Array("example.com".utf8) + [0])
        #expect(try Self.answer(&machine, [0, 0x5A, 0, 0, 0, 0, 0, 0]) == .open)
    }

    @Test func `SOCKS 4 sends the address`() throws {
        var machine = Self.machine(.socks4, .address(.loopback))
        #expect(try machine.begin() == [4, 1, 1, 187, 127, 0, 0, 1, 0])
    }

    @Test func `what follows the answer is left to the tunnel`() throws {
        var machine = Self.machine(.socks4, .address(.loopback))
        _ = try machine.begin()
        var buffer = ByteBuffer(bytes: [0, 0x5A, 0, 0, 0, 0, 0, 0, 1, 2, 3])
        #expect(try machine.received(&buffer) == .open)
        #expect(Array(buffer.readableBytesView) == [1, 2, 3])
        #expect(try machine.received(&buffer) == .wait)
    }

    @Test(
        arguments: [
            ([5, 0xFF], SOCKSStateMachine.Failure.noMethod),
            ([5, 2], .malformed([5, 2])),
            ([5, 9], .malformed([5, 9])),
            ([72], .malformed([72])),
            ([0], .malformed([0])),
            ([5, 0, 5, 5], .refused(5, "the connection was refused")),
            ([5, 0, 5, 77], .refused(77, "")),
            ([5, 0, 4], .malformed([4])),
            ([5, 0, 5, 0, 1], .malformed([5, 0, 1])),
            ([5, 0, 5, 0, 0, 2], .malformed([5, 0, 0, 2])),
        ] as [([UInt8], SOCKSStateMachine.Failure)]
    )
    func `a refusal or an answer that is none ends SOCKS 5`(bytes: [UInt8], failure: SOCKSStateMachine.Failure) throws {
        var machine = Self.machine(.socks5h)
        _ = try machine.begin()
        var buffer = ByteBuffer(bytes: bytes)
        let thrown = try #require(throws: SOCKSStateMachine.Failure.self) {
            while try machine.received(&buffer) != .wait {}
        }
        #expect(thrown == failure)
    }

    @Test(
        arguments: [
            ([0, 0x5B], SOCKSStateMachine.Failure.refused(0x5B, "the connection was refused or has failed")),
            ([0, 0x5D], .credentialRefused),
            ([0, 1], .malformed([0, 1])),
            ([72, 84], .malformed([72, 84])),
        ] as [([UInt8], SOCKSStateMachine.Failure)]
    )
    func `a refusal or an answer that is none ends SOCKS 4`(bytes: [UInt8], failure: SOCKSStateMachine.Failure) throws {
        var machine = Self.machine(.socks4a)
        _ = try machine.begin()
        var buffer = ByteBuffer(bytes: bytes)
        #expect(throws: failure) { try machine.received(&buffer) }
    }

    @Test func `a refused login ends SOCKS 5`() throws {
        var machine = Self.machine(.socks5h, .name("x"), Self.login)
        _ = try machine.begin()
        _ = try Self.answer(&machine, [5, 2])
        #expect(throws: SOCKSStateMachine.Failure.credentialRefused) { try Self.answer(&machine, [1, 1]) }
    }

    @Test func `what does not fit into a message is not sent`() throws {
        let long = String(repeating: "x", count: 256)
        var named = Self.machine(.socks5h, .name(long))
        _ = try named.begin()
        #expect(throws: SOCKSStateMachine.Failure.self) { try Self.answer(&named, [5, 0]) }
        for credential in [Credential(user: long, password: "x"), Credential(user: "x", password: "")] {
            var machine = Self.machine(.socks5h, .name("x"), credential)
            _ = try machine.begin()
            #expect(throws: SOCKSStateMachine.Failure.self) { try Self.answer(&machine, [5, 2]) }
        }
        for host in [.name(long), .name("a\0b"), .address(try #require(IPAddress("::1")))]
            as [SOCKSStateMachine.Destination.Host]
        {
            var machine = Self.machine(.socks4a, host)
            #expect(throws: SOCKSStateMachine.Failure.self) { try machine.begin() }
        }
        var zero = Self.machine(.socks4a, .name("x"), Credential(user: "a\0b", password: "x"))
        #expect(throws: SOCKSStateMachine.Failure.self) { try zero.begin() }
    }
}
