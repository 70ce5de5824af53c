import NIOCore

/// Cuts the bytes of a server into frames (RFC 9113 §4), as a value without I/O. It checks what a
/// frame says by itself, and the order of the frames of a field block; streams are unknown to it.
///
/// It works on the bytes of a read in place: content is handed over as it comes, in slices. Only of
/// another frame that the end of a read has cut the bytes are kept.
struct HTTP2FrameDecoder {
    /// A DATA frame that is under way.
    private struct Content {
        let stream: Int
        let endsStream: Bool
        /// The byte with the length of the padding, which takes of the windows too.
        var prefix: Int
        var rest: Int
        var padding: Int
    }

    /// A field block whose end has not come.
    private struct Block {
        let stream: Int
        let endsStream: Bool
        var bytes: ByteBuffer
        var continuations = 0
    }

    /// What is left of the present read.
    private var input = ByteBuffer()
    /// The beginning of a frame that the end of a read has cut.
    private var cut = ByteBuffer()
    private var content: Content?
    private var block: Block?
    private var hasBegun = false

    private let largestBlock: Int
    private let mostContinuations: Int

    /// - Parameter sectionSize: The SETTINGS_MAX_HEADER_LIST_SIZE that was sent.
    init(sectionSize: Int) {
        // A frame is always taken, so that a section that is too large is an error of its stream.
        largestBlock = max(sectionSize, HTTP2Frame.leastSize)
        mostContinuations = sectionSize / HTTP2Frame.leastSize + 8
    }

    /// Adds the bytes of a read, after all frames of the one before were taken.
    mutating func append(_ bytes: ByteBuffer) {
        input = bytes
    }

    /// The next frame; nil where more bytes are needed.
    ///
    /// - Throws: An error of the connection, which ends it.
    mutating func next() throws(HTTP2Fault) -> HTTP2Frame? {
        if content != nil { return nextContent() }
        while let (header, payload) = try nextBytes() {
            if let frame = try read(header, payload) { return frame }
        }
        return nil
    }

    // MARK: Bytes

    /// The next frame with its payload; of DATA only the length of the padding.
    private mutating func nextBytes() throws(HTTP2Fault) -> (HTTP2Frame.Header, ByteBuffer)? {
        guard cut.readableBytes == 0 else { return try nextCutBytes() }
        guard let header = HTTP2Frame.Header(input) else { return keepInput() }
        try check(header)
        let length = Self.needed(of: header)
        guard input.readableBytes >= HTTP2Frame.Header.length + length else { return keepInput() }
        input.moveReaderIndex(forwardBy: HTTP2Frame.Header.length)
        return input.readSlice(length: length).map { (header, $0) }
    }

    private mutating func nextCutBytes() throws(HTTP2Fault) -> (HTTP2Frame.Header, ByteBuffer)? {
        guard fill(to: HTTP2Frame.Header.length), let header = HTTP2Frame.Header(cut) else { return nil }
        try check(header)
        guard fill(to: HTTP2Frame.Header.length + Self.needed(of: header)) else { return nil }
        var payload = cut
        cut = ByteBuffer()
        payload.moveReaderIndex(forwardBy: HTTP2Frame.Header.length)
        return (header, payload)
    }

    /// The bytes of the payload without which a frame is not looked at.
    private static func needed(of header: HTTP2Frame.Header) -> Int {
        guard header.kind == .data else { return header.length }
        return header.flags.contains(.padded) ? min(1, header.length) : 0
    }

    /// Keeps what is left of the read, and gives its memory back.
    private mutating func keepInput() -> (HTTP2Frame.Header, ByteBuffer)? {
        if input.readableBytes > 0 { cut = ByteBuffer(bytes: input.readableBytesView) }
        input = ByteBuffer()
        return nil
    }

    /// Fills the beginning of a frame up; false where there are not enough bytes.
    private mutating func fill(to length: Int) -> Bool {
        let missing = length - cut.readableBytes
        guard missing > 0 else { return true }
        if var piece = input.readSlice(length: min(missing, input.readableBytes)) { cut.writeBuffer(&piece) }
        guard cut.readableBytes >= length else {
            input = ByteBuffer()
            return false
        }
        return true
    }

