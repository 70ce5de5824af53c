import NIOCore

/// Bounds the frames that cost a client more than they bring (RFC 9113 §10.5), as a value without
/// I/O.
struct HTTP2FloodGuard {
    /// A number of events in a time.
    private struct Rate {
        let most: Int
        let time: TimeAmount
        private var count = 0
        private var end = NIODeadline.uptimeNanoseconds(0)

        init(most: Int, in time: TimeAmount) {
            self.most = most
            self.time = time
        }

        /// Counts an event. Returns whether it is one too many.
        mutating func isExceeded(now: NIODeadline) -> Bool {
            if now >= end {
                count = 0
                end = now + time
            }
            count += 1
            return count > most
        }
    }

    /// PING, SETTINGS, GOAWAY and PRIORITY.
    private var controlFrames = Rate(most: 1_000, in: .seconds(10))
    private var resets = Rate(most: 20_000, in: .seconds(30))
    /// Streams that this client has reset because of a rule of frames.
    private var streamFaults = Rate(most: 1_000, in: .seconds(30))
    /// The DATA frames without content since something else came.
    private var emptyFrames = 0
    /// The acknowledgements that wait because the socket takes nothing.
    private var heldAcknowledgements = 0

    private static let mostEmptyFrames = 100
    private static let mostHeldAcknowledgements = 10_000

    mutating func receivedControlFrame(now: NIODeadline) throws(HTTP2Fault) {
        if controlFrames.isExceeded(now: now) { throw HTTP2FrameDecoder.flood }
    }

    mutating func receivedReset(now: NIODeadline) throws(HTTP2Fault) {
        if resets.isExceeded(now: now) { throw HTTP2FrameDecoder.flood }
    }

    mutating func failedStream(now: NIODeadline) throws(HTTP2Fault) {
        if streamFaults.isExceeded(now: now) { throw HTTP2FrameDecoder.flood }
    }

    mutating func receivedFields() {
        emptyFrames = 0
    }

    mutating func receivedData(isEmpty: Bool, endsStream: Bool) throws(HTTP2Fault) {
        guard isEmpty, !endsStream else {
            emptyFrames = 0
            return
        }
        emptyFrames += 1
        if emptyFrames > Self.mostEmptyFrames { throw HTTP2FrameDecoder.flood }
    }

    /// A PING or SETTINGS was acknowledged.
    mutating func acknowledged(isWritable: Bool) throws(HTTP2Fault) {
        guard !isWritable else {
            heldAcknowledgements = 0
            return
        }
        heldAcknowledgements += 1
        if heldAcknowledgements > Self.mostHeldAcknowledgements { throw HTTP2FrameDecoder.flood }
    }
}
