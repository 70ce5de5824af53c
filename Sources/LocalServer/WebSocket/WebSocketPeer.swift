import NIOCore

/// The server's side of one connection, for a script: it reads the opening request and frames, and
/// sends what it is told, right or wrong.
package struct WebSocketPeer: ~Copyable {
    /// The client has ended the connection.
    package struct Ended: Error {
        /// Where it was noticed.
        package let moment: String
    }

    /// An opening request.
    package struct Request: Sendable {
        /// The first line.
        package let line: String
        /// The fields by their names in lower case; of several, the last one.
        package let fields: [String: String]

        /// The value of `Sec-WebSocket-Accept` that belongs to the key (RFC 6455 §4.2.2).
        package var accept: String { WebSocketEchoHandshake.accept(fields["sec-websocket-key"] ?? "") }
    }

    private var inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
    private let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    private let channel: any Channel
    private var buffer = ByteBuffer()
    private var lastRequest: Request?

    init(
        _ inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator,
        _ outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>,
        _ channel: any Channel
    ) {
        self.inbound = inbound
        self.outbound = outbound
        self.channel = channel
    }

    // MARK: The handshake

    /// Reads the opening request.
    @concurrent
    package mutating func readRequest() async throws -> Request {
        while true {
            if let head = takeHead() {
                let lines = head.split(separator: "\r\n").map(String.init)
                var fields: [String: String] = [:]
                for line in lines.dropFirst() {
                    guard let colon = line.firstIndex(of: ":") else { continue }
                    fields[line[..<colon].lowercased()] =
                        line[line.index(after: colon)...].drop { $0 == " " }.description
                }
                let request = Request(line: lines.first ?? "", fields: fields)
                lastRequest = request
                return request
            }
            try await fill("in the opening request")
        }
    }

    private mutating func takeHead() -> String? {
        var bytes = buffer.readableBytesView[...]
        var length = 0
        while let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
            length += end - bytes.startIndex + 1
            bytes = bytes[(end + 1)...]
            if bytes.starts(with: "\r\n".utf8) { return buffer.readString(length: length + 2) }
        }
        return nil
    }

    /// Reads the opening request and agrees, with these further fields.
    @discardableResult
    @concurrent
    package mutating func open(_ fields: [String] = []) async throws -> Request {
        let request = try await readRequest()
        try await send(response(fields))
        return request
    }

    /// The response that agrees to the last request, with these further fields.
    package func response(_ fields: [String] = []) -> [UInt8] {
        let all = ["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Accept: \(lastRequest?.accept ?? "")"]
        return Array("HTTP/1.1 101 Switching Protocols\r\n\((all + fields).joined(separator: "\r\n"))\r\n\r\n".utf8)
    }

    // MARK: Frames

    /// Reads a frame.
    @concurrent
    package mutating func readFrame() async throws -> WebSocketFrame {
        while true {
            if let frame = takeFrame() { return frame }
            try await fill("in a frame")
        }
    }

    /// Reads the frames of a message, skipping control frames, and returns its bytes.
    @concurrent
    package mutating func readMessage() async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            let frame = try await readFrame()
            guard frame.opcode < 8 else { continue }
            bytes += frame.payload
            if frame.isFinal { return bytes }
        }
    }

    private mutating func takeFrame() -> WebSocketFrame? {
        var bytes = buffer
        guard let first: UInt8 = bytes.readInteger(), let second: UInt8 = bytes.readInteger() else { return nil }
        var length = Int(second & 0x7F)
        if length == 126 {
            guard let long: UInt16 = bytes.readInteger() else { return nil }
            length = Int(long)
        } else if length == 127 {
            guard let long: UInt64 = bytes.readInteger() else { return nil }
            length = Int(long)
        }
        var mask: [UInt8]?
        if second & 0x80 != 0 {
            guard let key = bytes.readBytes(length: 4) else { return nil }
            mask = key
        }
        guard var payload = bytes.readBytes(length: length) else { return nil }
        if let mask { for index in payload.indices { payload[index] ^= mask[index % 4] } }
        buffer = bytes
        return WebSocketFrame(
            first & 0xF,
            payload,
            isFinal: first & 0x80 != 0,
            reservedBits: first >> 4 & 7,
            mask: mask
        )
    }

    @concurrent
    private mutating func fill(_ moment: String) async throws {
        guard let more = try await inbound.next() else { throw Ended(moment: moment) }
        if buffer.readableBytes == 0 { buffer = more } else { buffer.writeImmutableBuffer(more) }
    }

    /// Sends a frame.
    @concurrent
    package func send(_ frame: WebSocketFrame) async throws { try await send(frame.bytes) }

    /// Sends bytes as they are, and waits while the client takes no more.
    @concurrent
    package func send(_ bytes: [UInt8]) async throws {
        try await outbound.write(ByteBuffer(bytes: bytes))
        // Only the event loop knows what the client takes. On a machine that is busy, a script
        // could write all it has before the event loop has seen the first byte.
        try await channel.eventLoop.submit {}.get()
    }

    // MARK: The end

    /// Reads until the client ends the connection, and returns the frames that come before.
    @concurrent
    package mutating func drain() async throws -> [WebSocketFrame] {
        var frames: [WebSocketFrame] = []
        while true {
            if let frame = takeFrame() {
                frames.append(frame)
                continue
            }
            do {
                guard let more = try await inbound.next() else { return frames }
                buffer.writeImmutableBuffer(more)
            } catch {
                return frames
            }
        }
    }

    /// The server's part of the close handshake that the client begins: reads up to its Close
    /// frame, and sends one with the same code.
    @discardableResult
    @concurrent
    package mutating func finish() async throws -> WebSocketFrame {
        let frame = try await readClose()
        try await send(.close(frame.closeCode))
        return frame
    }

    /// Begins the close handshake: sends a Close frame, and reads up to the client's.
    @discardableResult
    @concurrent
    package mutating func close(_ code: UInt16?, _ reason: String = "") async throws -> WebSocketFrame {
        try await send(.close(code, reason))
        return try await readClose()
    }

    /// Reads up to the client's Close frame.
    @discardableResult
    @concurrent
    package mutating func readClose() async throws -> WebSocketFrame {
        while true {
            let frame = try await readFrame()
            if frame.opcode == 8 { return frame }
        }
    }

    /// Ends the connection with RST.
    @concurrent
    package func reset() async throws {
        let channel = channel
        try await channel.eventLoop.submit { channel.reset() }.get()
        try await channel.closeFuture.get()
    }
}
