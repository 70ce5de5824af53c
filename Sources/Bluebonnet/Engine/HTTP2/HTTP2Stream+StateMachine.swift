extension HTTP2Stream {
    /// The decisions about the response of one stream, without I/O (RFC 9113 §8.1).
    struct StateMachine {
        enum Stage: Equatable {
            /// Then `receivingBody`, or `complete` where the head ends the stream.
            case awaitingHead
            /// Then `complete`.
            case receivingBody
            /// The last stage.
            case complete
        }

        /// The meaning of a field section.
        enum Section: Equatable {
            case informational
            /// The final response, with the length of its content where that is known.
            case final(bodyLength: Int?)
        }

        private(set) var stage = Stage.awaitingHead
        private let isHead: Bool
        /// The content that content-length says, or that the response may have.
        private var expected: Int?
        private var received = 0
        /// The informational responses, without those that tell of an upload's progress.
        private var informationalCount = 0
        /// The responses 104.
        private var noticeCount = 0

        /// The content that is still to come, where that is known.
        var rest: Int? { expected.map { $0 - received } }

        init(isHead: Bool) {
            self.isHead = isHead
        }

        /// A field section came before the body.
        mutating func received(
            statusCode: Int,
            contentLength: Int?,
            endsStream: Bool
        ) throws(HTTP2Fault) -> Section {
            // §8.6: there is no 101 here.
            guard statusCode != 101 else {
                throw HTTP2Fault(
                    .unexpectedResponse,
                    clause: "switched protocols over HTTP/2, which has no such response"
                )
            }
            if statusCode < 200 {
                // §8.1: an informational response does not end the stream.
                guard !endsStream else {
                    throw HTTP2Fault(.violation, clause: "ended a stream with an informational response")
                }
                if statusCode == 104 { noticeCount += 1 } else { informationalCount += 1 }
                guard informationalCount <= HTTP1Limits.informationalCount,
                    noticeCount <= HTTP1Limits.uploadNoticeCount
                else {
                    throw HTTP2Fault(
                        .unexpectedResponse,
                        sending: .enhanceYourCalm,
                        clause: "sent too many informational responses"
                    )
                }
                return .informational
            }
            stage = .receivingBody
            // §8.1.1: such a response has no content, whatever its content-length says.
            let isEmpty = isHead || statusCode == 204 || statusCode == 304
            expected = isEmpty ? 0 : contentLength
            if endsStream { try end() }
            return .final(bodyLength: isHead ? contentLength : expected)
        }

        /// A piece of the body came.
        mutating func received(bytes count: Int, endsStream: Bool) throws(HTTP2Fault) {
            guard stage == .receivingBody else {
                throw HTTP2Fault(.violation, clause: "sent content before the response")
            }
            received += count
            if let expected, received > expected {
                throw HTTP2Fault(.lengthMismatch, clause: "sent more content than its content-length says")
            }
            if endsStream { try end() }
        }

        /// A field section came behind the body (§8.1).
        mutating func receivedTrailers(endsStream: Bool) throws(HTTP2Fault) {
            guard endsStream else { throw HTTP2Fault(.violation, clause: "sent a second head on a stream") }
            try end()
        }

        private mutating func end() throws(HTTP2Fault) {
            if let expected, received < expected {
                throw HTTP2Fault(.lengthMismatch, clause: "sent less content than its content-length says")
            }
            stage = .complete
        }
    }
}
