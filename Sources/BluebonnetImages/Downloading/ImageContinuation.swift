#if Images
    import Bluebonnet
    import FoundationEssentials
    import HTTPTypes
    import Synchronization

    /// What has come of the body of an image over several attempts, so that the next one asks for
    /// the rest alone (RFC 9110 §14.2).
    final class ImageContinuation: ContinuingRetrier {
        private struct State {
            var partial: PartialBody?
            /// Whether what came is of no use to its server, which may say so each time: from then
            /// on, the attempts ask for the whole, and end.
            var hasStartedOver = false
        }

        /// The request as the user made it.
        private let request: Request
        private let state: Mutex<State>

        init(_ request: Request, from partial: PartialBody?) {
            self.request = request
            state = Mutex(State(partial: partial))
        }

        /// What has come; nil where the next attempt asks for the whole.
        var partial: PartialBody? { state.withLock(\.partial) }

        /// The request of the user's, for what is missing.
        var next: Request { partial?.continuing(request) ?? request }

        /// Whether the session may send the request again by itself.
        func isRepeated(by session: SessionManager) -> Bool {
            let configuration = session.configuration
            return request.retryPolicy ?? configuration.retryPolicy != nil
                || !(request.retriers.isEmpty && configuration.retriers.isEmpty)
        }

        /// Notes what a failed attempt has brought.
        func note(_ error: NetworkingError) {
            state.withLock { $0.partial = PartialBody.left(by: error, of: request, continuing: $0.partial) }
        }

        /// Drops what has come, and has all attempts from here on ask for the whole.
        func startOver() { state.withLock { $0 = State(partial: nil, hasStartedOver: true) } }

        /// What is done with the response to the last attempt; nil where it has asked for the
        /// whole.
        func step(for head: ResponseHead) -> PartialBody.Step? { partial?.step(for: head, to: request) }

        /// The progress of the whole body.
        func progress(_ rest: TaskProgress) -> TaskProgress {
            guard let partial else { return rest }
            return TaskProgress(upload: rest.upload, download: partial.progress(rest.download))
        }

        // MARK: The attempts of the session

        func decision(after attempt: RetryAttempt, context: ExchangeContext) -> RetryDecision { .byPolicy }

        func continuing(_ request: Request, after error: NetworkingError) -> Request {
            // A range of the user's is not changed.
            guard !self.request.headerFields.contains(.range), !state.withLock(\.hasStartedOver) else {
                return request
            }
            note(error)
            var request = request
            request.headerFields[.range] = nil
            request.headerFields[.ifRange] = nil
            return partial?.continuing(request) ?? request
        }
    }

    /// The body of an accepted response: what came before and the rest.
    struct RawImageSerializer: ValidatingResponseSerializer {
        var validation: ResponseValidation
        var continuation: ImageContinuation?

        func serialize(_ body: Data, head: ResponseHead, request: Request) throws(NetworkingError) -> Data {
            guard let partial = continuation?.partial, continuation?.step(for: head) == .append else {
                return try validated(body, head: head, request: request) { $0 }
            }
            let (body, head) = (partial.bytes + body, partial.completing(head))
            return try validated(body, head: head, request: request) { $0 }
        }
    }
#endif
