extension ResumableUpload {
    /// The course of an upload, as a value without I/O: what is sent next, after each response and
    /// each failure.
    ///
    /// The sections are those of draft-ietf-httpbis-resumable-upload-12.
    struct StateMachine {
        enum Step: Equatable {
            /// Send the request of the user, with the offer (§4.2).
            case create
            /// Ask the upload resource for its offset, after the pause for so many failures (§4.3).
            case ask(failures: Int)
            /// Append a part of the body, or its rest (§4.4).
            case append(from: Int, count: Int?)
            /// The response that was received last is that of the upload.
            case deliver
            /// The upload resource wants other credentials, as the response says that was received
            /// last. With them the upload can go on.
            case authenticate
            case fail(Reason)
        }

        enum Reason: Equatable {
            /// The error of the interruption, as it is. It can be resumed later, or not.
            case interrupted(isResumable: Bool)
            /// The upload resource does not allow to go on.
            case refused(String)
            /// Nobody had the credentials that the upload resource wants, by this status. It can be
            /// resumed later.
            case unauthorized(Int)
            /// The server has the whole upload, and its response was lost (§11).
            case responseLost
            /// What the server says of its state cannot be true.
            case contradiction(String)
        }

        /// What came of a step.
        enum Outcome: Equatable {
            case response(UploadStatus)
            /// No response; whether it is one that another attempt may mend.
            case failure(isTemporary: Bool)
        }

        /// The most interruptions of one upload: a server that takes one byte at a time has an end.
        static let mostInterruptions = 1000
        /// The most requests for what is left of an upload whose server takes fewer bytes in one
        /// request than `smallPart`. A larger one costs less than its bytes.
        static let mostSmallParts = 10_000
        static let smallPart = 1 << 16
        /// The most times that the whole is sent again because the upload resource is gone.
        private static let mostRestarts = 1

        private enum Stage: Equatable {
            case creating, asking
            case appending(from: Int, count: Int?)
        }

        private let length: Int?
        private let isIdempotent: Bool
        private let mostFailures: Int
        private var stage = Stage.creating
        private var hasResource = false
        /// The most bytes that may have arrived; nil where an earlier process sent them.
        private var sent: Int?
        /// The bytes that the server has acknowledged. It must not fall behind (§4.1.1).
        private(set) var acknowledged = 0
        /// The offset that the last request was sent from.
        private var lastOffset = 0
        private var mostAtOnce: Int?
        private var failures = 0
        private var interruptions = 0
        private var restarts = 0
        /// The status of a response that may become that of the upload, when nothing better comes.
        private var kept: Int?

        /// - Parameters:
        ///   - length: The bytes of the body; nil where that is not known.
        ///   - isIdempotent: Whether the request may be processed twice (RFC 9110 §9.2.2).
        ///   - mostFailures: The most failures in a row without a byte more on the server.
        ///   - hasResource: Whether there is an upload resource of an earlier process. Default:
        ///     false.
        init(length: Int?, isIdempotent: Bool, mostFailures: Int, hasResource: Bool = false) {
            self.length = length
            self.isIdempotent = isIdempotent
            self.mostFailures = mostFailures
            self.hasResource = hasResource
            sent = hasResource ? nil : 0
        }

        /// The first step.
        mutating func begin() -> Step {
            guard hasResource else { return .create }
            stage = .asking
            return .ask(failures: 0)
        }

        /// Whether the last response is kept, because it may be delivered later.
        var keepsResponse: Bool { kept != nil }

        /// Notes what 104 responses have said during a step, before its outcome.
        mutating func note(hasResource: Bool, offset: Int?, mostAtOnce: Int?) {
            if case .creating = stage { self.hasResource = hasResource }
            if let offset, offset <= length ?? .max { acknowledged = max(acknowledged, offset) }
            if let mostAtOnce { self.mostAtOnce = mostAtOnce }
        }

        /// The next step.
        ///
        /// - Parameters:
        ///   - outcome: What came of the last one.
        ///   - position: The bytes of the body, from its beginning, up to which it was handed to
        ///     the connection.
        /// - Returns: The step.
        mutating func next(after outcome: Outcome, sentUpTo position: Int) -> Step {
            if stage != .asking { sent = sent.map { max($0, position) } }
            switch (stage, outcome) {
            case (_, .failure(isTemporary: false)): return .fail(.interrupted(isResumable: hasResource))
            case (.creating, .failure):
                return hasResource ? interrupted() : .fail(.interrupted(isResumable: false))
            case (_, .failure): return interrupted()
            case (.creating, .response(let status)): return created(status)
            case (.asking, .response(let status)): return told(status)
            case (.appending(let start, let count), .response(let status)): return appended(status, start, count)
            }
        }

        /// §4.2.1: a 5xx may be resumed where the upload resource is known.
        private mutating func created(_ status: UploadStatus) -> Step {
            guard hasResource, status.code >= 500 else { return .deliver }
            kept = status.code
            return interrupted()
        }

