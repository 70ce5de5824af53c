package import NIOCore

/// Cuts bytes that come in pieces into lines.
///
/// ```
/// splitter.push(piece)
/// while let line = try splitter.next() { … }
/// let last = try splitter.finish()   // after the last piece
/// ```
package struct LineSplitter {
    /// The bytes that end a line.
    package enum LineEnd {
        /// LF or CRLF.
        case lineFeed
        /// LF, CRLF or CR.
        case any
    }

    /// A line is longer than allowed.
    package struct LineTooLong: Error, CustomStringConvertible {
        /// The number of the line, from 1.
        package var number: Int

        package var description: String { "line \(number) is too long" }
    }

    /// The most bytes of the next line, without its end.
    var limit: Int {
        didSet { limit = min(limit, Self.mostBytes) }
    }

    /// The number of lines that were returned.
    private(set) var count = 0
    /// The number of bytes that were looked at or moved: the measure of the cost.
    private(set) var examined = 0

    private let lineEnd: LineEnd
    /// The rest of the last piece that is not cut yet.
    private var piece = ByteBuffer()
    /// The beginning of a line, from earlier pieces.
    private var pending = ByteBuffer()
    /// The line before ended with CR: an LF belongs to it.
    private var skipsLineFeed = false

    /// A `ByteBuffer` counts in 32 bits, and a longer line would end the process instead of
    /// failing.
    private static let mostBytes = Int(Int32.max)

    /// - Parameters:
    ///   - limit: The most bytes of a line without its end.
    ///   - lineEnd: The bytes that end a line. Default: LF or CRLF.
    package init(limit: Int, lineEnd: LineEnd = .lineFeed) {
        self.limit = min(limit, Self.mostBytes)
        self.lineEnd = lineEnd
    }

    /// Takes the next piece, when ``next()`` has returned nil.
    package mutating func push(_ piece: ByteBuffer) {
        self.piece = piece
    }

    /// The next line without its end, possibly empty; nil when another piece is needed.
    package mutating func next() throws(LineTooLong) -> ByteBuffer? {
        if skipsLineFeed, let first = piece.getInteger(at: piece.readerIndex, as: UInt8.self) {
            skipsLineFeed = false
            if first == Self.lineFeed { piece.moveReaderIndex(forwardBy: 1) }
        }
        guard let length = lengthOfRest, var line = piece.readSlice(length: length) else {
            examined += 2 * piece.readableBytes
            pending.writeBuffer(&piece)
            // A CR at the end may be the first half of a line end.
            guard Self.trimmed(pending).readableBytes <= limit else { throw LineTooLong(number: count + 1) }
            return nil
        }
        examined += length + 1
        skipsLineFeed = piece.readInteger(as: UInt8.self) == Self.carriageReturn
        if pending.readableBytes > 0 {
            examined += length
            pending.writeBuffer(&line)
            return try takePending()
        }
        return try checked(line)
    }

    /// The last line, when it had no end and is not empty.
    package mutating func finish() throws(LineTooLong) -> ByteBuffer? {
        pending.readableBytes > 0 ? try takePending() : nil
    }

    /// The number of bytes before the next line end of the piece.
    private var lengthOfRest: Int? {
        let bytes = piece.readableBytesView
        let end =
            switch lineEnd {
            case .lineFeed: bytes.firstIndex(of: Self.lineFeed)
            case .any: bytes.firstIndex { $0 == Self.lineFeed || $0 == Self.carriageReturn }
            }
        return end.map { $0 - bytes.startIndex }
    }

    private mutating func takePending() throws(LineTooLong) -> ByteBuffer {
        defer { pending = ByteBuffer() }
        return try checked(pending)
    }

    private mutating func checked(_ line: ByteBuffer) throws(LineTooLong) -> ByteBuffer {
        count += 1
        let line = Self.trimmed(line)
        guard line.readableBytes <= limit else { throw LineTooLong(number: count) }
        return line
    }

    /// The line without the CR that belongs to its end; where CR ends a line by itself, none is
    /// left.
    private static func trimmed(_ line: ByteBuffer) -> ByteBuffer {
        var line = line
        if line.readableBytesView.last == carriageReturn { line.moveWriterIndex(to: line.writerIndex - 1) }
        return line
    }

    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")
}
