import HTTPTypes
import NIOCore

extension HTTP1Connection {
    /// The response with status 101 is complete (RFC 9110 §15.2.2): the channel is handed over, and
    /// the connection leaves the pool. It stays in the pipeline, and passes everything on.
    ///
    /// - Parameters:
    ///   - run: The run of the exchange that asked for the switch.
    ///   - rest: What came behind the response in the same read.
    ///   - now: The present time.
    func switchProtocols(_ run: ExchangeRun, behind rest: ByteBuffer, now: NIODeadline) {
        guard let context else { return }
        let tunnel = HTTP1Tunnel(
            to: route.origin,
            on: context.eventLoop,
            early: [rest] + machine.switchProtocols()
        )
        run.opened(tunnel)
        run.end(trailers: [:], now: now)
        nextDeadline = nil
        self.run = nil
        leavePool()
        do {
            try context.pipeline.syncOperations.addHandler(tunnel, position: .after(self))
        } catch {
            // Only a channel that is closed already refuses a handler: the tunnel ends as it
            // begins.
            context.close(promise: nil)
        }
        run.deliver()
    }
}
