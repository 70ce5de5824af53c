import FoundationEssentials
import NIOCore

/// Writes a multipart body (RFC 2046 §5.1.1) part by part, as a value without I/O.
///
/// Ask for the ``next()`` action until it is `finished`. After `read`, give what the source brought
/// to ``received(_:)``, or call ``ended()`` at its end. Delimiters, header sections and small
/// contents are gathered into large pieces.
struct MultipartEncoder: Sendable {
    enum Action: Equatable {
        /// Send this.
        case emit(ByteBuffer)
        /// Read from the source of this part, at most so much.
        case read(part: Int, upTo: Int)
        case finished
    }

    /// A source that is not as long as it was said to be.
    struct LengthMismatch: Error, Equatable {
        let part: Int
        let declared: Int
        /// How much came, or nil when it was more than declared.
        let received: Int?
    }

    /// Sources are read in blocks of this size.
    static let blockSize = 1 << 20

    /// What has been gathered is sent from this size on.
    static let gatheredSize = 1 << 18

    /// What sources bring is sent as it is from this size on, instead of being copied.
    static let copiedSize = 1 << 16

    private enum Phase {
        case delimiter(Int)
        case head(Int)
        case content(Int)
        case bytes(Int, rest: Data)
        case source(Int, received: Int, asked: Int)
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
    ///   - boundary: What separates the parts.
    ///   - parts: The parts.
    ///   - capacity: The size of the whole body, when it is wanted in one piece.
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

    // MARK: Out

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
                // Copied once, into what is sent.
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

    /// One byte more than there should be, so that a source that is too long is noticed without
    /// another read.
    private static func readSize(after received: Int, of length: Int?) -> Int {
        guard let length, length - received < blockSize else { return blockSize }
        return length - received + 1
    }

    // MARK: In

    /// The source that was asked for has brought this.
    mutating func received(_ piece: ByteBuffer) throws(LengthMismatch) {
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

    /// The source that was asked for has no more.
    mutating func ended() throws(LengthMismatch) {
        guard case .source(let part, let received, _) = phase else { return }
        if let length = parts[part].length, received < length {
            throw LengthMismatch(part: part, declared: length, received: received)
        }
        finish(part)
    }

    /// The source that was asked for has been sent by other means.
    mutating func bypassed() {
        if case .source(let part, _, _) = phase { finish(part) }
    }

    // MARK: Inside

    private mutating func begin(_ part: Int) {
        switch parts[part].content {
        case .bytes(let bytes):
            phase = .bytes(part, rest: bytes)
        case .source(let source):
            // What a stream brings may be long in coming, and what a large file brings is not
            // gathered: what stands before it need not wait.
            if !source.isFile || source.isLargeFile { send() }
            phase = .source(part, received: 0, asked: 0)
        }
    }

    private mutating func finish(_ part: Int) {
        phase = part + 1 < parts.count ? .delimiter(part + 1) : .end
    }

    /// Gathers what is small; sends what is large as it is.
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
