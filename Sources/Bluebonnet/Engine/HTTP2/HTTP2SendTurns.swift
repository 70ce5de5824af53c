import NIOCore

/// The order in which the streams of a connection send what they have, as a value without I/O: each
/// in its turn. Streams that only the window of the connection holds back wait in a line of their
/// own, so that a window that becomes larger wakes as many as it has room for, and no others (RFC
/// 9113 §6.9).
///
/// Streams that wait for their own window, their source or their task are in no line.
struct HTTP2SendTurns {
    /// The end of a stream's turn.
    enum Outcome {
        /// It has more to send, or the socket took no more.
        case goesOn
        /// Only the window of the connection holds back what is there.
        case needsWindow
        /// It has nothing to send until something of its own changes.
        case rests
    }

    private var ready = CircularBuffer<Int>()
    private var waiting = CircularBuffer<Int>()
    /// Whether each stream of a line waits for the window of the connection.
    private var places: [Int: Bool] = [:]

    /// Something has changed for a stream: it gets a turn, unless it is in a line.
    mutating func wake(_ stream: Int) {
        place(stream, .goesOn)
    }

    /// The stream that has its turn now, which leaves its line; nil where none has. Streams that
    /// waited for the window come first, since they have waited longer.
    mutating func next(hasWindow: Bool) -> Int? {
        guard let stream = (hasWindow ? waiting.popFirst() : nil) ?? ready.popFirst() else { return nil }
        places[stream] = nil
        return stream
    }

    /// Whether a stream has its turn now.
    func hasNext(hasWindow: Bool) -> Bool {
        !ready.isEmpty || (hasWindow && !waiting.isEmpty)
    }

    /// A stream has had its turn: it comes to the end of the line that is right for it.
    mutating func place(_ stream: Int, _ outcome: Outcome) {
        guard outcome != .rests, places[stream] == nil else { return }
        let needsWindow = outcome == .needsWindow
        places[stream] = needsWindow
        if needsWindow { waiting.append(stream) } else { ready.append(stream) }
    }

    /// A stream has ended.
    mutating func remove(_ stream: Int) {
        guard let needsWindow = places.removeValue(forKey: stream) else { return }
        if needsWindow { waiting.removeAll { $0 == stream } } else { ready.removeAll { $0 == stream } }
    }
}
