import NIOCore

/// What has come from a server and was not handed over: bytes, and messages read of them, as a
/// value without I/O.
///
/// Bytes become messages only while those have room. What has none stays as it came, so that of
/// compressed messages no more than one has the memory of what it becomes.
struct WebSocketIntake {
    private var reader: WebSocketMessageReader
    /// The bytes that are read next.
    private var current = ByteBuffer()
    private var rest = CircularBuffer<ByteBuffer>()

    /// The messages that were read.
    private(set) var messages: [WebSocketMessage] = []
    /// The bytes of their payloads.
    private(set) var byteCount = 0
    /// What they count in the mailbox.
    private(set) var size = 0
    /// What they may count there; another one is read until they count more.
    var room: Int

    /// Messages of about this size are read at a time: a few kilobytes may become so much, and the
    /// event loop has other things to do.
    static let mostAtOnce = 4 << 20

    init(_ reader: WebSocketMessageReader, room: Int) {
        self.reader = reader
        self.room = room
    }

    /// Whether all bytes are read. Those of a frame or message that has not arrived whole count as
    /// read.
    var isRead: Bool { current.readableBytes == 0 }

    /// Adds bytes that came.
    mutating func append(_ bytes: ByteBuffer) {
        if isRead { return current = bytes }
        rest.appendJoining(bytes)
    }

    /// Reads messages while they have room, up to an event that is none. Nil where there is none:
    /// more bytes are needed, and all are read, or there is no room. A fault is final.
    mutating func next() throws(WebSocketFault) -> WebSocketMessageReader.Event? {
        while !isRead, reader.skipsMessages || size <= min(room, Self.mostAtOnce) {
            let event = try reader.next(&current)
            if isRead { current = rest.popFirst() ?? ByteBuffer() }
            switch event {
            case nil: break
            case .message(let message)?:
                messages.append(message)
                byteCount += message.byteCount
                size += WebSocketMailbox.size(of: message)
            case .ping?, .pong?, .close?: return event
            }
        }
        return nil
    }

    /// The messages that were read, which count no more here.
    mutating func takeMessages() -> [WebSocketMessage] {
        defer { (messages, byteCount, size) = ([], 0, 0) }
        return messages
    }

    /// From now on messages are skipped, and have no need of room.
    mutating func skipMessages() {
        reader.skipMessages()
    }

    /// Drops the bytes that were not read.
    mutating func dropBytes() {
        current = ByteBuffer()
        rest.removeAll()
    }
}
