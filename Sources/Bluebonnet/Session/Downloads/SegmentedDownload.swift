import FoundationEssentials
import HTTPTypes
import NIOCore
import Synchronization

/// Fetches the missing parts of one file by several requests at once, into their places (RFC 9110
/// §14).
///
/// The first response came to the request of the task. Every further piece is a request of its own,
/// which is stopped, suspended and moved with the task. A server that refuses a piece, or loses its
/// connection, gets one request less at a time; the download fails when none is left.
struct SegmentedDownload: Sendable {
    /// The representation changed meanwhile: nothing of the file is worth keeping.
    struct Changed: Error {}

    /// Sends a request of its own for a piece, as a part of the task.
    typealias Send = @Sendable (_ request: Request, _ link: SegmentLink) async throws -> TransportResponse

    private let partial: PartialFile
    private let original: Request
    private let context: ExchangeContext
    private let validator: ResumeData.Validator
    private let length: Int
    private let count: Int
    private let didWrite: (@Sendable (Int) async throws -> Void)?
    private let send: Send
    private let state: State

    /// What all requests share.
    private final class State: Sendable {
        struct Value {
            var segments: DownloadSegments
            var secured = NIODeadline.now()
            /// The number of requests that gave up, and the error of the last one.
            var failures = 0
            var failure: NetworkingError?
        }

        let value: Mutex<Value>
        let writes = OngoingWrites()

        init(_ segments: DownloadSegments) {
            value = Mutex(Value(segments: segments))
        }
    }

    /// - Parameters:
    ///   - partial: The file, whose record says what is missing.
    ///   - count: The most requests at once.
    ///   - context: The context of the task.
    ///   - didWrite: Called with the number of bytes that were written. Default: nobody.
    ///   - send: Sends the request for a piece.
    init?(
        _ partial: PartialFile,
        count: Int,
        context: ExchangeContext,
        didWrite: (@Sendable (Int) async throws -> Void)? = nil,
        send: @escaping Send
    ) {
        guard let record = partial.record, let missing = record.missing, let length = record.length,
            let validator = record.validator
        else { return nil }
        self.partial = partial
        original = context.call.originalRequest
        self.context = context
        self.validator = validator
        self.length = length
        self.count = max(1, count)
        self.didWrite = didWrite
        self.send = send
        state = State(DownloadSegments(missing: missing, length: length, count: count))
    }

    /// The pieces of the file are complete when this returns.
    ///
    /// - Parameter response: The first response, a part that begins at the first missing byte.
    /// - Throws: ``Changed``; the error of the last request that gave up; what makes the file
    ///   impossible to write.
    func run(_ response: TransportResponse) async throws {
        let result: Result<Void, any Error>
        do {
            result = .success(try await fetchAll(response))
        } catch {
            result = .failure(error)
        }
        // A source that does not end when it is stopped writes no more.
        await state.writes.close()
        try await note()
        try result.get()
    }

    private func fetchAll(_ response: TransportResponse) async throws {
        let range = response.head[.contentRange].flatMap { ContentRange($0) }
        guard case .part(let part, _)? = range, let first = state.value.withLock({ $0.segments.takeFirst(part) }) else {
            throw Changed()
        }
        let others = min(count - 1, (length - first.range.upperBound) / DownloadSegments.pieceSizes.lowerBound)
        let most = 1 + max(0, others)
        try await fetch(by: most) { number in
            guard number == 0 else { return try await work() }
            if try await fetch(first, of: first.range, isFirst: true, { _ in response }) { try await work() }
        }
        while true {
            try context.checkStopped()
            let (isComplete, failures, failure) = state.value.withLock {
                ($0.segments.isComplete, $0.failures, $0.failure)
            }
            if isComplete { return }
            // A piece can become free when no other request is under way that would take it.
            guard failures < most else {
                throw failure
                    ?? NetworkingError(.truncatedResponse, "Parts of the file are missing.", request: original)
            }
            try await fetch(by: most - failures) { _ in try await work() }
        }
    }

