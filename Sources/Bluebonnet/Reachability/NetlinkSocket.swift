#if os(Linux)
    import CNetlink
    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// A socket to the part of the kernel that knows links, addresses and routes (rtnetlink). It
    /// needs no privilege.
    final class NetlinkSocket: Sendable {
        /// The system refused a call; with its `errno`.
        struct Failure: Error {
            let code: CInt
        }

        let descriptor: CInt

        /// Opens a socket.
        ///
        /// - Parameter listens: Whether it gets each change and never blocks. Otherwise it gets
        ///   only replies, and waits two seconds for them at most.
        /// - Throws: ``Failure``.
        init(listens: Bool) throws(Failure) {
            #if canImport(Glibc)
                let type = CInt(SOCK_RAW.rawValue)
            #else
                let type = SOCK_RAW
            #endif
            // SOCK_CLOEXEC and SOCK_NONBLOCK have the numbers of these flags. NETLINK_ROUTE is 0.
            descriptor = socket(AF_NETLINK, type | O_CLOEXEC | (listens ? O_NONBLOCK : 0), 0)
            guard descriptor >= 0 else { throw Failure(code: errno) }
            var address = sockaddr_nl()
            address.nl_family = sa_family_t(AF_NETLINK)
            // RTMGRP_LINK, then RTMGRP_IPV4_IFADDR, RTMGRP_IPV4_ROUTE and RTMGRP_IPV4_RULE, the
            // same three of IPv6, and RTNLGRP_NEXTHOP, of which an old kernel has nothing to say.
            if listens { address.nl_groups = 0x1 | 0x10 | 0x40 | 0x80 | 0x100 | 0x400 | 0x4_0000 | 0x8000_0000 }
            // bind reads the address, as long as it is.
            let result = unsafe withUnsafePointer(to: &address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_nl>.size))
                }
            }
            guard result == 0 else {
                let code = errno
                close(descriptor)
                throw Failure(code: code)
            }
            if listens {
                // More changes wait for their turn. The system takes less where it allows less.
                var size: CInt = 1 << 20
                unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<CInt>.size))
            } else {
                var limit = timeval(tv_sec: 2, tv_usec: 0)
                unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
            }
        }

        deinit {
            close(descriptor)
        }

        /// The result of a read.
        enum Reading {
            case datagram(NetlinkDatagram)
            /// There is nothing to read now.
            case nothing
            /// The kernel has dropped messages, because too many waited.
            case overrun
        }

        /// The kernel sends 32 KiB at most.
        static let bufferSize = 1 << 16

        /// Reads one datagram into a buffer, which is to have ``bufferSize``.
        ///
        /// - Throws: ``Failure``.
        func read(_ buffer: inout [UInt8]) throws(Failure) -> Reading {
            while true {
                var sender = sockaddr_nl()
                var length = socklen_t(MemoryLayout<sockaddr_nl>.size)
                let size = buffer.count
                // recvfrom writes as many bytes as there is room for, into both.
                let count = unsafe withUnsafeMutablePointer(to: &sender) { pointer in
                    unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                        unsafe buffer.withUnsafeMutableBytes { bytes in
                            unsafe recvfrom(
                                descriptor,
                                bytes.baseAddress,
                                size,
                                CInt(MSG_TRUNC),
                                address,
                                &length
                            )
                        }
                    }
                }
                guard count >= 0 else {
                    switch errno {
                    case EINTR: continue
                    case EAGAIN: return .nothing
                    case ENOBUFS: return .overrun
                    default: throw Failure(code: errno)
                    }
                }
                // Other processes may send to the socket: only the kernel has the number 0.
                if sender.nl_pid != 0 { continue }
                // Longer than there was room for.
                if count > size { return .overrun }
                return .datagram(NetlinkDatagram(buffer[..<count]))
            }
        }

        /// Reads all rules, links, addresses and routes.
        ///
        /// - Parameters:
        ///   - state: An empty state.
        ///   - between: Called again and again while it is read: a large table takes a while.
        /// - Returns: The state; nil where it changed while it was read.
        /// - Throws: ``Failure``.
        static func readAll(_ state: NetworkState, between: () -> Void) throws(Failure) -> NetworkState? {
            var state = state
            var buffer = [UInt8](repeating: 0, count: bufferSize)
            let socket = try NetlinkSocket(listens: false)
            // RTM_GETRULE, RTM_GETLINK, RTM_GETADDR, RTM_GETROUTE
            for type in [34, 18, 22, 26] as [UInt16] {
                try socket.request(type)
                var isEnd = false
                while !isEnd {
                    guard case .datagram(let datagram) = try socket.read(&buffer) else { return nil }
                    // A kernel may be built without rules.
                    if let code = datagram.failure, type != 34 { throw Failure(code: code) }
                    if datagram.isIncomplete { return nil }
                    for message in datagram.messages { _ = state.apply(message) }
                    isEnd = datagram.isEnd
                    between()
                }
            }
            return state
        }

        /// Asks for all of one kind: struct nlmsghdr, and the shorter form of what follows it,
        /// struct rtgenmsg of any family.
        private func request(_ type: UInt16) throws(Failure) {
            var header = nlmsghdr()
            header.nlmsg_len = 20
            header.nlmsg_type = type
            // NLM_F_REQUEST and NLM_F_DUMP
            header.nlmsg_flags = 0x1 | 0x300
            var message = [UInt8](repeating: 0, count: 20)
            // The header has 16 bytes.
            unsafe withUnsafeBytes(of: &header) { header in
                unsafe message.replaceSubrange(..<16, with: header)
            }
            let sent = unsafe send(descriptor, message, message.count, 0)
            guard sent == message.count else { throw Failure(code: sent < 0 ? errno : EIO) }
        }
    }
#endif