        private mutating func interrupted() -> Step {
            failures += 1
            interruptions += 1
            guard failures <= mostFailures, interruptions <= Self.mostInterruptions else {
                return end(.interrupted(isResumable: true))
            }
            stage = .asking
            return .ask(failures: failures)
        }

        /// The kept response is that of the upload, or there is none.
        private func end(_ reason: Reason) -> Step {
            kept ?? 0 >= 400 ? .deliver : .fail(reason)
        }

        /// The response to HEAD (§4.3.1).
        private mutating func told(_ status: UploadStatus) -> Step {
            switch status.code {
            case 200..<300: break
            case 404, 410: return gone()
            case let code where Self.isTemporary(code): return interrupted()
            case let code where Self.isUnauthorized(code): return .authenticate
            default: return end(.refused("the upload resource responded \(status.code)"))
            }
            if let mostAtOnce = status.mostAtOnce { self.mostAtOnce = mostAtOnce }
            // §4.3.2: a successful response has to have it.
            guard let offset = status.offset else {
                return .fail(.contradiction("the upload resource does not say how many bytes it has"))
            }
            guard offset <= length ?? .max, status.length == nil || length == nil || status.length == length else {
                return .fail(.contradiction("the upload resource is one of another length"))
            }
            // §4.1.1: the offset must not decrease.
            guard offset >= acknowledged else {
                return .fail(.contradiction("the upload resource has lost bytes that it had"))
            }
            guard status.isComplete != true else { return end(.responseLost) }
            guard offset <= sent ?? .max else {
                return .fail(.contradiction("the upload resource has bytes that were not sent"))
            }
            if offset > lastOffset { failures = 0 }
            return append(from: offset)
        }

        private mutating func append(from offset: Int) -> Step {
            (acknowledged, lastOffset, kept) = (offset, offset, nil)
            var count: Int?
            // §4.1.4: a client that knows the limit must not send more in one request.
            if let mostAtOnce {
                guard let length, mostAtOnce > 0 else {
                    return .fail(.refused("the server wants it in parts, and its length is not known"))
                }
                let rest = length - offset
                // A limit of a few bytes would make millions of requests.
                guard mostAtOnce >= Self.smallPart || (rest - 1) / mostAtOnce < Self.mostSmallParts else {
                    let bytes = mostAtOnce == 1 ? "1 byte" : "\(mostAtOnce) bytes"
                    return .fail(
                        .refused("the server takes no more than \(bytes) in one request, and \(rest) are left")
                    )
                }
                if rest > mostAtOnce { count = mostAtOnce }
            }
            stage = .appending(from: offset, count: count)
            return .append(from: offset, count: count)
        }

        /// The response to PATCH (§4.4.1).
        private mutating func appended(_ status: UploadStatus, _ start: Int, _ count: Int?) -> Step {
            guard let count else {
                // Some servers leave the field out of the response that ends the upload, and so may
                // an intermediary: a success without it is one.
                let isSuccess = 200..<300 ~= status.code
                let hasAll = status.offset == nil || length == nil || status.offset == length
                if status.isComplete == true || (isSuccess && status.isComplete == nil && hasAll) { return .deliver }
                guard isSuccess || Self.mayResume(status.code) else { return refused(status) }
                kept = status.code
                return interrupted()
            }
            guard status.isComplete != true else {
                return .fail(.contradiction("the upload resource is complete before all was sent"))
            }
            if 200..<300 ~= status.code {
                failures = 0
                return append(from: start + count)
            }
            guard Self.mayResume(status.code) else { return refused(status) }
            kept = status.code
            return interrupted()
        }

        /// A response to PATCH that ends the upload, unless it only wants other credentials.
        private func refused(_ status: UploadStatus) -> Step {
            Self.isUnauthorized(status.code) ? .authenticate : .deliver
        }

        /// There is no upload resource any more. The whole is sent again, unless the server may
        /// have processed it, and must not do so twice. What an earlier task has sent is not known.
        private mutating func gone() -> Step {
            if let kept, !Self.isMissing(kept) { return end(.refused("the upload resource is gone")) }
            let mayBeProcessed = sent.map { $0 >= length ?? .max } ?? true
            guard restarts < Self.mostRestarts, isIdempotent || !mayBeProcessed else {
                return end(.refused("the upload resource is gone"))
            }
            restarts += 1
            (acknowledged, lastOffset, sent, kept, hasResource, stage) = (0, 0, 0, nil, false, .creating)
            return .create
        }

        private static func isMissing(_ code: Int) -> Bool { [404, 409, 410].contains(code) }

        /// §4.3.1: those that recommend to try again.
        private static func isTemporary(_ code: Int) -> Bool { code >= 500 || [408, 423, 425, 429].contains(code) }

        /// RFC 9110 §15.5.2, §15.5.4, §15.5.8: the upload resource is there, for somebody else.
        private static func isUnauthorized(_ code: Int) -> Bool { [401, 403, 407].contains(code) }

        private static func mayResume(_ code: Int) -> Bool { isTemporary(code) || isMissing(code) }
    }
}
