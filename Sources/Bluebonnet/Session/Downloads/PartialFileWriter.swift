import NIOCore
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Writes one response into a partial file: reserves room ahead, and has the disk take what was
/// written from time to time.
final class PartialFileWriter: Sendable {
    /// How often the disk is made to take what was written. A loss of power costs at most what came
    /// since.
    static let interval = TimeAmount.seconds(5)
    /// The least and the most bytes that are reserved ahead. In between it is as much as was
    /// received: a server that names a length and sends nothing takes no room from others.
    static let reservations = (1 << 24)...(1 << 30)

    private struct State {
        var position: Int
        var reserved: Int
        var secured: NIODeadline
    }

    private let partial: PartialFile
    private let length: Int?
    private let end: Int
    private let interval: TimeAmount
    private let writes = OngoingWrites()
    /// Locked by one write at a time.
    private let state: Mutex<State>

    /// Makes a writer of what follows a position. Blocks.
    ///
    /// - Parameters:
    ///   - partial: The file.
    ///   - position: Where the body begins.
    ///   - length: The length of the whole; nil where it is not known.
    ///   - end: Where the body must have ended; nil where the server did not say.
    ///   - interval: How often the disk is made to take what was written.
    /// - Throws: ``SystemFile/Failure`` with ENOSPC for a length for which the disk has no room,
    ///   so that it is known before all the bytes have come.
    init(_ partial: PartialFile, at position: Int, length: Int?, end: Int? = nil, interval: TimeAmount = interval)
        throws
    {
        self.partial = partial
        self.interval = interval
        self.end = end ?? .max
        let room = length.map { Self.reservation(after: position, length: $0) } ?? 0
        var canReserve = false
        if let length {
            canReserve = try partial.file.reserve(room)
            // Where nothing can be reserved, the room may not be what it seems either: a file
            // system that compresses.
            if canReserve, let free = partial.file.freeSpace, length - room > free {
                throw SystemFile.Failure(path: partial.file.path, code: ENOSPC)
            }
        }
        self.length = canReserve ? length : nil
        state = Mutex(State(position: position, reserved: room, secured: .now()))
    }

    /// The size up to which room is reserved when so many bytes were received.
    static func reservation(after position: Int, length: Int) -> Int {
        let ahead = min(max(position, reservations.lowerBound), reservations.upperBound)
        return length - position > ahead ? position + ahead : length
    }

    /// Has the writer write no more: the file may be another download's. Returns when it does not
    /// write.
    func close() async {
        await writes.close()
    }

    /// Writes what comes next, and returns where it begins.
    func write(_ blocks: [ByteBuffer]) throws -> Int {
        try writes.perform {
            try state.withLock { state in
                let start = state.position
                let end = blocks.reduce(state.position) { $0 + $1.readableBytes }
                guard end <= self.end else {
                    throw NetworkingError(
                        .unexpectedContentRange,
                        "The server sent more of the file than its Content-Range says."
                    )
                }
                if let length, end > state.reserved, state.reserved < length {
                    state.reserved = Self.reservation(after: end, length: length)
                    try partial.file.reserve(state.reserved)
                }
                try partial.file.write(blocks, at: state.position)
                state.position = end
                let now = NIODeadline.now()
                if now - state.secured >= interval {
                    state.secured = now
                    partial.secureLater(.beginning(end))
                }
                return start
            }
        }
    }
}
