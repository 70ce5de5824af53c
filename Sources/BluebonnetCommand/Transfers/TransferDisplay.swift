import Bluebonnet
import NIOCore
import Synchronization

/// Shows the transfers of one run on standard error: on a terminal as lines that are drawn again
/// and again, elsewhere as a log.
final class TransferDisplay: Sendable {
    /// The progress of a transfer, and whether no response has begun; nil when it is not known.
    typealias Source = @Sendable () -> (progress: TransferProgress, isWaiting: Bool)?

    /// What is shown.
    enum Kind: Sendable {
        /// Lines that are drawn again.
        case lines
        /// A line for each start and end.
        case log
        /// Only failures.
        case failures
    }

    /// A line that stays.
    private struct Message {
        var subject: String
        var text: String
        /// Set where it is a failure.
        var failure: CommandFailure?

        /// The line; on a terminal the subject is shortened so that it fits, unless the text is too
        /// long for that.
        func line(columns: Int?, paint: Paint) -> String {
            if var failure, ErrorReport.isJSON {
                failure.message = "\(subject): \(text)"
                return ErrorReport.line(failure, isJSON: true)
            }
            let start = failure == nil ? "" : "bluebonnet: "
            let text = ShownText.harmless(text)
            var subject = ShownText.harmless(subject)
            if let columns {
                subject = ShownText.shortened(
                    subject,
                    to: max(12, columns - start.count - ShownText.width(of: text) - 3)
                )
            }
            guard failure == nil else { return paint("\(start)\(subject): \(text)", .failure) }
            return "\(subject): \(paint(text, .faint))"
        }
    }

    private struct State {
        var board: TransferBoard
        var sources: [Int: Source] = [:]
        var messages: [Message] = []
    }

    private let kind: Kind
    private let noun: String
    private let paint: Paint
    private let state: Mutex<State>

    /// - Parameters:
    ///   - count: The number of transfers.
    ///   - noun: What is transferred, in the plural.
    ///   - isQuiet: Whether only failures are shown.
    init(count: Int, noun: String = "files", isQuiet: Bool = false) {
        let style = OutputStyle(.auto, for: .error)
        kind = isQuiet ? .failures : style.redraws ? .lines : .log
        paint = Paint(style)
        self.noun = noun
        state = Mutex(State(board: TransferBoard(count: count, at: .now())))
    }

    // MARK: Events

    /// Begins a transfer.
    ///
    /// - Parameters:
    ///   - number: A number that no other one has.
    ///   - name: Its name in lines that are drawn.
    ///   - subject: What the log says it is.
    ///   - beginning: The bytes that an earlier run has transferred.
    ///   - source: Gives its progress.
    func begin(
        _ number: Int,
        name: String,
        subject: String,
        from beginning: Int = 0,
        source: @escaping Source
    ) {
        let messages = state.withLock { state in
            state.board.begin(number, name: name, from: beginning, at: .now())
            state.sources[number] = source
            guard kind == .log else { return [Message]() }
            let text = beginning > 0 ? "continued at \(ProgressBar.size(beginning))" : "started"
            return [Message(subject: subject, text: text)]
        }
        write(messages)
    }

    /// Gives a transfer the name that is decided by its response.
    func rename(_ number: Int, to name: String) {
        state.withLock { $0.board.rename(number, to: name) }
    }

    /// Ends a transfer with success.
    ///
    /// - Parameters:
    ///   - number: Its number.
    ///   - name: The path of the file.
    ///   - subject: What the log says it is.
    ///   - size: Its size.
    ///   - wasThere: Whether the whole file was there before.
    ///   - interruptions: The number of times that it was continued. Default: 0.
    func succeed(
        _ number: Int,
        name: String,
        subject: String,
        size: Int,
        wasThere: Bool = false,
        interruptions: Int = 0
    ) {
        end(number, size: size, wasThere: wasThere) { sum in
            var text = wasThere ? "\(ProgressBar.size(size)), there already" : sum.text
            if interruptions > 0 { text += ", resumed after \(interruptions == 1 ? "a cut" : "\(interruptions) cuts")" }
            guard kind == .log, name != subject else { return Message(subject: name, text: text) }
            return Message(subject: subject, text: "\(name): \(text)")
        }
    }

    /// Ends a transfer with a failure.
    func fail(_ number: Int, subject: String, _ failure: CommandFailure) {
        end(number, size: nil) { _ in Message(subject: subject, text: failure.message, failure: failure) }
    }

    /// Ends a transfer that was interrupted, without a line.
    func interrupt(_ number: Int) {
        end(number, size: nil) { _ in nil }
    }

    private func end(
        _ number: Int,
        size: Int?,
        wasThere: Bool = false,
        message: (TransferBoard.Sum) -> Message?
    ) {
        let messages = state.withLock { state in
            let message = message(state.board.end(number, size: size, wasThere: wasThere, at: .now()))
            state.sources[number] = nil
            guard kind == .lines else { return [message].compactMap(\.self) }
            // They are drawn together with the lines below them.
            if let message { state.messages.append(message) }
            return []
        }
        write(messages)
    }

    /// The number of transfers that succeeded.
    var succeeded: Int { state.withLock { $0.board.succeeded } }

    // MARK: Output

    /// Runs the transfers and shows them; with several, a line at the end sums them up.
    func show<Result: Sendable>(_ work: @Sendable () async -> Result) async throws -> Result {
        guard kind == .lines else { return await summed(work) }
        let result = try await ProgressDisplay.show({ [self] in frame(in: $0) }, during: { await summed(work) })
        Terminal.shared.show { [self] size in
            var frame = frame(in: size)
            frame.rows = []
            return frame
        }
        return result
    }

    private func summed<Result>(_ work: () async -> Result) async -> Result {
        let result = await work()
        let (board, sum) = state.withLock { ($0.board, $0.board.sum(at: .now())) }
        guard board.count > 1, kind != .failures, !Task.isCancelled else { return result }
        let part = board.succeeded == board.count ? "\(board.count)" : "\(board.succeeded) of \(board.count)"
        let failed = board.failed > 0 ? ", \(board.failed) failed" : ""
        let message = Message(subject: "\(part) \(noun)", text: sum.text + failed)
        if kind == .lines { state.withLock { $0.messages.append(message) } } else { write([message]) }
        return result
    }

    private func write(_ messages: [Message]) {
        for message in messages where kind != .failures || message.failure != nil {
            StandardStream.error.write(line: message.line(columns: nil, paint: paint))
        }
    }

    private func frame(in size: Terminal.Size) -> StatusLines.Frame {
        // Sources take the locks of their tasks, whose owners may wait for this one.
        let sources = state.withLock { $0.sources }
        let progress = sources.mapValues { $0() }
        return state.withLock { state in
            for case (let number, let known?) in progress {
                state.board.update(number, known.progress, isWaiting: known.isWaiting)
            }
            state.board.measure(at: .now())
            defer { state.messages = [] }
            return StatusLines.Frame(
                finished: state.messages.map { $0.line(columns: size.columns, paint: paint) },
                rows: state.board.rows(in: size, paint: paint)
            )
        }
    }
}
