import NIOCore
import Synchronization

extension ResponseBody {
    /// The beginning of a body that is not needed as a whole.
    struct Beginning: Sendable {
        var bytes = ByteBuffer()
        /// Whether the body ended there, well or not.
        var isAll = false
        /// The error that ended it early.
        var error: (any Error)?
    }

    /// The body as far as it comes within a time and a size: for a body that is not needed, as
    /// after a redirect or a refused response. An error that ends it early is part of the result.
    ///
    /// A server that sends no more, or a byte now and then for ever, does not hold the caller up
    /// longer than that, whatever the timeouts. A body that is not over by then is given up
    /// together with its connection.
    ///
    /// - Parameters:
    ///   - limit: The most bytes to return.
    ///   - time: The time to wait in all; with zero only what is here counts. Default: one second.
    ///   - goesOn: Whether a body that was read in part is read on. Default: false.
    /// - Returns: The bytes.
    func beginning(
        upTo limit: Int,
        within time: Duration = .seconds(1),
        goesOn: Bool = false
    ) async -> Beginning {
        let reading = Reading()
        let call = StoppableCall()
        // A stopped reader has failed, but what it has read counts.
        try? await call.run {
            // The time runs from here: a machine may be too busy to begin at once.
            let end = time > .zero ? StoppableCall.schedule(at: .now().advanced(by: time)) { call.stop() } : nil
            defer { end?.cancel() }
            if end == nil { call.stop() }
            await read(upTo: limit, to: reading, goesOn: goesOn)
        }
        return reading.beginning.withLock { $0 }
    }

    /// Reads and drops the body so that its connection can serve again; gives both up beyond the
    /// limit, after a second, or at an error.
    ///
    /// Content coding is not undone for it.
    ///
    /// - Parameter limit: The most bytes to read for that. A new connection costs more than a few
    ///   of them. Default: 64 KiB.
    public func discard(upTo limit: Int = 65_536) async {
        // A body that was read in part is read on, and nobody reads it afterwards.
        _ = options.use?.begin()
        guard case .stream(let reader) = storage else { return }
        if isBeingStored {
            // The cache wants the bytes that nobody reads, as those of a redirect.
            var stored = self
            stored.options.transforms = Array(options.transforms.prefix(1))
            let beginning = await stored.beginning(upTo: limit)
            if beginning.isAll, beginning.error == nil { return }
        }
        let stream = reader.stream
        _ = reader.begin()
        // Most bodies are here already, and cost neither a timer nor a task.
        var count = 0
        while count <= limit, let piece = stream.nextIfAvailable() { count += piece.readableBytes }
        guard count <= limit, stream.finished == nil else { return }
        // Without the transforms: bytes that are dropped need none.
        _ = await ResponseBody(storage).beginning(upTo: limit - count, goesOn: true)
    }

    /// The bytes read so far, also by a reader that never ends.
    private final class Reading: Sendable {
        let beginning = Mutex(Beginning())
    }

    private func read(upTo limit: Int, to reading: Reading, goesOn: Bool) async {
        var buffers = makeBuffers(goesOn: goesOn)
        var failure: (any Error)?
        do {
            while let piece = try await buffers.next() {
                let isWithin = reading.beginning.withLock { beginning in
                    let room = limit - beginning.bytes.readableBytes
                    beginning.bytes.writeBytes(piece.readableBytesView.prefix(Swift.max(room, 0)))
                    return piece.readableBytes <= room
                }
                // Not every sequence ends when it is cancelled.
                guard isWithin, !Task.isCancelled else { return }
            }
        } catch {
            failure = error
        }
        guard !Task.isCancelled else { return }
        reading.beginning.withLock { beginning in
            beginning.isAll = true
            beginning.error = failure
        }
    }
}
