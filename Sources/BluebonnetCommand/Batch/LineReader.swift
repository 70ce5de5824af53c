import Bluebonnet
import Dispatch
import Synchronization

/// The lines of a file as they come. A thread reads them, so that a program that writes lines
/// slowly delays nothing else.
///
/// A line is handed out as soon as its end has been read. When lines are taken slower than they
/// come, reading stops.
final class LineReader: Sendable {
    /// A line and its number.
    struct Line: Sendable {
        /// From 1.
        var number: Int
        var content: LineCutter.Line
    }

    /// The most bytes of a line, unless another number is chosen.
    static let usualLimit = 64 << 20

    private struct State {
        /// The lines that no worker has taken yet, the next one last.
        var ready: [LineCutter.Line] = []
        var readyBytes = 0
        var taken = 0
        var waiting: [CheckedContinuation<Line?, Never>] = []
        var isAtEnd = false
        var isStopped = false
        var isReaderWaiting = false
        var failure: String?

        mutating func take() -> Line? {
            guard !isStopped, let content = ready.popLast() else { return nil }
            taken += 1
            readyBytes -= content.size
            return Line(number: taken, content: content)
        }
    }

    private let state = Mutex(State())
    private let roomForMore = DispatchSemaphore(value: 0)

    /// Begins to read.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - limit: The most bytes of a line without its end.
    init(_ file: consuming InputFile, limit: Int = LineReader.usualLimit) {
        let box = Mutex<InputFile?>(consume file)
        DispatchQueue(label: "bluebonnet.lines").async { [self] in
            guard let file = box.withLock({ $0.take() }) else { return }
            read(LineCutter(limit: limit)) { try file.next() }
        }
    }

    /// Begins to read lines that are typed on a terminal.
    init(_ lines: TypedLines) {
        DispatchQueue(label: "bluebonnet.lines").async { [self] in
            read(LineCutter(limit: Self.usualLimit)) { try lines.next() }
        }
    }

    /// The reason why reading ended before the end of the file.
    var failure: String? { state.withLock { $0.failure } }

    /// The next line; nil when there are no more.
    func next() async -> Line? {
        if let line = takeReady() { return line }
        return await withCheckedContinuation { continuation in
            let (line, isDone) = state.withLock { state -> (Line?, Bool) in
                if let line = state.take() { return (line, true) }
                if state.isAtEnd || state.isStopped { return (nil, true) }
                state.waiting.append(continuation)
                return (nil, false)
            }
            if isDone { continuation.resume(returning: line) }
        }
    }

    /// Hands out no more lines; workers that wait for one get nil. A read that blocks the reading
    /// thread still blocks it.
    func stop() {
        let waiting = state.withLock { state in
            state.isStopped = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume(returning: nil) }
    }

    private func takeReady() -> Line? {
        let (line, continuesReading) = state.withLock { state -> (Line?, Bool) in
            let line = state.take()
            guard state.isReaderWaiting, state.ready.isEmpty else { return (line, false) }
            state.isReaderWaiting = false
            return (line, true)
        }
        if continuesReading { roomForMore.signal() }
        return line
    }

    // MARK: The reading thread

    private func read(_ cutter: consuming LineCutter, _ next: () throws -> [UInt8]?) {
        do {
            while let block = try next() {
                add(cutter.push(block))
                waitForRoom()
            }
            if let line = cutter.finish() { add([line]) }
        } catch {
            state.withLock { $0.failure = "\(error)" }
        }
        let waiting = state.withLock { state in
            state.isAtEnd = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume(returning: nil) }
    }

    private func add(_ lines: [LineCutter.Line]) {
        guard !lines.isEmpty else { return }
        let served = state.withLock { state -> [(CheckedContinuation<Line?, Never>, Line)] in
            // Reading waits until all lines were taken: the list is short, and reversing it costs
            // little.
            state.ready = state.ready.isEmpty ? lines.reversed() : lines.reversed() + state.ready
            state.readyBytes += lines.reduce(0) { $0 + $1.size }
            var served: [(CheckedContinuation<Line?, Never>, Line)] = []
            while !state.waiting.isEmpty, let line = state.take() {
                served.append((state.waiting.removeLast(), line))
            }
            return served
        }
        for (continuation, line) in served { continuation.resume(returning: line) }
    }

    /// The number of waiting lines, or of their bytes, that stops the reading until all of them
    /// have been taken.
    private static let mostWaiting = (lines: 1024, bytes: 8 << 20)

    private func waitForRoom() {
        let waits = state.withLock { state in
            let most = Self.mostWaiting
            state.isReaderWaiting = state.ready.count >= most.lines || state.readyBytes >= most.bytes
            return state.isReaderWaiting
        }
        if waits { roomForMore.wait() }
    }
}
