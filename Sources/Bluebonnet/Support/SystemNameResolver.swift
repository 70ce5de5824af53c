import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The system's name lookup: `getaddrinfo`, with `/etc/hosts`, the name servers of
/// `/etc/resolv.conf` and whatever `/etc/nsswitch.conf` names.
///
/// It asks for each family apart: a name server that has no response for one family, as many old
/// routers for `AAAA`, does not delay the addresses of the other. The addresses of a family are in
/// the order of RFC 6724; the system does not tell how long they hold.
///
/// A lookup cannot be stopped, and with a dead name server it takes up to half a minute. So each
/// has a thread of its own; at most 512 run at once in the process, those of 256 names, and others
/// wait for their turn.
///
/// Counterpart of the lookup of URLSession.
public struct SystemNameResolver: NameResolver {
    /// A lookup failed; with the text of `gai_strerror`.
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    /// Makes the resolver.
    public init() {}

    /// Looks a host name up with `getaddrinfo`.
    ///
    /// - Parameters:
    ///   - host: The name.
    ///   - family: The family of the addresses.
    /// - Returns: The addresses, without a time.
    /// - Throws: An error with the system's text, such as “Name or service not known”; or
    ///   `CancellationError`.
    public func addresses(of host: String, in family: IPAddress.Family) async throws -> FoundAddresses {
        try await BlockingThreads.lookups.runUntilCancelled { isWanted in
            guard isWanted() else { throw CancellationError() }
            return try Self.find(host, in: family)
        }
    }

    private static func find(_ host: String, in family: IPAddress.Family) throws -> FoundAddresses {
        var hints = unsafe addrinfo()
        unsafe hints.ai_family = family == .ipv4 ? AF_INET : AF_INET6
        #if canImport(Glibc)
            unsafe hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        #else
            unsafe hints.ai_socktype = SOCK_STREAM
        #endif
        unsafe hints.ai_protocol = CInt(IPPROTO_TCP)
        var first: UnsafeMutablePointer<addrinfo>?
        // getaddrinfo fills a list that freeaddrinfo takes back; it is only read in between. The
        // family of an address tells its type.
        let code = unsafe getaddrinfo(host, nil, &hints, &first)
        guard code == 0 else { throw Failure(code: code, errno: errno) }
        defer { unsafe freeaddrinfo(first) }
        var addresses: [IPAddress] = []
        var next = unsafe first
        while let info = unsafe next {
            let address = unsafe info.pointee.ai_addr
            switch unsafe info.pointee.ai_family {
            case AF_INET:
                unsafe address?.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                    if let address = IPAddress(unsafe $0.pointee) { addresses.append(address) }
                }
            case AF_INET6:
                unsafe address?.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                    if let address = IPAddress(unsafe $0.pointee) { addresses.append(address) }
                }
            default: break
            }
            unsafe next = info.pointee.ai_next
        }
        return FoundAddresses(addresses)
    }
}

extension SystemNameResolver.Failure {
    /// - Parameters:
    ///   - code: The result of `getaddrinfo`.
    ///   - errno: The system's error, which `EAI_SYSTEM` refers to (RFC 3493 §6.1).
    init(code: CInt, errno: CInt) {
        description = unsafe String(cString: gai_strerror(code))
        if code == EAI_SYSTEM { description += ": \(errno.reason)" }
    }
}

extension SystemNameResolver: NameSource {
    func lookUp(
        _ host: String,
        in family: IPAddress.Family,
        isWanted: @escaping @Sendable () -> Bool,
        completion: @escaping @Sendable (Result<FoundAddresses, any Error>) -> Void
    ) -> @Sendable () -> Void {
        BlockingThreads.lookups.submit { unavailable in
            if let unavailable {
                completion(.failure(unavailable))
            } else if isWanted() {
                completion(Result { try Self.find(host, in: family) })
            }
        }
        return {}
    }
}
