import NIOCore

/// Undoes the content codings of one body, piece by piece and in bounded blocks.
///
/// Whatever a piece expands to, at most one block (256 KiB) for each coding is in memory at a time.
///
/// A class, because it is consumed.
// Unchecked Sendable because it is handed to another thread and back while its one reader waits:
// an iterator of the body owns it, and no two calls ever run at the same time.
final class ContentDecoder: BodyTransform, @unchecked Sendable {
    /// The stages in the order in which the codings are undone: the last one applied comes first
    /// (RFC 9110 §8.4).
    private let stages: [DecompressionStage]
    private let limits: Limits
    private let call: Call?
    private let hop: Int
    private let observed: ObservedTransaction?
    private var received = 0
    private var failure: NetworkingError?

    /// - Parameters:
    ///   - coding: The codings to undo.
    ///   - limits: The limits of its growth.
    ///   - call: Tells whether the task still wants the body. Default: it does.
    ///   - hop: The number of the transaction in the call. Default: 0, which none has.
    ///   - observed: The transaction, which ends with the decoding. Default: none.
    init(
        _ coding: ContentCoding,
        limits: Limits,
        call: Call? = nil,
        hop: Int = 0,
        observed: ObservedTransaction? = nil
    ) {
        stages = coding.codings.reversed().map(DecompressionStage.init)
        self.limits = limits
        self.call = call
        self.hop = hop
        self.observed = observed
    }

    /// Takes a piece of the body as it was received.
    func push(_ piece: ByteBuffer) {
        received += piece.readableBytes
        stages.first?.push(piece)
    }

    /// The next decoded block. A large one is not made on an event loop or an actor, where the
    /// caller may be running: meanwhile all connections of the loop or a user interface would wait.
    ///
    /// - Throws: As ``nextBlock()``, and the error that stopped the task: decoding never waits, and
    ///   so has to check that itself.
    func next() async throws(NetworkingError) -> ByteBuffer? {
        // What has been received is enough for a first block.
        if hasProduced { try ResponseBody.checkIsWanted(unless: call?.error) }
        guard mayBringLargeBlock, Computation.belongsElsewhere(caller: #isolation) else { return try nextBlock() }
        return try await Computation.elsewhere { () throws(NetworkingError) in try self.nextBlock() }
    }

    /// Returns the next decoded block, never empty; nil when another piece is needed.
    ///
    /// - Throws: ``NetworkingError/Code/contentDecodingFailed`` or
    ///   ``NetworkingError/Code/contentDecodingLimitExceeded``; the same again from then on.
    func nextBlock() throws(NetworkingError) -> ByteBuffer? {
        if let failure { throw failure }
        do {
            return try block(of: stages.count - 1)
        } catch {
            throw failed(error)
        }
    }

    /// Whether the next block may be larger than is worth decoding on an event loop, or may take as
    /// much work: with two codings, the first may make any number of blocks for one of the
    /// last.
    private var mayBringLargeBlock: Bool {
        stages.count > 1 || stages.contains { $0.nextBlockSize > Computation.inlineSize }
    }

    /// Whether there was any output.
    private var hasProduced: Bool { stages.last.map { $0.produced > 0 } ?? false }

    /// Ends the body, after ``nextBlock()`` returned nil.
    ///
    /// A body without a single byte is fine: the responses to HEAD, 204 and 304 may have a
    /// `Content-Encoding` and no body.
    ///
    /// - Throws: ``NetworkingError/Code/contentDecodingFailed`` when it ends too early.
    func finish() throws(NetworkingError) {
        if let failure { throw failure }
        do {
            for stage in stages { try stage.finish() }
        } catch {
            throw failed(error)
        }
        call?.noteDecoded(stages.last?.produced ?? 0, hop: hop)
        observed?.endDecoding()
    }

    private func failed(_ error: NetworkingError) -> NetworkingError {
        failure = error
        call?.noteDecodingFailure(error, hop: hop)
        observed?.endDecoding()
        return error
    }

    private func block(of stage: Int) throws(NetworkingError) -> ByteBuffer? {
        guard stage >= 0 else { return nil }
        let current = stages[stage]
        while true {
            if let block = try current.nextBlock() {
                try check(current.produced)
                return block
            }
            guard let input = try block(of: stage - 1) else { return nil }
            current.push(input)
        }
    }

    /// Below this size a body may have any ratio.
    private static let unratedSize = 10 << 20

    /// Every stage is checked, not only the last: a small body may be the result of a huge one.
    private func check(_ produced: Int) throws(NetworkingError) {
        if produced > limits.decodedBody {
            throw NetworkingError(
                .contentDecodingLimitExceeded,
                """
                The response body grows beyond the \(limits.decodedBody) bytes allowed while its content coding is \
                undone.
                """
            )
        }
        // A division, because a product could overflow.
        if produced > Self.unratedSize, produced / max(limits.decodingRatio, 1) >= received {
            throw NetworkingError(
                .contentDecodingLimitExceeded,
                """
                The response body grows to more than \(limits.decodingRatio) times what was received while its \
                content coding is undone.
                """
            )
        }
    }
}