    /// What a header alone tells.
    private mutating func check(_ header: HTTP2Frame.Header) throws(HTTP2Fault) {
        if !hasBegun {
            // §3.4: this is the preface of a server.
            guard header.kind == .settings, !header.flags.contains(.acknowledgement) else {
                throw Self.violation("began the HTTP/2 connection with something else than SETTINGS")
            }
            hasBegun = true
        }
        // §4.2.
        guard header.length <= HTTP2Frame.leastSize else {
            throw Self.violation("sent an HTTP/2 frame of more than \(HTTP2Frame.leastSize) bytes", .frameSizeError)
        }
        // §6.10: nothing comes between the frames of a field block.
        guard
            header.kind == .continuation && header.stream == block?.stream
                || header.kind != .continuation && block == nil
        else { throw Self.violation("sent a field block whose frames do not follow one another") }
    }

    // MARK: Frames

    /// Reads a frame; nil where it is a part of a field block, or of an unknown type (§4.1).
    private mutating func read(
        _ header: HTTP2Frame.Header,
        _ payload: ByteBuffer
    ) throws(HTTP2Fault) -> HTTP2Frame? {
        switch header.kind {
        case .data: return try beginContent(header, payload)
        case .headers, .continuation: return try readBlock(header, payload)
        case .settings, .ping, .goAway: return try readOfConnection(header, payload)
        case .priority, .resetStream, .windowUpdate, .pushPromise: return try readOfStream(header, payload)
        // RFC 9218 §7.1.
        case .priorityUpdate: throw Self.violation("sent PRIORITY_UPDATE, which only clients may send")
        default: return nil
        }
    }

    private func readOfConnection(
        _ header: HTTP2Frame.Header,
        _ payload: ByteBuffer
    ) throws(HTTP2Fault) -> HTTP2Frame {
        // §6.5, §6.7, §6.8.
        guard header.stream == 0 else { throw Self.violation("sent a frame about the connection on a stream") }
        let isAcknowledgement = header.flags.contains(.acknowledgement)
        switch header.kind {
        case .settings where isAcknowledgement:
            try Self.require(header.length == 0, "an acknowledgement of SETTINGS")
            return HTTP2Frame(stream: 0, payload: .settingsAcknowledgement)
        case .settings:
            try Self.require(header.length % HTTP2Settings.length == 0, "SETTINGS")
            return HTTP2Frame(stream: 0, payload: .settings(try HTTP2Settings(payload)))
        case .ping:
            try Self.require(header.length == 8, "PING")
            let data: UInt64 = payload.getInteger(at: payload.readerIndex) ?? 0
            return HTTP2Frame(stream: 0, payload: isAcknowledgement ? .pingAcknowledgement(data) : .ping(data))
        default:
            try Self.require(header.length >= 8, "GOAWAY")
            let last = Self.number(payload) & 0x7FFF_FFFF
            let code = HTTP2Code(rawValue: Self.number(payload, at: 4))
            return HTTP2Frame(stream: 0, payload: .goAway(code, lastStream: last))
        }
    }

    private func readOfStream(
        _ header: HTTP2Frame.Header,
        _ payload: ByteBuffer
    ) throws(HTTP2Fault) -> HTTP2Frame {
        // §6.3, §6.4, §6.6.
        guard header.stream != 0 || header.kind == .windowUpdate else {
            throw Self.violation("sent a frame about a stream without a stream")
        }
        switch header.kind {
        case .priority:
            try Self.require(header.length == 5, "PRIORITY")
            return HTTP2Frame(stream: header.stream, payload: .priority)
        case .resetStream:
            try Self.require(header.length == 4, "RST_STREAM")
            return HTTP2Frame(stream: header.stream, payload: .reset(HTTP2Code(rawValue: Self.number(payload))))
        case .windowUpdate:
            try Self.require(header.length == 4, "WINDOW_UPDATE")
            // §6.9: the reserved bit is ignored.
            return HTTP2Frame(stream: header.stream, payload: .windowUpdate(Self.number(payload) & 0x7FFF_FFFF))
        default:
            return HTTP2Frame(stream: header.stream, payload: .pushPromise)
        }
    }

    /// §6.2, §6.10.
    private mutating func readBlock(
        _ header: HTTP2Frame.Header,
        _ payload: ByteBuffer
    ) throws(HTTP2Fault) -> HTTP2Frame? {
        let isWhole = header.flags.contains(.endHeaders)
        guard var block else {
            let fragment = try Self.fragment(header, payload)
            let endsStream = header.flags.contains(.endStream)
            if isWhole { return HTTP2Frame(stream: header.stream, payload: .fields(fragment, endsStream: endsStream)) }
            // A copy, so that the read's memory is not kept.
            self.block = Block(
                stream: header.stream,
                endsStream: endsStream,
                bytes: ByteBuffer(bytes: fragment.readableBytesView)
            )
            return nil
        }
        // It is alone in its memory now.
        self.block = nil
        block.continuations += 1
        // RFC 9113 §10.5.1.
        guard block.continuations <= mostContinuations else { throw Self.flood }
        guard block.bytes.readableBytes + header.length <= largestBlock else { throw .sectionTooLarge }
        block.bytes.writeImmutableBuffer(payload)
        if isWhole {
            return HTTP2Frame(stream: block.stream, payload: .fields(block.bytes, endsStream: block.endsStream))
        }
        self.block = block
        return nil
    }

