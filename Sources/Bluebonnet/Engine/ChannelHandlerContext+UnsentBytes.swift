import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension ChannelHandlerContext {
    /// The number of bytes that were written and that the peer's system has not acknowledged.
    var unsentBytes: Int {
        let inChannel = (try? channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
        #if os(Linux)
            let inSystem = try? pipeline.syncOperations.withUnsafeTransportIfAvailable(
                of: NIOBSDSocket.Handle.self
            ) { socket in
                // SIOCOUTQ (tcp(7), unix(7)), which has the number of TIOCOUTQ.
                var count: CInt = 0
                return unsafe ioctl(socket, UInt(TIOCOUTQ), &count) == 0 ? Int(count) : 0
            }
            return inChannel + (inSystem ?? 0)
        #else
            return inChannel
        #endif
    }
}
