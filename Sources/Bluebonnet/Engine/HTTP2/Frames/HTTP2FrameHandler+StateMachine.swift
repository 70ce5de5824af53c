import NIOCore

extension HTTP2FrameHandler {
    /// The stages of the streams of a connection as both sides see them, and the windows that the
    /// server must keep to (RFC 9113 §5), as a value without I/O.
    struct StateMachine {
        /// What is to be done with a frame.
        enum Decision: Equatable {
            case handOver
            /// The stream was reset, and the server did not know yet when it sent the frame.
            case ignore
            /// A stream error (§5.4.2): the stream is reset.
            case failStream(HTTP2Fault)
        }

        /// A stream whose both sides have not ended it.
        private struct Stream {
            /// The bytes that the server may still send on it.
            var window = HTTP2WindowBudget.first
            var isRequestComplete: Bool
            var isResponseComplete = false
        }

        private var streams: [Int: Stream] = [:]
        /// The largest number of a stream that was opened.
        private var newest = 0
        /// The streams that this client has reset, and those that the server has not processed.
        private var reset: Set<Int> = []
        private var resetOrder = CircularBuffer<Int>()
        /// The largest number of a stream that was reset and is not remembered any more.
        private var largestForgottenReset = 0
        /// The bytes that the server may still send on the connection.
        private var window = HTTP2FrameHandler.initialWindow
        /// The last stream that the server has said it processes (§6.8).
        private var lastProcessed = Int.max
        private(set) var floods = HTTP2FloodGuard()

        /// The streams that are remembered because they were reset. Of older ones, only the largest
        /// number is.
        static let mostReset = 512

        // MARK: Sending

        /// HEADERS were sent, which open the stream if it is new.
        mutating func sentFields(on stream: Int, endsStream: Bool) {
            guard stream <= newest else {
                newest = stream
                streams[stream] = Stream(isRequestComplete: endsStream)
                return
            }
            if endsStream { endRequest(of: stream) }
        }

        /// The last DATA of a request was sent.
        mutating func endRequest(of stream: Int) {
            guard let isResponseComplete = streams[stream]?.isResponseComplete else { return }
            if isResponseComplete { streams[stream] = nil } else { streams[stream]?.isRequestComplete = true }
        }

        /// A stream is to be reset. Returns whether RST_STREAM is to be sent: not behind another
        /// one.
        mutating func sendReset(on stream: Int) -> Bool {
            guard stream <= newest, streams[stream] != nil || !mayBeReset(stream) else { return false }
            forget(stream)
            return true
        }

        mutating func sentWindowUpdate(_ increment: Int, on stream: Int) {
            if stream == 0 { window += increment } else { streams[stream]?.window += increment }
        }

        /// A PING or SETTINGS was acknowledged.
        mutating func acknowledged(isWritable: Bool) throws(HTTP2Fault) {
            try floods.acknowledged(isWritable: isWritable)
        }

        /// Takes frames of a stream that come late.
        private mutating func forget(_ stream: Int) {
            streams[stream] = nil
            guard reset.insert(stream).inserted else { return }
            resetOrder.append(stream)
            guard resetOrder.count > Self.mostReset else { return }
            let oldest = resetOrder.removeFirst()
            reset.remove(oldest)
            largestForgottenReset = max(largestForgottenReset, oldest)
        }

        /// Whether a stream that is not open was reset, as far as is remembered: a late frame on
        /// one that was reset must be ignored (§5.1), and must not end the connection of the
        /// others.
        private func mayBeReset(_ stream: Int) -> Bool {
            reset.contains(stream) || stream <= largestForgottenReset
        }

        // MARK: Receiving

        /// A field block came.
        mutating func receivedFields(on stream: Int, endsStream: Bool) throws(HTTP2Fault) -> Decision {
            floods.receivedFields()
            try requireOpened(stream)
            return try receivedContent(on: stream, endsStream: endsStream)
        }

        /// A DATA frame has begun.
        mutating func receivedData(
            windowLength: Int,
            isEmpty: Bool,
            on stream: Int,
            endsStream: Bool
        ) throws(HTTP2Fault) -> Decision {
            try floods.receivedData(isEmpty: isEmpty, endsStream: endsStream)
            try requireOpened(stream)
            // §6.9.1: also that of streams that were reset.
            guard windowLength <= window else {
                throw HTTP2Fault(
                    .violation,
                    sending: .flowControlError,
                    clause: "sent more than the window of the connection allows"
                )
            }
            window -= windowLength
            guard let open = streams[stream], !open.isResponseComplete else {
                return try receivedContent(on: stream, endsStream: endsStream)
            }
            guard windowLength <= open.window else {
                return .failStream(
                    HTTP2Fault(
                        .violation,
                        sending: .flowControlError,
                        clause: "sent more than the window of the stream allows"
                    )
                )
            }
            streams[stream]?.window -= windowLength
            return try receivedContent(on: stream, endsStream: endsStream)
        }

        private mutating func receivedContent(on stream: Int, endsStream: Bool) throws(HTTP2Fault) -> Decision {
            guard let open = streams[stream] else {
                if mayBeReset(stream) { return .ignore }
                // §5.1, closed: both sides have ended it.
                throw Self.behindEnd
            }
            // §5.1, half-closed (remote).
            guard !open.isResponseComplete else { return .failStream(Self.behindEnd) }
            guard endsStream else { return .handOver }
            if open.isRequestComplete { streams[stream] = nil } else { streams[stream]?.isResponseComplete = true }
            return .handOver
        }

        mutating func receivedReset(on stream: Int, now: NIODeadline) throws(HTTP2Fault) -> Decision {
            try floods.receivedReset(now: now)
            try requireOpened(stream)
            // §5.1: it may have been under way when the stream ended.
            return streams.removeValue(forKey: stream) == nil ? .ignore : .handOver
        }

        /// A frame of the connection, or PRIORITY, came.
        mutating func receivedControlFrame(now: NIODeadline) throws(HTTP2Fault) {
            try floods.receivedControlFrame(now: now)
        }

        mutating func receivedWindowUpdate(_ increment: Int, on stream: Int) throws(HTTP2Fault) -> Decision {
            if stream != 0 {
                try requireOpened(stream)
                guard streams[stream] != nil else { return .ignore }
            }
            guard increment == 0 else { return .handOver }
            // §6.9.
            let fault = HTTP2Fault(.violation, clause: "sent WINDOW_UPDATE with no increment")
            guard stream == 0 else { return .failStream(fault) }
            throw fault
        }

        mutating func receivedGoAway(lastStream: Int) throws(HTTP2Fault) {
            // §6.8: what may have been sent again must not be processed.
            guard lastStream <= lastProcessed else {
                throw HTTP2Fault(.violation, clause: "sent GOAWAY with a larger stream than before")
            }
            lastProcessed = lastStream
            for stream in streams.keys where stream > lastStream { forget(stream) }
        }

        /// A stream has failed because of the server.
        mutating func failedStream(now: NIODeadline) throws(HTTP2Fault) {
            try floods.failedStream(now: now)
        }

        /// §5.1, idle: a frame on a stream that was never opened.
        private func requireOpened(_ stream: Int) throws(HTTP2Fault) {
            // §5.1.1: those of clients are odd, and a server opens none (§8.4).
            guard stream <= newest, stream % 2 == 1 else {
                throw HTTP2Fault(.violation, clause: "sent a frame on a stream that was not opened")
            }
        }

        private static let behindEnd = HTTP2Fault(
            .violation,
            sending: .streamClosed,
            clause: "sent a frame on a stream behind its end"
        )
    }
}