    /// The part of the field block in HEADERS (§6.2).
    private static func fragment(
        _ header: HTTP2Frame.Header,
        _ payload: ByteBuffer
    ) throws(HTTP2Fault) -> ByteBuffer {
        guard header.stream != 0 else { throw violation("sent HEADERS without a stream") }
        var payload = payload
        var padding = 0
        if header.flags.contains(.padded) {
            try require(header.length > 0, "HEADERS")
            padding = Int(payload.readInteger(as: UInt8.self) ?? 0)
        }
        if header.flags.contains(.priority) {
            try require(payload.readableBytes >= 5, "HEADERS")
            // §5.3.2: priorities of this kind are no longer in use.
            payload.moveReaderIndex(forwardBy: 5)
        }
        guard padding <= payload.readableBytes,
            let fragment = payload.readSlice(length: payload.readableBytes - padding)
        else { throw violation("sent HEADERS with more padding than payload") }
        return fragment
    }

    // MARK: Content

    /// §6.1.
    private mutating func beginContent(
        _ header: HTTP2Frame.Header,
        _ payload: ByteBuffer
    ) throws(HTTP2Fault) -> HTTP2Frame {
        guard header.stream != 0 else { throw Self.violation("sent DATA without a stream") }
        var (prefix, padding) = (0, 0)
        if header.flags.contains(.padded) {
            try Self.require(header.length > 0, "DATA")
            prefix = 1
            padding = Int(payload.getInteger(at: payload.readerIndex, as: UInt8.self) ?? 0)
        }
        let length = header.length - prefix - padding
        guard length >= 0 else { throw Self.violation("sent DATA with more padding than payload") }
        let endsStream = header.flags.contains(.endStream)
        content = Content(
            stream: header.stream,
            endsStream: endsStream,
            prefix: prefix,
            rest: length,
            padding: padding
        )
        return HTTP2Frame(
            stream: header.stream,
            payload: .dataBegins(windowLength: header.length, isEmpty: length == 0, endsStream: endsStream)
        )
    }

    /// The next part of a DATA frame.
    private mutating func nextContent() -> HTTP2Frame? {
        guard var content else { return nil }
        let length = min(content.rest, input.readableBytes)
        let bytes = input.readSlice(length: length) ?? ByteBuffer()
        content.rest -= length
        let skipped = content.rest == 0 ? min(content.padding, input.readableBytes) : 0
        input.moveReaderIndex(forwardBy: skipped)
        content.padding -= skipped
        let windowLength = content.prefix + length + skipped
        content.prefix = 0
        let isWhole = content.rest == 0 && content.padding == 0
        self.content = isWhole ? nil : content
        guard isWhole || windowLength > 0 else {
            input = ByteBuffer()
            return nil
        }
        return HTTP2Frame(
            stream: content.stream,
            payload: .data(bytes, windowLength: windowLength, endsStream: isWhole && content.endsStream)
        )
    }

    // MARK: Faults

    /// Frames that bring nothing (RFC 9113 §10.5).
    static let flood = HTTP2Fault(
        .flood,
        sending: .enhanceYourCalm,
        clause: "sent too many HTTP/2 frames that bring nothing (\(HTTP2Code.enhanceYourCalm))"
    )

    /// A rule that the connection has broken.
    private static func violation(_ clause: String, _ code: HTTP2Code = .protocolError) -> HTTP2Fault {
        HTTP2Fault(.violation, sending: code, clause: "\(clause) (\(code))")
    }

    /// §4.2: a frame of another length than its type has.
    private static func require(_ hasLength: Bool, _ name: String) throws(HTTP2Fault) {
        guard hasLength else { throw violation("sent \(name) of a wrong length", .frameSizeError) }
    }

    /// A number of 32 bits.
    private static func number(_ payload: ByteBuffer, at offset: Int = 0) -> Int {
        Int(payload.getInteger(at: payload.readerIndex + offset, as: UInt32.self) ?? 0)
    }
}
