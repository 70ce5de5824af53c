import HTTPTypes
import NIOCore
import NIOHTTP1

/// What endpoints that fail on purpose do with the connection of a request.
extension Exchange {
    /// The channel of the connection; that of the request itself is a stream over HTTP/2.
    private var connection: any Channel {
        if isOverHTTP2, let parent = channel.parent { parent } else { channel }
    }

    /// Closes the connection with RST instead of FIN, and without an end of TLS.
    func resetConnection() async throws {
        let connection = connection
        try await connection.eventLoop.submit { connection.reset() }.get()
    }

    /// Closes the connection in the usual way.
    func closeConnection() async throws {
        try await connection.close().get()
    }

    /// Waits until the client has closed the connection, or the server stops.
    func waitUntilClosed() async throws {
        let connection = connection
        try await withTaskCancellationHandler {
            try await connection.closeFuture.get()
        } onCancel: {
            connection.close(promise: nil)
        }
    }

    /// Sends bytes in place of a response, and closes the connection.
    ///
    /// - Parameter text: The bytes.
    /// - Throws: ``EndpointError`` over HTTP/2, whose frames have no place for them.
    func send(raw text: String) async throws {
        guard !isOverHTTP2 else { throw EndpointError(.notImplemented, "This fault needs HTTP/1.1.") }
        let channel = channel
        try await channel.eventLoop.flatSubmit {
            do {
                // Below the encoder, bytes are not checked.
                let context = try channel.pipeline.syncOperations.context(handlerType: HTTPResponseEncoder.self)
                let sent = context.eventLoop.makePromise(of: Void.self)
                context.writeAndFlush(NIOAny(ByteBuffer(string: text)), promise: sent)
                return sent.futureResult.flatMap { channel.close() }
            } catch {
                return channel.eventLoop.makeFailedFuture(error)
            }
        }
        .get()
    }
}
