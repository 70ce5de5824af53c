import NIOCore
import NIOSSL

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

extension Channel {
    /// Has the socket end the connection with RST instead of FIN when it is closed. Called on the
    /// event loop.
    func endWithReset() {
        let provider = self as? any SocketOptionProvider
        _ = provider?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
    }

    /// Closes the socket at once with RST instead of FIN; TLS sends no close_notify. Called on the
    /// event loop.
    func reset() {
        endWithReset()
        // The close begins below TLS.
        if let tls = try? pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self) {
            tls.close(mode: .all, promise: nil)
        } else {
            close(promise: nil)
        }
    }
}
