import NIOCore

/// Cuts bytes that come in pieces into lines ended by LF or CRLF.
///
/// ```swift
/// splitter.push(piece)
/// while let line = try splitter.next() { … }
/// let last = try splitter.finish()   // after the last piece
/// ```
struct LineSplitter {
    /// A line is longer than allowed.
    struct LineTooLong: Error {
        /// The number of the line, from 1.
        var number: Int
    }

    /// How many lines were given out.
    private(set) var count = 0
    /// How many bytes were looked at or moved: the measure of the cost.
    private(set) var examined = 0

    private let limit: Int
    /// What is not cut yet of the last piece.
    private var piece = ByteBuffer()
    /// The beginning of a line, from earlier pieces.
    private var pending = ByteBuffer()

    /// - Parameter limit: The most bytes of a line without its end.
    init(limit: Int) {
        self.limit = limit
    }

    /// Takes the next piece, when ``next()`` has returned nil.
    mutating func push(_ piece: ByteBuffer) {
        self.piece = piece
    }

    /// The next line without its end, possibly empty; nil when another piece is needed.
    mutating func next() throws(LineTooLong) -> ByteBuffer? {
        let view = piece.readableBytesView
        guard let end = view.firstIndex(of: UInt8(ascii: "\n")),
            var line = piece.readSlice(length: end - view.startIndex)
        else {
            examined += 2 * piece.readableBytes
            pending.writeBuffer(&piece)
            // A CR at the end may be the first half of a line end.
            guard pending.readableBytes - 1 <= limit else { throw LineTooLong(number: count + 1) }
            return nil
        }
        examined += line.readableBytes + 1
        piece.moveReaderIndex(forwardBy: 1)
        if pending.readableBytes > 0 {
            examined += line.readableBytes
            pending.writeBuffer(&line)
            line = pending
            pending = ByteBuffer()
        }
        if line.getInteger(at: line.writerIndex - 1, as: UInt8.self) == UInt8(ascii: "\r"), line.readableBytes > 0 {
            line.moveWriterIndex(to: line.writerIndex - 1)
        }
        return try checked(line)
    }

    /// The last line, when it had no end and is not empty.
    mutating func finish() throws(LineTooLong) -> ByteBuffer? {
        guard pending.readableBytes > 0 else { return nil }
        defer { pending = ByteBuffer() }
        return try checked(pending)
    }

    private mutating func checked(_ line: ByteBuffer) throws(LineTooLong) -> ByteBuffer {
        count += 1
        guard line.readableBytes <= limit else { throw LineTooLong(number: count) }
        return line
    }
}