    /// Runs some workers at once. The first error stops the others.
    private func fetch(by count: Int, _ work: @escaping @Sendable (_ number: Int) async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<count { group.addTask { try await work(number) } }
            for try await _ in group {}
        }
    }

    /// Fetches one piece after the other, until none is left or one fails.
    private func work() async throws {
        while let piece = state.value.withLock({ $0.segments.take() }) {
            let isFetched = try await fetch(piece, of: piece.range, isFirst: false) { link in
                let range = piece.range
                return try await send(
                    original.asking(from: range.lowerBound, to: range.upperBound, of: validator),
                    link
                )
            }
            guard isFetched else { return }
        }
    }

    /// Fetches a piece; false when its request gave up.
    private func fetch(
        _ piece: DownloadSegments.Piece,
        of range: Range<Int>,
        isFirst: Bool,
        _ open: (SegmentLink) async throws -> TransportResponse
    ) async throws -> Bool {
        defer { state.value.withLock { $0.segments.end(piece.number) } }
        let link = SegmentLink(context.call)
        try context.call.attach(link)
        defer {
            context.call.detach(link)
            link.noteTransactions(isOver: true)
        }
        do {
            let response = try await open(link)
            if !isFirst {
                link.noteTransactions(isOver: false)
                guard try await isPart(response, range) else { return false }
            }
            try await write(response, piece, counts: !isFirst)
            try await note()
            return true
        } catch let error as NetworkingError where error.code != .outputFailed && !error.isCancelled {
            // Others may go on.
            if let stopped = context.call.error { throw stopped }
            try context.checkStopped()
            return giveUp(error)
        }
    }

    private func giveUp(_ failure: NetworkingError?) -> Bool {
        state.value.withLock { value in
            value.failures += 1
            value.failure = failure ?? value.failure
        }
        return false
    }

    /// Whether a response is the part that was asked for; gives up where it is not.
    private func isPart(_ response: TransportResponse, _ range: Range<Int>) async throws -> Bool {
        let beginning = DownloadStep.Beginning(count: range.lowerBound, length: length, validator: validator)
        let step = DownloadStep(response.head, to: original, continuing: beginning)
        if response.statusCode == 206, case .write = step { return true }
        await response.body.discard()
        // The whole, for one that is not the same any more (RFC 9110 §13.1.5), or another part.
        if case .refuse(let message) = step {
            throw NetworkingError(.unexpectedContentRange, message, request: original, response: response.head)
        }
        guard step == .restart || (response.statusCode == 200 && validator.isContradicted(by: response.head)) else {
            // It sends one part at a time, or no more parts.
            let failure = ResponseValidation.default.failure(Data([0x20]), head: response.head, request: original)
            return giveUp(failure)
        }
        throw Changed()
    }

    // MARK: Writing

    /// More came than was asked for.
    private struct Enough: Error {}

    private func write(_ response: TransportResponse, _ piece: DownloadSegments.Piece, counts: Bool) async throws {
        let range = response.head[.contentRange].flatMap { ContentRange($0) }
        let end: Int = if case .part(let part, _) = range { part.upperBound } else { piece.range.upperBound }
        let position = Mutex(piece.range.lowerBound)
        var output = FileOutput { blocks, _ in
            let start = position.withLock { $0 }
            let count = blocks.reduce(0) { $0 + $1.readableBytes }
            guard start + count <= end else {
                throw NetworkingError(
                    .unexpectedContentRange,
                    "The server sent more of the file than its Content-Range says."
                )
            }
            let room = piece.range.upperBound - start
            let wanted = count <= room ? blocks : Self.prefix(blocks, room)
            try write(wanted, at: start, min(count, room), piece.number, counts: counts)
            position.withLock { $0 = start + min(count, room) }
            if count > room { throw Enough() }
        }
        output.didWrite = didWrite
        do {
            try await response.writeBody(to: output, context)
        } catch is Enough {
            return
        }
        // The server may send less than it was asked for (RFC 9110 §15.3.7), but not nothing.
        guard position.withLock({ $0 }) > piece.range.lowerBound else {
            throw NetworkingError(
                .truncatedResponse,
                "The server sent an empty part of the file.",
                request: original,
                response: response.head
            )
        }
    }

    private static func prefix(_ blocks: [ByteBuffer], _ count: Int) -> [ByteBuffer] {
        var rest = count
        return blocks.compactMap { block in
            defer { rest -= min(rest, block.readableBytes) }
            return rest > 0 ? block.getSlice(at: block.readerIndex, length: min(rest, block.readableBytes)) : nil
        }
    }

    private func write(
        _ blocks: [ByteBuffer],
        at position: Int,
        _ count: Int,
        _ number: Int,
        counts: Bool
    ) throws {
        let missing = try state.writes.perform {
            try partial.file.write(blocks, at: position)
            return state.value.withLock { value -> [Range<Int>]? in
                value.segments.received(count, of: number)
                let now = NIODeadline.now()
                guard now - value.secured >= PartialFileWriter.interval else { return nil }
                value.secured = now
                return value.segments.missing
            }
        }
        if counts { context.call.receivedElsewhere(count) }
        if let missing { partial.secureLater(.all(but: missing)) }
    }

    /// Notes in the file what is missing of it.
    private func note() async throws {
        try await BlockingThreads.files.runEvenIfCancelled { [partial, state] in
            partial.note(missing: state.value.withLock { $0.segments.missing })
        }
    }
}

/// Has the request for a piece follow its task.
final class SegmentLink: Call.Operation {
    private let task: Call
    private let piece = Mutex<Call?>(nil)
    /// Whether the task knows of a transaction of the piece.
    private let isNoted = Mutex(false)

    init(_ task: Call) {
        self.task = task
    }

    /// Ties a call to the task. Called before anything of it is sent.
    func tie(_ call: Call) {
        piece.withLock { $0 = call }
        priorityChanged()
        suspensionChanged()
        if let error = task.error { call.stop(error) }
    }

    /// Notes in the task what is known of the requests for the piece.
    func noteTransactions(isOver: Bool) {
        guard let piece = piece.withLock({ $0 }) else { return }
        isNoted.withLock { isNoted in
            if task.note(part: piece, isNew: !isNoted, isOver: isOver) { isNoted = true }
        }
    }

    func cancel(with error: NetworkingError) {
        piece.withLock { $0 }?.stop(error)
    }

    func suspensionChanged() {
        guard let piece = piece.withLock({ $0 }) else { return }
        var isSuspended: Bool
        repeat {
            isSuspended = task.isSuspended
            piece.setSuspended(isSuspended)
            // Another thread may have changed the task, and the piece, in between.
        } while task.isSuspended != isSuspended
    }

    func priorityChanged() {
        guard let piece = piece.withLock({ $0 }), var priority = task.chosenPriority else { return }
        piece.priority = priority
        // As for the suspension.
        while let newer = task.chosenPriority, newer != priority {
            priority = newer
            piece.priority = newer
        }
    }
}
