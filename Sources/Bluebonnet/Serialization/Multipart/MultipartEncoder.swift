import FoundationEssentials
import NIOCore

/// Writes a multipart body (RFC 2046 §5.1.1) part by part, as a value without I/O.
///
/// Call ``next()`` until its action is `finished`. After `read`, call ``receive(_:)`` with bytes of
/// the source, or ``endSource()`` at its end. Delimiters, header sections and small contents are
/// gathered into large pieces.
struct MultipartEncoder: Sendable {
    enum Action: Equatable {
        /// Send these bytes.
        case emit(ByteBuffer)
        /// Read from the source of this part, at most so many bytes.
        case read(part: Int, upTo: Int)
        case finished
    }

    /// The error of a source that has another length than declared.
    struct LengthMismatch: Error, Equatable {
        let part: Int
        let declared: Int
        /// The number of bytes that came, or nil when it was more than declared.
        let received: Int?
    }

    /// Sources are read in blocks of this size.
    static let blockSize = 1 << 20

    /// Gathered bytes are sent from this size on.
    static let gatheredSize = 1 << 18

    /// Pieces of sources are sent as they are from this size on, instead of being copied.
    static let copiedSize = 1 << 16

    private enum Phase {
        /// Becomes `head`.
        case delimiter(Int)
        /// Becomes `content`.
        case head(Int)
        /// Becomes `bytes` or `source`.
        case content(Int)
        /// Becomes `delimiter` of the next part or `end` when all bytes are gathered.
        case bytes(Int, rest: Data)
        /// Becomes `delimiter` of the next part or `end` when the source has ended.
        case source(Int, received: Int, asked: Int)
        /// Becomes `done`.
        case end
        case done
    }

    private let boundary: MultipartBoundary
    /// The delimiters before the first part and before the others.
    private let delimiters: (first: ByteBuffer, next: ByteBuffer)
    private let parts: [MultipartPart]
    private let largestPiece: Int
    private var phase: Phase
    private var gathered = ByteBuffer()
    private var ready: CircularBuffer<ByteBuffer> = []

    /// - Parameters:
    ///   - boundary: The boundary between the parts.
    ///   - parts: The parts.
    ///   - capacity: The size of the whole body, when it must be one piece.
    init(boundary: MultipartBoundary, parts: [MultipartPart], capacity: Int? = nil) {
        self.boundary = boundary
        delimiters = (
            ByteBuffer(string: boundary.delimiter(isFirst: true)),
            ByteBuffer(string: boundary.delimiter(isFirst: false))
        )
        self.parts = parts
        largestPiece = capacity.map { $0 + 1 } ?? Self.gatheredSize
        if let capacity { gathered.reserveCapacity(capacity) }
        phase = parts.isEmpty ? .end : .delimiter(0)
    }

    /// The length of the whole body; nil when a part has none.
    static func length(boundary: MultipartBoundary, parts: [MultipartPart]) -> Int? {
        var sum = boundary.closingDelimiter(isFirst: parts.isEmpty).utf8.count
        var delimiter = boundary.delimiter(isFirst: true).utf8.count
        let nextDelimiter = boundary.delimiter(isFirst: false).utf8.count
        for part in parts {
            guard let length = part.length else { return nil }
            let fixed = delimiter + part.head.readableBytes
            delimiter = nextDelimiter
            let (content, overflowsInside) = length.addingReportingOverflow(fixed)
            let (whole, overflows) = sum.addingReportingOverflow(content)
            guard !overflowsInside, !overflows else { return nil }
            sum = whole
        }
        return sum
    }

    /// The part whose source is being read.
    var currentSource: Int? {
        if case .source(let part, _, _) = phase { part } else { nil }
    }

    // MARK: Output

    mutating func next() -> Action {
        while true {
            if let piece = ready.popFirst() { return .emit(piece) }
            switch phase {
            case .delimiter(let part):
                gathered.writeImmutableBuffer(part == 0 ? delimiters.first : delimiters.next)
                phase = .head(part)
            case .head(let part):
                gathered.writeImmutableBuffer(parts[part].head)
                phase = .content(part)
            case .content(let part):
                begin(part)
            case .bytes(let part, let rest):
                // The bytes are copied once, into the piece that is sent.
                let space = largestPiece - gathered.readableBytes
                gathered.writeBytes(rest.prefix(space))
                if rest.count > space { phase = .bytes(part, rest: rest.dropFirst(space)) } else { finish(part) }
            case .source(let part, let received, _):
                let count = Self.readSize(after: received, of: parts[part].length)
                phase = .source(part, received: received, asked: count)
                return .read(part: part, upTo: count)
            case .end:
                gathered.writeString(boundary.closingDelimiter(isFirst: parts.isEmpty))
                send()
                phase = .done
            case .done:
                return .finished
            }
            if gathered.readableBytes >= largestPiece { send() }
        }
    }

    /// The number of bytes to read: one more than there should be, so that a source that is too
    /// long is noticed without another read.
    private static func readSize(after received: Int, of length: Int?) -> Int {
        guard let length, length - received < blockSize else { return blockSize }
        return length - received + 1
    }

    // MARK: Input

    /// Takes a piece that was read from the source.
    mutating func receive(_ piece: ByteBuffer) throws(LengthMismatch) {
        guard case .source(let part, let before, let asked) = phase, case .source(let source) = parts[part].content
        else {
            return
        }
        let received = before + piece.readableBytes
        if let length = source.length, received > length {
            throw LengthMismatch(part: part, declared: length, received: nil)
        }
        if source.isFile { take(piece) } else { pass(piece) }
        if source.isFile, received == source.length, piece.readableBytes < asked {
            finish(part)
        } else {
            phase = .source(part, received: received, asked: 0)
        }
    }

    /// Ends the source, which has no more bytes.
    mutating func endSource() throws(LengthMismatch) {
        guard case .source(let part, let received, _) = phase else { return }
        if let length = parts[part].length, received < length {
            throw LengthMismatch(part: part, declared: length, received: received)
        }
        finish(part)
    }

    /// Ends the source, whose bytes have been sent without the encoder.
    mutating func skipSource() {
        if case .source(let part, _, _) = phase { finish(part) }
    }

    // MARK: Parts

    private mutating func begin(_ part: Int) {
        switch parts[part].content {
        case .bytes(let bytes):
            phase = .bytes(part, rest: bytes)
        case .source(let source):
            // The bytes before a stream or a large file are sent now: a stream may be slow, and the
            // bytes of a large file are not gathered.
            if !source.isFile || source.isLargeFile { send() }
            phase = .source(part, received: 0, asked: 0)
        }
    }

    private mutating func finish(_ part: Int) {
        phase = part + 1 < parts.count ? .delimiter(part + 1) : .end
    }

    /// Gathers a small piece; sends a large one as it is.
    private mutating func take(_ piece: ByteBuffer) {
        guard piece.readableBytes < Self.copiedSize else { return pass(piece) }
        var piece = piece
        gathered.writeBuffer(&piece)
    }

    private mutating func pass(_ piece: ByteBuffer) {
        send()
        if piece.readableBytes > 0 { ready.append(piece) }
    }

    private mutating func send() {
        guard gathered.readableBytes > 0 else { return }
        ready.append(gathered)
        gathered = ByteBuffer()
    }
}
