import NIOCore

/// Makes events of the bytes of a stream of server-sent events, however they are cut (WHATWG HTML
/// §9.2.5, §9.2.6).
///
/// ```
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

    private let limit: Int
    private var lines: LineSplitter
    /// The number of bytes of lines that were looked at.
    private var taken = 0
    /// A byte order mark may be in front of the first line.
    private var isFirstLine = true
    private var id: String
    private var type: [UInt8] = []
    /// Every line of data with an LF behind it.
    private var data: [UInt8] = []

    /// - Parameters:
    ///   - limit: The most bytes of an event.
    ///   - lastEventID: The ID that the stream before this one ended with.
    ///   - retry: The `retry:` that the stream before this one ended with.
    init(limit: Int, lastEventID: String = "", retry: Duration? = nil) {
        self.limit = limit
        self.lastEventID = lastEventID
        self.retry = retry
        lines = LineSplitter(limit: limit, lineEnd: .any)
        id = lastEventID
    }

    /// The number of bytes that were looked at or moved: the measure of the cost.
    var examined: Int { lines.examined + taken }

    /// Takes the next piece, when ``next()`` has returned nil.
    mutating func push(_ piece: ByteBuffer) {
        lines.push(piece)
    }

    /// The next event; nil when another piece is needed.
    mutating func next() throws(EventTooLarge) -> ServerSentEvent? {
        while let line = try nextLine() {
            if line.readableBytes > 0 {
                takeField(line.readableBytesView)
            } else if let event = dispatch() {
                return event
            }
        }
        return nil
    }

    private mutating func nextLine() throws(EventTooLarge) -> ByteBuffer? {
        // What was collected of an event, and the line that is read, count together.
        lines.limit = limit - data.count
        do {
            guard var line = try lines.next() else { return nil }
            if isFirstLine, line.readableBytesView.starts(with: [0xEF, 0xBB, 0xBF]) {
                line.moveReaderIndex(forwardBy: 3)
            }
            isFirstLine = false
            return line
        } catch {
            throw EventTooLarge()
        }
    }

    /// A line that is not blank: a comment, or the name of a field, a colon, an optional space and
    /// the value.
    private mutating func takeField(_ line: ByteBufferView) {
        taken += line.count
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
            // A number beyond 64 bits is ignored: it is not a time to wait.
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
