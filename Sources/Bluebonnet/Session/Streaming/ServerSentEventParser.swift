import NIOCore

/// Makes events of the bytes of a stream of server-sent events, however they are cut (WHATWG HTML §9.2.5, §9.2.6).
///
/// ```swift
/// parser.push(piece)
/// while let event = try parser.next() { … }
/// ```
///
/// There is nothing to do at the end: an event that no blank line follows does not count.
struct ServerSentEventParser {
    /// An event is larger than allowed.
    struct EventTooLarge: Error {}

    /// The last `id:` of an event that is complete; empty for none.
    private(set) var lastEventID: String
    /// The last `retry:`.
    private(set) var retry: Duration?
    /// How many bytes were looked at or moved: the measure of the cost.
    private(set) var examined = 0

    private let limit: Int
    private var piece = ByteBuffer()
    /// The beginning of the line that is read.
    private var line: [UInt8] = []
    /// The line before ended with CR: an LF belongs to it.
    private var skipsLineFeed = false
    /// A byte order mark may stand in front of the first line.
    private var isFirstLine = true
    private var id: String
    private var type: [UInt8] = []
    /// Every line of data with an LF behind it.
    private var data: [UInt8] = []

    /// - Parameters:
    ///   - limit: The most bytes of an event.
    ///   - lastEventID: What a stream before this one ended with.
    ///   - retry: The same.
    init(limit: Int, lastEventID: String = "", retry: Duration? = nil) {
        self.limit = limit
        self.lastEventID = lastEventID
        self.retry = retry
        id = lastEventID
    }

    /// Takes the next piece, when ``next()`` has returned nil.
    mutating func push(_ piece: ByteBuffer) {
        self.piece = piece
    }

    /// The next event; nil when another piece is needed.
    mutating func next() throws(EventTooLarge) -> ServerSentEvent? {
        while readLine() {
            try checkSize()
            if isFirstLine {
                isFirstLine = false
                if line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
            }
            let event = line.isEmpty ? dispatch() : nil
            if !line.isEmpty { takeField() }
            line.removeAll(keepingCapacity: true)
            if let event { return event }
        }
        try checkSize()
        return nil
    }

    /// What was collected of an event, and the line that is read, count together.
    private func checkSize() throws(EventTooLarge) {
        guard line.count + data.count <= limit else { throw EventTooLarge() }
    }

    /// Moves bytes from the piece to the line; true at the end of the line: CR, LF or CRLF.
    private mutating func readLine() -> Bool {
        if skipsLineFeed, let first = piece.getInteger(at: piece.readerIndex, as: UInt8.self) {
            skipsLineFeed = false
            if first == UInt8(ascii: "\n") { piece.moveReaderIndex(forwardBy: 1) }
        }
        let view = piece.readableBytesView
        let end = view.firstIndex { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
        let found = view[..<(end ?? view.endIndex)]
        line.append(contentsOf: found)
        examined += 2 * found.count + (end == nil ? 0 : 1 + line.count)
        guard let end else {
            piece.clear()
            return false
        }
        skipsLineFeed = view[end] == UInt8(ascii: "\r")
        piece.moveReaderIndex(to: end + 1)
        return true
    }

    /// A line that is not blank: a comment, or the name of a field, a colon, an optional space and the value.
    private mutating func takeField() {
        let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
        var value = line[colon...].dropFirst()
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        switch String(decoding: line[..<colon], as: UTF8.self) {
        case "event":
            type = Array(value)
        case "data":
            data.append(contentsOf: value)
            data.append(UInt8(ascii: "\n"))
        case "id":
            if !value.contains(0) { id = String(decoding: value, as: UTF8.self) }
        case "retry":
            guard !value.isEmpty, value.allSatisfy({ (0x30...0x39).contains($0) }) else { break }
            // A number beyond 64 bits is no time that anybody waits.
            if let milliseconds = Int64(String(decoding: value, as: UTF8.self)) { retry = .milliseconds(milliseconds) }
        default:
            // A comment has no name, and other fields have no meaning.
            break
        }
    }

    /// A blank line: what was collected becomes an event, if there is data.
    private mutating func dispatch() -> ServerSentEvent? {
        lastEventID = id
        defer {
            data.removeAll(keepingCapacity: true)
            type = []
        }
        guard !data.isEmpty else { return nil }
        return ServerSentEvent(
            type: type.isEmpty ? "message" : String(decoding: type, as: UTF8.self),
            data: String(decoding: data.dropLast(), as: UTF8.self),
            id: lastEventID,
            retry: retry
        )
    }
}
