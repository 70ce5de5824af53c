import HTTPTypes

/// Marks, as the innermost cause, that a request failed without a response in a way that allows to
/// send it again.
struct RepeatableError: Error, CustomStringConvertible {
    enum Reason {
        /// The server closed an idle connection, as a rule before the request reached it.
        case stale
        /// The server has certainly not processed the request.
        case notProcessed
        /// The task was suspended when a connection was free for the request.
        case suspended
    }

    let reason: Reason
    let cause: (any Error)?

    /// Whether a request with this method may be sent again. RFC 9110 §9.2.2: where the server may
    /// have processed it, only with an idempotent method.
    func allows(_ method: HTTPRequest.Method) -> Bool {
        switch (reason, method) {
        case (.notProcessed, _), (.suspended, _): true
        case (.stale, .get), (.stale, .head), (.stale, .options), (.stale, .trace), (.stale, .put), (.stale, .delete):
            true
        // No byte has passed a tunnel that was not opened.
        case (.stale, .connect): true
        case (.stale, _): false
        }
    }

    var description: String {
        let text =
            switch reason {
            case .stale: "the pooled connection was stale"
            case .notProcessed: "the server has not processed the request"
            case .suspended: "the request was not sent, because its task was suspended"
            }
        return cause.map { "\(text): \($0.causeText)" } ?? text
    }

    static func isSuspension(_ error: NetworkingError) -> Bool {
        (error.underlying as? RepeatableError)?.reason == .suspended
    }

    static func marking(_ error: NetworkingError, _ reason: Reason) -> NetworkingError {
        var error = error
        error.underlying = RepeatableError(reason: reason, cause: error.underlying)
        return error
    }
}

extension RepeatableError {
    /// The retries of a request.
    struct Retries {
        private(set) var count = 0
        /// Whether a connection was stale: another idle one may be too.
        private(set) var wasStale = false

        /// A server that says it has not processed a request may say so on the next connection too.
        static let most = 5

        /// Counts another retry, if there may be one: the server cannot have processed the request,
        /// or, once, the connection was stale before any response and the method is idempotent. A
        /// request that was not sent, because its task was suspended, may be sent later, and is no
        /// retry.
        mutating func allow(_ method: HTTPRequest.Method, after error: NetworkingError) -> Bool {
            guard let mark = error.underlying as? RepeatableError, mark.allows(method),
                count < Self.most || mark.reason == .suspended, !wasStale || mark.reason != .stale
            else { return false }
            guard mark.reason != .suspended else { return true }
            count += 1
            if mark.reason == .stale { wasStale = true }
            return true
        }
    }
}
