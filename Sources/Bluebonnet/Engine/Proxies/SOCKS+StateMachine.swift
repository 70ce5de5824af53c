import NIOCore

/// The negotiation with a SOCKS proxy, without input and output: SOCKS 5 (RFC 1928, with user and
/// password by RFC 1929), SOCKS 4 and 4a.
struct SOCKSStateMachine {
    /// Where the tunnel leads.
    struct Destination: Equatable, Sendable {
        enum Host: Equatable, Sendable {
            case name(String)
            case address(IPAddress)
        }

        var host: Host
        var port: Int
    }

    enum Step: Equatable {
        /// More bytes are needed.
        case wait
        case send([UInt8])
        /// What is left in the buffer belongs to the tunnel.
        case open
    }

    enum Failure: Error, Equatable {
        /// The proxy did not make the connection: its number for the reason, and words for it.
        case refused(Int, String)
        /// It accepts none of the ways to authenticate that the credential allows.
        case noMethod
        /// It refused user and password.
        case credentialRefused
        /// The bytes are not a reply of this version of SOCKS.
        case malformed([UInt8])
        /// What was to be sent cannot be: the reason.
        case unsendable(String)
    }

    private enum State {
        /// Then `method` (5) or `reply` (4).
        case idle
        /// Then `login` or `reply`.
        case method
        /// Then `reply`.
        case login
        /// Then `open`.
        case reply
        /// The last state.
        case open
    }

    private let isVersion5: Bool
    private let destination: Destination
    /// User and password.
    private let credential: (user: [UInt8], password: [UInt8])?
    private var state = State.idle

    private static let ipv4: UInt8 = 1, name: UInt8 = 3, ipv6: UInt8 = 4
    private static let noAuthentication: UInt8 = 0, userAndPassword: UInt8 = 2

    init(_ kind: Proxy.Kind, to destination: Destination, credential: Credential?) {
        isVersion5 = kind == .socks5 || kind == .socks5h
        self.destination = destination
        // SOCKS sends user and password readably (RFC 1929 §2), as Basic does.
        if let credential, credential.fits(.basic), case .password(let user, let password) = credential.kind {
            self.credential = (user, password)
        } else {
            self.credential = nil
        }
    }

    /// The first bytes to send.
    mutating func begin() throws(Failure) -> [UInt8] {
        guard isVersion5 else {
            state = .reply
            return try request4()
        }
        state = .method
        // RFC 1928 §3. Without a credential, only a proxy that wants none will do.
        return credential == nil
            ? [5, 1, Self.noAuthentication] : [5, 2, Self.noAuthentication, Self.userAndPassword]
    }

    /// Takes what it can from the bytes that came.
    mutating func received(_ buffer: inout ByteBuffer) throws(Failure) -> Step {
        switch state {
        case .idle, .open: return .wait
        case .method: return try methodCame(&buffer)
        case .login: return try loginCame(&buffer)
        case .reply: return isVersion5 ? try reply5Came(&buffer) : try reply4Came(&buffer)
        }
    }

    // MARK: SOCKS 5

    private mutating func methodCame(_ buffer: inout ByteBuffer) throws(Failure) -> Step {
        try check(buffer, at: 0, is: 5)
        guard let bytes = buffer.readBytes(length: 2) else { return .wait }
        switch (bytes[1], credential) {
        case (Self.noAuthentication, _):
            state = .reply
            return .send(try request5())
        case (Self.userAndPassword, let (user, password)?):
            // RFC 1929 §2: the lengths are bytes.
            guard (1...255).contains(user.count), (1...255).contains(password.count) else {
                throw .unsendable("a user or a password of SOCKS 5 has from 1 to 255 bytes (RFC 1929)")
            }
            state = .login
            return .send([1, UInt8(user.count)] + user + [UInt8(password.count)] + password)
        case (0xFF, _): throw .noMethod
        default: throw .malformed(bytes)
        }
    }

