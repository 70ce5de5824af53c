import NIOCore
import NIOPosix

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Finds the addresses of host names. ``NameLookups`` calls it, and shares the lookups that are
/// under way.
protocol NameResolver: Sendable {
    /// Looks a host name up.
    ///
    /// - Parameters:
    ///   - host: The name; never a literal address.
    ///   - isWanted: Called by a resolver that delays a lookup, before it begins. False when no
    ///     request waits for the lookup any more, so that it need not be made.
    ///   - completion: To be called once, on any thread, with the addresses in the order in which
    ///     they are to be tried (RFC 6724); their ports do not matter.
    func lookUp(
        _ host: String,
        isWanted: @escaping @Sendable () -> Bool,
        completion: @escaping @Sendable (Result<[SocketAddress], any Error>) -> Void
    )
}

/// The system's name lookup (`getaddrinfo`, ordered by RFC 6724), on threads of its own: it cannot
/// be stopped, and with a dead name server it takes half a minute.
struct SystemNameResolver: NameResolver {
    /// A lookup failed; with the text of `gai_strerror`.
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    func lookUp(
        _ host: String,
        isWanted: @escaping @Sendable () -> Bool,
        completion: @escaping @Sendable (Result<[SocketAddress], any Error>) -> Void
    ) {
        BlockingThreads.lookups.submit { unavailable in
            if let unavailable {
                completion(.failure(unavailable))
            } else if isWanted() {
                completion(Result { try Self.addresses(of: host) })
            }
        }
    }

    private static func addresses(of host: String) throws -> [SocketAddress] {
        var hints = unsafe addrinfo()
        unsafe hints.ai_family = AF_UNSPEC
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
        guard code == 0 else {
            throw Failure(description: unsafe String(cString: gai_strerror(code)))
        }
        defer { unsafe freeaddrinfo(first) }
        var addresses: [SocketAddress] = []
        var next = unsafe first
        while let info = unsafe next {
            let address = unsafe info.pointee.ai_addr
            switch unsafe info.pointee.ai_family {
            case AF_INET:
                unsafe address?.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                    addresses.append(SocketAddress(unsafe $0.pointee, host: host))
                }
            case AF_INET6:
                unsafe address?.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                    addresses.append(SocketAddress(unsafe $0.pointee, host: host))
                }
            default: break
            }
            unsafe next = info.pointee.ai_next
        }
        return addresses
    }
}

/// Addresses that were found before, for NIO's Happy Eyeballs (RFC 8305).
struct FoundAddresses: Resolver {
    private let addresses: [SocketAddress]
    private let eventLoop: any EventLoop

    init(_ addresses: [SocketAddress], port: Int, on eventLoop: any EventLoop) {
        self.addresses = addresses.map { address in
            var address = address
            address.port = port
            return address
        }
        self.eventLoop = eventLoop
    }

    func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        eventLoop.makeSucceededFuture(addresses.filter { $0.protocol == .inet })
    }

    func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        eventLoop.makeSucceededFuture(addresses.filter { $0.protocol == .inet6 })
    }

    func cancelQueries() {
        // None is under way: a query is complete when it begins.
    }
}
