import NIOCore

extension ResponseBody {
    /// What was read of a body that nobody waits for.
    struct Beginning: Sendable {
        var bytes = ByteBuffer()
        /// Whether the body ended there, well or not.
        var isAll = false
    }

    /// The body as far as it comes within a time and a size: for whoever could do without it, as after a redirect or a refused
    /// response. What ends it early does not matter.
    ///
    /// A server that sends no more, or a byte now and then for ever, holds nobody up longer than that, whatever the timeouts. A
    /// body that is not over by then is given up together with its connection.
    ///
    /// - Parameters:
    ///   - limit: The most bytes to return.
    ///   - time: How long to wait in all; with zero only the first piece counts, and only if it is here. Default: one second.
    /// - Returns: The bytes.
    func beginning(upTo limit: Int, within time: Duration = .seconds(1)) async -> Beginning {
        await withTaskGroup(of: Beginning?.self) { group in
            if time > .zero {
                group.addTask {
                    try? await Task.sleep(for: time)
                    return nil
                }
            } else {
                group.cancelAll()
            }
            group.addTask { await self.read(upTo: limit) }
            var beginning = Beginning()
            // Whichever ends first stops the other; a reader that was stopped still returns what it has.
            while let result = await group.next() {
                group.cancelAll()
                if let result { beginning = result }
            }
            return beginning
        }
    }

    private func read(upTo limit: Int) async -> Beginning {
        var beginning = Beginning()
        var buffers = makeBuffers()
        do {
            while let piece = try await buffers.next() {
                let room = limit - beginning.bytes.readableBytes
                beginning.bytes.writeBytes(piece.readableBytesView.prefix(Swift.max(room, 0)))
                // Not every sequence minds being cancelled.
                guard piece.readableBytes <= room, !Task.isCancelled else { return beginning }
            }
        } catch {}
        beginning.isAll = !Task.isCancelled
        return beginning
    }
}
