/// Steps of a script that run one after the other, beside those of other lanes.
final class HTTP2FaultLane {
    /// The event that the lane waits for before its next step.
    ///
    /// Every step changes `none` to one of the others; all but `stalled` become `none` again.
    enum Pause {
        case none
        case operation
        case head
        case end
        case frame(@Sendable (WireFrame) -> Bool)
        case window
        case stalled
    }

    /// The part of a body that has not been sent.
    struct Body {
        private let block: [UInt8]
        /// The padding of each frame (RFC 9113 §6.1).
        let padding: UInt8?
        private let endStream: Bool
        /// The number of blocks that have not been sent whole.
        private var blocks: Int
        /// The number of bytes of the next block that have been sent.
        private var sent = 0
        private(set) var isSent = false

        init(block: [UInt8], blocks: Int, padding: UInt8? = nil, endStream: Bool) {
            self.block = block
            self.padding = padding
            self.blocks = blocks
            self.endStream = endStream
        }

        /// The bytes that a frame has besides these of the body.
        var overhead: Int { padding.map { 1 + Int($0) } ?? 0 }

        /// Takes the bytes of the next DATA frame, or nil when there is no room for any.
        mutating func next(upTo room: Int) -> (bytes: [UInt8], endStream: Bool)? {
            let bytes = Array(block[sent...].prefix(room))
            guard !bytes.isEmpty || block.isEmpty else { return nil }
            sent += bytes.count
            if sent == block.count {
                sent = 0
                blocks -= 1
                isSent = blocks <= 0
            }
            return (bytes, isSent && endStream)
        }
    }

    /// The steps that have not run, the next one last.
    var steps: [HTTP2FaultStep]
    var pause = Pause.none
    var isRunning = false

    /// The stream of the current request.
    var stream: Int

    /// The number of the client's frames that the lane has looked at.
    var framesSeen: Int

    /// The body that the windows of the client hold back.
    var body = Body(block: [], blocks: 0, endStream: false)

    init(_ steps: [HTTP2FaultStep], stream: Int, framesSeen: Int) {
        self.steps = steps.reversed()
        self.stream = stream
        self.framesSeen = framesSeen
    }

    /// Whether the lane waits for something that is not an event of the client.
    var isInOperation: Bool {
        if case .operation = pause { true } else { false }
    }
}
