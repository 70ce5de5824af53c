import Bluebonnet
import FoundationEssentials
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A WebSocket between standard input and standard output.
struct WebSocketRunner: Sendable {
    let socket: WebSocketTask
    /// Whether lines are sent as binary messages.
    let isBinary: Bool
    let pingInterval: Duration?
    /// The time without a message after which the end of the input closes it; nil for never.
    let patience: Duration?
    let notices: WebSocketNotices
    /// Called when the server has opened it. Returns whether what has to be kept could be.
    let whenOpen: @Sendable () -> Bool
    /// The time at which the last message came or was sent.
    private let lastMessage = LastMessage()

    init(
        socket: WebSocketTask,
        isBinary: Bool,
        pingInterval: Duration?,
        patience: Duration?,
        notices: WebSocketNotices,
        whenOpen: @escaping @Sendable () -> Bool
    ) {
        self.socket = socket
        self.isBinary = isBinary
        self.pingInterval = pingInterval
        self.patience = patience
        self.notices = notices
        self.whenOpen = whenOpen
    }

    /// What is typed, on a terminal.
    private var typed: TypedLines? { notices.typed }

    private final class LastMessage: Sendable {
        private let time = Mutex(ContinuousClock.now)

        func note() { time.withLock { $0 = .now } }
        var instant: ContinuousClock.Instant { time.withLock { $0 } }
    }

    /// Runs until the WebSocket is closed.
    ///
    /// - Throws: ``NetworkingError``, ``CommandFailure`` for a line that cannot be sent, and
    ///   ``ExitStatus/transport`` where ``whenOpen`` could not keep what it has to.
    func run() async throws {
        let openings = socket.openings
        let opening: WebSocketOpening
        do {
            opening = try await socket.value
        } catch {
            notices.showFailure(error.metrics)
            throw error
        }
        let isKept = whenOpen()
        tell(opening)
        typed?.begin()
        // When the shell continues a command that Ctrl-Z has stopped, the cursor is elsewhere.
        let signals = typed.map { typed in TerminationSignals([SIGCONT]) { _ in typed.showAgain() } }
        defer {
            typed?.end()
            signals?.stop()
        }
        let lines = try typed.map { LineReader($0) } ?? LineReader(input())
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { for await opening in openings where opening.number > 1 { tell(opening) } }
            group.addTask { try await send(lines) }
            if let pingInterval {
                group.addTask {
                    while socket.closure == nil {
                        try await Task.sleep(for: pingInterval)
                        // The connection may be lost, and opened again.
                        guard let time = try? await socket.ping() else { continue }
                        notices.tell("pong after \(Self.milliseconds(time)) ms")
                    }
                }
            }
            do {
                try await receive()
            } catch {
                lines.stop()
                group.cancelAll()
                throw error
            }
            lines.stop()
            typed?.end()
            if let closure = socket.closure { notices.tell("closed with \(closure)") }
            group.cancelAll()
            // What was to be sent failed with the end that is told already.
            while let result = await group.nextResult() {
                if case .failure(let failure as CommandFailure) = result { throw failure }
            }
        }
        // The reason is told already.
        guard isKept else { throw ExitStatus.transport }
    }

    private func input() throws(CommandFailure) -> InputFile {
        do throws(SystemFailure) {
            return try InputFile(path: "-")
        } catch {
            throw .usage("\(error).")
        }
    }

    private func send(_ lines: LineReader) async throws {
        while let line = await lines.next() {
            guard case .bytes(let bytes) = line.content else {
                await socket.close()
                throw CommandFailure.usage("Line \(line.number) is longer than \(LineReader.usualLimit) bytes.")
            }
            if isBinary {
                try await socket.send(.binary(Data(bytes)))
            } else if let text = String(validating: bytes, as: UTF8.self) {
                try await socket.send(.text(text))
            } else {
                await socket.close()
                throw CommandFailure.usage("Line \(line.number) is not UTF-8; --binary sends any bytes.")
            }
        }
        // What a signal has ended is closed as that.
        try Task.checkCancellation()
        guard let patience else { return }
        // Some servers send nothing more behind a close, also not what they owe.
        lastMessage.note()
        while case let end = lastMessage.instant + patience, end > .now {
            try await Task.sleep(until: end, clock: .continuous)
        }
        await socket.close()
    }

    private func receive() async throws {
        let output = StandardStream.output
        let isTerminal = output.isTerminal
        // On a terminal, what comes stands beside what is typed.
        let mark = isTerminal ? Paint(OutputStyle(.auto, for: output))("< ", .faint) : ""
        for try await message in socket {
            lastMessage.note()
            switch message {
            case .text(let text):
                output.write(Array((mark + (isTerminal ? ShownText.harmless(text) : text) + "\n").utf8))
            case .binary(let bytes) where isTerminal:
                output.write(line: "\(mark)(\(bytes.count) bytes)")
            case .binary(let bytes):
                output.write(Array(bytes) + [UInt8(ascii: "\n")])
            }
            typed?.show()
        }
    }

    // MARK: What is told

    private func tell(_ opening: WebSocketOpening) {
        notices.showOpening(socket.metrics)
        var parts = [opening.number == 1 ? "connected" : "connected again"]
        if let subprotocol = opening.subprotocol { parts.append("subprotocol \(subprotocol)") }
        if opening.isCompressed { parts.append("compressed") }
        if StandardInput.isTerminal, patience != nil { parts.append("^D closes") }
        notices.tell(parts.joined(separator: ", "))
    }

    private static func milliseconds(_ time: Duration) -> String {
        let tenths = Int((time / .milliseconds(1) * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}
