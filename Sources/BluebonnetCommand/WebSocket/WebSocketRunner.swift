import Bluebonnet
import FoundationEssentials

/// A WebSocket between standard input and standard output.
struct WebSocketRunner: Sendable {
    let socket: WebSocketTask
    /// Whether lines are sent as binary messages.
    let isBinary: Bool
    let pingInterval: Duration?
    /// Whether the end of the input does not close it.
    let staysOpen: Bool
    let isQuiet: Bool

    /// Runs until the WebSocket is closed.
    ///
    /// - Throws: ``NetworkingError``, and ``CommandFailure`` for a line that cannot be sent.
    func run() async throws {
        let openings = socket.openings
        tell(try await socket.value)
        let lines = LineReader(try input())
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { for await opening in openings where opening.number > 1 { tell(opening) } }
            group.addTask { try await send(lines) }
            if let pingInterval {
                group.addTask {
                    while true {
                        try await Task.sleep(for: pingInterval)
                        guard let time = try? await socket.ping() else { return }
                        tell("pong after \(Self.milliseconds(time)) ms")
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
            if !isQuiet, let closure = socket.closure { tell("closed with \(closure)") }
            group.cancelAll()
            // What was to be sent failed with the end that is told already.
            while let result = await group.nextResult() {
                if case .failure(let failure as CommandFailure) = result { throw failure }
            }
        }
    }

    private func input() throws(CommandFailure) -> InputFile {
        do throws(SystemFailure) {
            return try InputFile(path: "-")
        } catch {
            throw .usage("\(error)")
        }
    }

    private func send(_ lines: LineReader) async throws {
        while let line = await lines.next() {
            if isBinary {
                try await socket.send(.binary(Data(line.bytes)))
            } else if let text = String(validating: line.bytes, as: UTF8.self) {
                try await socket.send(.text(text))
            } else {
                await socket.close()
                throw CommandFailure.usage("Line \(line.number) is not UTF-8; --binary sends any bytes.")
            }
        }
        if !staysOpen { await socket.close() }
    }

    private func receive() async throws {
        let output = StandardStream.output
        let isTerminal = output.isTerminal
        // On a terminal, what comes stands beside what is typed.
        let mark = isTerminal ? Paint(isOn: OutputStyle(.auto, for: output).colors)("< ", .faint) : ""
        for try await message in socket {
            switch message {
            case .text(let text):
                output.write(Array((mark + (isTerminal ? ShownText.harmless(text) : text) + "\n").utf8))
            case .binary(let bytes) where isTerminal:
                output.write(line: "\(mark)(\(bytes.count) bytes)")
            case .binary(let bytes):
                output.write(Array(bytes) + [UInt8(ascii: "\n")])
            }
        }
    }

    // MARK: What is told

    private func tell(_ opening: WebSocketOpening) {
        var parts = [opening.number == 1 ? "connected" : "connected again"]
        if let subprotocol = opening.subprotocol { parts.append("subprotocol \(subprotocol)") }
        if opening.isCompressed { parts.append("compressed") }
        if StandardStream.error.isTerminal, !staysOpen { parts.append("^D closes") }
        tell(parts.joined(separator: ", "))
    }

    private func tell(_ text: String) {
        if !isQuiet { StandardStream.error.write(line: "bluebonnet: \(ShownText.harmless(text))") }
    }

    private static func milliseconds(_ time: Duration) -> String {
        let tenths = Int((time / .milliseconds(1) * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}
