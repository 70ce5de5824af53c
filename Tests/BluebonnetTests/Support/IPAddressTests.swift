import Foundation
import NIOCore
import Testing

@testable import Bluebonnet

@Suite struct IPAddressTests {
    @Test(arguments: [
        ("192.0.2.1", [192, 0, 2, 1], IPAddress.Family.ipv4),
        ("2001:db8::1", [0x20, 1, 0x0D, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], .ipv6),
    ])
    func `an address has a text, bytes and a family`(text: String, bytes: [UInt8], family: IPAddress.Family) throws {
        let address = try #require(IPAddress(text))
        #expect(address.description == text && address.bytes == bytes && address.family == family)
        #expect(IPAddress(bytes) == address)
        let socket = try address.socketAddress(port: 443)
        #expect(socket.ipAddress == text && socket.port == 443)
        #expect(IPAddress(socket) == address)
    }

    @Test func `an IPv4 address in the form of IPv6 is the IPv4 address`() throws {
        let address = try #require(IPAddress("::ffff:192.0.2.1"))
        #expect(address.family == .ipv4 && address.description == "192.0.2.1")
    }

    @Test func `the link of a link-local address is a part of it`() throws {
        let address = try #require(IPAddress("[fe80::1%lo]"))
        #expect(address.scope == 1 && address.description == "fe80::1%lo")
        #expect(address != IPAddress("fe80::1"))
        #expect(address.unscoped == IPAddress("fe80::1"))
        #expect(IPAddress(try address.socketAddress(port: 80)) == address)
        #expect(IPAddress("fe80::1%7654321")?.description == "fe80::1%7654321")
    }

    @Test(arguments: [
        "fe80::1%none0", "fe80::1%", "fe80::1%0", "2001:db8::1%lo", "127.0.0.1%lo", "%lo", "fe80::1%lo%lo",
    ])
    func `a link that does not exist, or does not belong to the address, makes it none`(text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test(arguments: [0, 3, 5, 15, 17])
    func `another number of bytes is no address`(count: Int) {
        #expect(IPAddress([UInt8](repeating: 1, count: count)) == nil)
    }
}
