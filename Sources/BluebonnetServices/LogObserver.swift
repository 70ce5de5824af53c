#if Logging
    public import Bluebonnet
    import FoundationEssentials
    import HTTPTypes
    public import Logging

    /// Logs what came of each task of a session through a `Logger` of swift-log.
    ///
    /// ```
    /// var configuration = SessionConfiguration()
    /// configuration.observers = [LogObserver(Logger(label: "com.example.api"))]
    /// ```
    ///
    /// Each task that had begun is one message when it is over, "Task succeeded", "Task failed" or
    /// "Task cancelled", or where a hook had it become another one, "Task became a download" or
    /// "Task became a stream", with this metadata:
    ///
    /// | key | value |
    /// |---|---|
    /// | `task` | the identifier of the task in its session |
    /// | `method`, `url` | those of the task's request |
    /// | `status` | the status of the last response, if there was one |
    /// | `duration_ms` | the time from the beginning to the end, in milliseconds |
    /// | `requests` | how many requests were sent, where it is not one |
    /// | `redirects`, `retries` | how many of them were redirects or retries, where there were any |
    /// | `sent`, `received` | the bytes of HTTP in each direction |
    /// | `error`, `reason` | the code and the message of the error, where there is one |
    ///
    /// A request that is going to be sent again by a retry is "Request will be sent again", with
    /// `task`, `method`, `url`, the number of the `attempt` that is repeated, its `status` or
    /// `error` and `reason`, its `duration_ms`, and the wait, `delay_ms`.
    ///
    /// With the level of ``Levels/transactions``, each request that is sent is logged too, as
    /// "Request sent" and "Response received" or "Request failed". The latter two have the
    /// `protocol`, which is `h2` or `http/1.1`, the `stream` of HTTP/2, the `proxy`, and
    /// `attempts`, how many addresses were tried for a new connection, where there are such.
    ///
    /// Neither header fields nor bodies are logged; users, passwords and the values of the query
    /// are left out of URLs and messages. A level that the logger does not log costs nothing but
    /// the look at it.
    ///
    /// Counterpart of AFNetworkActivityLogger.
    public struct LogObserver: TransactionObserver {
        /// The levels of the messages; nil for a message that is never logged.
        ///
        /// Counterpart of the `level` of AFNetworkActivityLogger.
        public struct Levels: Sendable, Hashable {
            /// A request of a task was sent, and its response was received. Default: trace.
            public var transactions: Logger.Level? = .trace

            /// A request is going to be sent again. Default: info, since the caller does not hear
            /// of it.
            public var retries: Logger.Level? = .info

            /// A task ended without an error, whatever the status of its response: one that the
            /// caller does not accept is an error. Or it became a download or a stream, which has
            /// a message of its own at its end. Default: debug.
            public var success: Logger.Level? = .debug

            /// A task ended with an error. Default: warning, since the caller has the error and may
            /// know what to do.
            public var failure: Logger.Level? = .warning

            /// A task was cancelled. Default: debug.
            public var cancellation: Logger.Level? = .debug

            /// Makes the default levels.
            public init() {}
        }

        /// What the message of a task has; most have no more.
        private static let usual = DictionaryTemplate<Logger.MetadataValue>(
            ["task", "method", "url", "sent", "received", "duration_ms", "status"],
            spare: 4,
            value: ""
        )

        private let logger: Logger
        private let levels: Levels

        /// Makes an observer.
        ///
        /// - Parameters:
        ///   - logger: The logger, with metadata of its own if it has any.
        ///   - levels: The levels of the messages. Default: ``Levels/init()``.
        public init(_ logger: Logger, levels: Levels = Levels()) {
            self.logger = logger
            self.levels = levels
        }

        /// Logs that a request is sent, and what comes of it.
        public func willSend(_ transaction: inout OutgoingTransaction) -> TransactionEnding? {
            guard let level = logged(levels.transactions) else { return nil }
            let metadata: Logger.Metadata = [
                "task": .stringConvertible(transaction.taskIdentifier),
                "number": .stringConvertible(transaction.number),
                "method": .string(transaction.request.method.rawValue),
                "url": .string(Self.text(transaction.request.url)),
            ]
            logger.log(level: level, "Request sent", metadata: metadata)
            return { transaction in
                var metadata = metadata
                metadata["status"] = (transaction.response?.statusCode).map { .stringConvertible($0) }
                metadata["duration_ms"] = transaction.duration.map(Self.milliseconds)
                metadata["sent"] = .stringConvertible(transaction.bytes.sent)
                metadata["received"] = .stringConvertible(transaction.bytes.received)
                metadata["protocol"] = transaction.protocolName.map { .string($0) }
                metadata["stream"] = transaction.streamIdentifier.map { .stringConvertible($0) }
                metadata["proxy"] = transaction.proxy.map { .string($0.description) }
                let attempts = transaction.addressAttempts.count
                if attempts > 0 { metadata["attempts"] = .stringConvertible(attempts) }
                Self.add(transaction.error, to: &metadata)
                let hasFailed = transaction.error != nil
                logger.log(level: level, hasFailed ? "Request failed" : "Response received", metadata: metadata)
            }
        }

        /// Logs that a request is going to be sent again.
        public func taskWillRetry(_ retry: TaskRetry) {
            guard let level = logged(levels.retries) else { return }
            let attempt = retry.attempt
            var metadata: Logger.Metadata = [
                "task": .stringConvertible(retry.taskIdentifier),
                "method": .string(attempt.request.method.rawValue),
                "url": .string(Self.text(attempt.request.url)),
                "attempt": .stringConvertible(attempt.number),
                "duration_ms": Self.milliseconds(attempt.duration),
                "delay_ms": Self.milliseconds(retry.delay),
            ]
            metadata["status"] = attempt.statusCode.map { .stringConvertible($0) }
            Self.add(attempt.error, to: &metadata)
            logger.log(level: level, "Request will be sent again", metadata: metadata)
        }

        /// Logs what came of a task.
        public func taskDidEnd(_ report: TaskReport) {
            switch report.error?.code {
            case nil: log(report, "Task succeeded", levels.success)
            case .some(.cancelled): log(report, "Task cancelled", levels.cancellation)
            case .some(.becameDownload): log(report, "Task became a download", levels.success)
            case .some(.becameStream): log(report, "Task became a stream", levels.success)
            case .some: log(report, "Task failed", levels.failure)
            }
        }

        private func log(_ report: TaskReport, _ message: Logger.Message, _ level: Logger.Level?) {
            guard let level = logged(level) else { return }
            let metrics = report.metrics
            let (bytes, count) = (metrics.bytes, metrics.transactionCount)
            let status = metrics.lastResponse?.statusCode
            var metadata = Self.usual.filled { metadata in
                metadata[0] = .stringConvertible(report.taskIdentifier)
                metadata[1] = .string(report.request.method.rawValue)
                metadata[2] = .string(Self.text(report.request.url))
                metadata[3] = .stringConvertible(bytes.sent)
                metadata[4] = .stringConvertible(bytes.received)
                metadata[5] = metrics.duration.map(Self.milliseconds) ?? ""
                metadata[6] = status.map { .stringConvertible($0) } ?? ""
            }
            if status == nil { metadata["status"] = nil }
            if count != 1 { metadata["requests"] = .stringConvertible(count) }
            if metrics.redirectCount > 0 { metadata["redirects"] = .stringConvertible(metrics.redirectCount) }
            if metrics.retryCount > 0 { metadata["retries"] = .stringConvertible(metrics.retryCount) }
            Self.add(report.error, to: &metadata)
            logger.log(level: level, message, metadata: metadata)
        }

        /// The level where it is logged.
        private func logged(_ level: Logger.Level?) -> Logger.Level? {
            level.flatMap { logger.logLevel <= $0 ? $0 : nil }
        }

        /// The URL without user, password, fragment and the values of its query.
        private static func text(_ url: URL) -> String { url.plainText ?? url.redactedDescription }

        private static func add(_ error: NetworkingError?, to metadata: inout Logger.Metadata) {
            guard let error else { return }
            metadata["error"] = .string(error.code.rawValue)
            metadata["reason"] = .string(error.message)
        }

        /// With one digit behind the point.
        private static func milliseconds(_ duration: Duration) -> Logger.MetadataValue {
            .stringConvertible((duration / .microseconds(100)).rounded() / 10)
        }
    }
#endif
