import NIOCore
import NIOPosix

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The system's name lookup (`getaddrinfo`, ordered by RFC 6724) on a thread that may block, and the time when it was done.
///
/// NIO's own resolver does the same but tells nobody how long it took. Lives on one event loop.
// Unchecked Sendable because NIO asks for it: all calls and all changes happen on `eventLoop`.
final class SystemResolver: Resolver, @unchecked Sendable {
    private let eventLoop: any EventLoop
    private let v4: EventLoopPromise<[SocketAddress]>
    private let v6: EventLoopPromise<[SocketAddress]>
    private var hasStarted = false
    private(set) var resolvedAt: NIODeadline?

    /// The lookup failed: what `gai_strerror` says.
    struct LookupError: Error, CustomStringConvertible {
        var description: String
    }

    init(eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
        v4 = eventLoop.makePromise()
        v6 = eventLoop.makePromise()
    }

    func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        start(host: host, port: port)
        return v4.futureResult
    }

    func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        start(host: host, port: port)
        return v6.futureResult
    }

    func cancelQueries() {
        // A lookup under way cannot be stopped; its result goes nowhere.
    }

    private func start(host: String, port: Int) {
        guard !hasStarted else { return }
        hasStarted = true
        NIOThreadPool.singleton.runIfActive(eventLoop: eventLoop) {
            try Self.lookUp(host: host, port: port)
        }
        .whenComplete { result in
            self.resolvedAt = .now()
            switch result {
            case .success(let addresses):
                self.v6.succeed(addresses.filter { $0.protocol == .inet6 })
                self.v4.succeed(addresses.filter { $0.protocol == .inet })
            case .failure(let error):
                self.v6.fail(error)
                self.v4.fail(error)
            }
        }
    }

    private static func lookUp(host: String, port: Int) throws -> [SocketAddress] {
        var hints = unsafe addrinfo()
        unsafe hints.ai_family = AF_UNSPEC
        #if canImport(Glibc)
            unsafe hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        #else
            unsafe hints.ai_socktype = SOCK_STREAM
        #endif
        unsafe hints.ai_protocol = CInt(IPPROTO_TCP)
        var first: UnsafeMutablePointer<addrinfo>?
        // getaddrinfo fills a list that freeaddrinfo takes back; it is only read in between.
        let code = unsafe getaddrinfo(host, String(port), &hints, &first)
        guard code == 0 else {
            throw LookupError(description: unsafe String(cString: gai_strerror(code)))
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