    private mutating func loginCame(_ buffer: inout ByteBuffer) throws(Failure) -> Step {
        try check(buffer, at: 0, is: 1)
        guard let bytes = buffer.readBytes(length: 2) else { return .wait }
        guard bytes[1] == 0 else { throw .credentialRefused }
        state = .reply
        return .send(try request5())
    }

    /// RFC 1928 §4 and §5.
    private func request5() throws(Failure) -> [UInt8] {
        var bytes: [UInt8] = [5, 1, 0]
        switch destination.host {
        case .address(let address): bytes += [address.isIPv4 ? Self.ipv4 : Self.ipv6] + address.bytes
        case .name(let name):
            guard (1...255).contains(name.utf8.count) else { throw .unsendable("the name of the host is too long") }
            bytes += [Self.name, UInt8(name.utf8.count)] + name.utf8
        }
        return bytes + port
    }

    /// RFC 1928 §6. The bound address is of no use.
    private mutating func reply5Came(_ buffer: inout ByteBuffer) throws(Failure) -> Step {
        try check(buffer, at: 0, is: 5)
        if let code = buffer.byte(at: 1), code != 0 { throw .refused(Int(code), Self.reasons5[code] ?? "") }
        try check(buffer, at: 2, is: 0)
        guard let type = buffer.byte(at: 3) else { return .wait }
        let length: Int
        switch type {
        case Self.ipv4: length = 4
        case Self.ipv6: length = 16
        case Self.name:
            guard let count = buffer.byte(at: 4) else { return .wait }
            length = 1 + Int(count)
        default: throw .malformed(buffer.firstBytes)
        }
        guard buffer.readBytes(length: 4 + length + 2) != nil else { return .wait }
        state = .open
        return .open
    }

    private static let reasons5: [UInt8: String] = [
        1: "general failure", 2: "its rules do not allow the connection", 3: "the network is unreachable",
        4: "the host is unreachable", 5: "the connection was refused", 6: "the time to live is over",
        7: "it does not support the command", 8: "it does not support the type of the address",
    ]

    // MARK: SOCKS 4 and 4a

    private func request4() throws(Failure) -> [UInt8] {
        let user = credential?.user ?? []
        guard !user.contains(0) else { throw .unsendable("the name of a user of SOCKS 4 has no zero byte") }
        let head: [UInt8] = [4, 1] + port
        switch destination.host {
        case .address(let address):
            guard address.isIPv4 else { throw .unsendable("SOCKS 4 knows no addresses of IPv6") }
            return head + address.bytes + user + [0]
        case .name(let name):
            // 4a: an address that cannot be one, and the name behind the user.
            guard !name.utf8.contains(0), (1...255).contains(name.utf8.count) else {
                throw .unsendable("the name of the host is too long")
            }
            return head + [0, 0, 0, 1] + user + [0] + name.utf8 + [0]
        }
    }

    private mutating func reply4Came(_ buffer: inout ByteBuffer) throws(Failure) -> Step {
        // The version of the reply is 0; some proxies send 4.
        if let version = buffer.byte(at: 0), version != 0, version != 4 { throw .malformed(buffer.firstBytes) }
        switch buffer.byte(at: 1) {
        case nil: return .wait
        case 0x5A: break
        case 0x5B: throw .refused(0x5B, "the connection was refused or has failed")
        case 0x5C, 0x5D: throw .credentialRefused
        default: throw .malformed(buffer.firstBytes)
        }
        guard buffer.readBytes(length: 8) != nil else { return .wait }
        state = .open
        return .open
    }

    // MARK: Bytes

    private var port: [UInt8] { [UInt8(truncatingIfNeeded: destination.port >> 8), UInt8(destination.port & 0xFF)] }

    private func check(_ buffer: ByteBuffer, at offset: Int, is byte: UInt8) throws(Failure) {
        if let found = buffer.byte(at: offset), found != byte { throw .malformed(buffer.firstBytes) }
    }
}

extension ByteBuffer {
    fileprivate func byte(at offset: Int) -> UInt8? {
        offset < readableBytes ? getInteger(at: readerIndex + offset) : nil
    }

    /// For messages.
    fileprivate var firstBytes: [UInt8] { Array(readableBytesView.prefix(32)) }
}
