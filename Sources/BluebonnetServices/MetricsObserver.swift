#if Metrics
    public import Bluebonnet
    import HTTPTypes
    public import Metrics
    import Synchronization

    /// Measures the requests of a session through swift-metrics, by OpenTelemetry's conventions for
    /// the metrics of HTTP clients.
    ///
    /// ```
    /// var configuration = SessionConfiguration()
    /// configuration.observers = [MetricsObserver()]
    /// ```
    ///
    /// | metric | type | value |
    /// |---|---|---|
    /// | `http.client.request.duration` | `Timer` | the time until the end of the response or failure |
    /// | `http.client.request.body.size` | `Recorder` | the bytes of a request body, as sent |
    /// | `http.client.response.body.size` | `Recorder` | the bytes of a response body, as received |
    /// | `http.client.active_requests` | `Meter` | how many requests are under way |
    ///
    /// The timer prefers seconds as its unit.
    ///
    /// Each request that is sent counts, redirects and retries included. The dimensions are
    /// `http.request.method`, `server.address`, `server.port`, `url.scheme` and
    /// `otel.metric.overflow`, and but for `active_requests` also `http.response.status_code`,
    /// `error.type` (the code of the error, or a status from 400 on) and
    /// `network.protocol.version`. Paths and queries are in none of them.
    ///
    /// All metrics of one name have all of its dimensions, as Prometheus needs it: one that is not
    /// known, such as the status of a request that failed, has an empty value.
    ///
    /// No counterpart in AFNetworking and Alamofire.
    public final class MetricsObserver: TransactionObserver {
        private let conventions: HTTPConventions
        private let supply: MetricSupply
        private let targets = Mutex<[MetricTarget.Key: MetricTarget]>([:])

        /// Makes an observer.
        ///
        /// - Parameters:
        ///   - factory: The factory of the metrics. Default: that of the process, as it is when the
        ///     observer is made: call `MetricsSystem.bootstrap(_:)` before.
        ///   - knownMethods: The methods that are a value of `http.request.method`; others are
        ///     `_OTHER`. Default: those of RFC 9110, PATCH and QUERY.
        ///   - seriesLimit: The most combinations of dimensions. What is beyond it counts together,
        ///     with `otel.metric.overflow` as `true` and the others empty, so that a program that
        ///     asks any number of servers needs no more memory. Default: 2,000.
        public init(
            factory: any MetricsFactory = MetricsSystem.factory,
            knownMethods: Set<String>? = nil,
            seriesLimit: Int = 2_000
        ) {
            conventions = HTTPConventions(knownMethods: knownMethods ?? HTTPConventions.standardMethods)
            supply = MetricSupply(factory, limit: seriesLimit)
        }

        /// Counts a request that is sent, and measures it at its end.
        public func willSend(_ transaction: inout OutgoingTransaction) -> TransactionEnding? {
            let method = conventions.method(transaction.request.method)
            let target = target(MetricTarget.Key(method: method, origin: transaction.origin))
            let hasBody = transaction.request.body != nil
            target.active.increment()
            return { [supply] transaction in
                target.active.decrement()
                target.series(for: transaction, supply).record(transaction, hasBody: hasBody)
            }
        }

        private func target(_ key: MetricTarget.Key) -> MetricTarget {
            targets.withLock { targets in
                if let known = targets[key] { return known }
                let made = supply.target(key)
                // What is beyond the limit is not remembered.
                if !made.isOverflow { targets[key] = made }
                return made
            }
        }
    }
#endif
