#if Metrics
    import Bluebonnet
    import Metrics
    import Synchronization

    /// Makes metrics, and counts them: beyond the limit, everything has the same ones.
    final class MetricSupply: Sendable {
        let factory: any MetricsFactory
        /// The metrics of what is beyond the limit.
        let overflow: MetricTarget
        private let overflowSeries: MetricSeries
        private let left: Mutex<Int>

        init(_ factory: any MetricsFactory, limit: Int) {
            self.factory = factory
            let dimensions = [("otel.metric.overflow", "true")]
            overflow = MetricTarget(dimensions, isOverflow: true, factory)
            overflowSeries = MetricSeries(dimensions, isOverflow: true, factory)
            left = Mutex(limit)
        }

        func target(_ key: MetricTarget.Key) -> MetricTarget? {
            take() ? MetricTarget(key.dimensions, isOverflow: false, factory) : nil
        }

        func series(_ key: MetricSeries.Key, of target: MetricTarget) -> MetricSeries {
            guard !target.isOverflow, take() else { return overflowSeries }
            return MetricSeries(target.dimensions + key.dimensions, factory)
        }

        private func take() -> Bool {
            left.withLock { left in
                defer { left = max(left - 1, 0) }
                return left > 0
            }
        }
    }

    /// The metrics of the requests of one method to one server.
    final class MetricTarget: Sendable {
        struct Key: Hashable {
            var method: String
            var origin: Origin?

            var dimensions: [(String, String)] {
                var dimensions = [("http.request.method", method)]
                guard let origin else { return dimensions }
                dimensions.append(("server.address", origin.address))
                if let port = origin.port { dimensions.append(("server.port", String(port))) }
                dimensions.append(("url.scheme", origin.isSecure ? "https" : "http"))
                return dimensions
            }
        }

        /// `http.client.active_requests`.
        let active: Meter
        let dimensions: [(String, String)]
        let isOverflow: Bool
        private let series = Mutex<[MetricSeries.Key: MetricSeries]>([:])

        init(_ dimensions: [(String, String)], isOverflow: Bool, _ factory: any MetricsFactory) {
            self.dimensions = dimensions
            self.isOverflow = isOverflow
            active = Meter(label: "http.client.active_requests", dimensions: dimensions, factory: factory)
        }

        /// The metrics of transactions that ended as this one.
        func series(for transaction: TransactionMetrics, _ supply: MetricSupply) -> MetricSeries {
            let key = MetricSeries.Key(transaction)
            return series.withLock { series in
                if let known = series[key] { return known }
                let made = supply.series(key, of: self)
                // What is beyond the limit is not remembered.
                if !made.isOverflow { series[key] = made }
                return made
            }
        }
    }

    /// The metrics of requests that ended in the same way.
    final class MetricSeries: Sendable {
        struct Key: Hashable {
            private var status: Int?
            private var errorType: String?
            private var version: HTTPVersion?

            init(_ transaction: TransactionMetrics) {
                let head = transaction.response
                status = head?.statusCode
                version = head?.httpVersion
                errorType = HTTPConventions.errorType(of: transaction)
            }

            var dimensions: [(String, String)] {
                var dimensions: [(String, String)] = []
                if let errorType { dimensions.append(("error.type", errorType)) }
                if let status { dimensions.append(("http.response.status_code", String(status))) }
                if let version { dimensions.append(("network.protocol.version", version.description)) }
                return dimensions
            }
        }

        let isOverflow: Bool
        private let duration: Timer
        private let requestSize: Recorder
        private let responseSize: Recorder

        init(_ dimensions: [(String, String)], isOverflow: Bool = false, _ factory: any MetricsFactory) {
            self.isOverflow = isOverflow
            duration = Timer(
                label: "http.client.request.duration",
                dimensions: dimensions,
                preferredDisplayUnit: .seconds,
                factory: factory
            )
            requestSize = Recorder(label: "http.client.request.body.size", dimensions: dimensions, factory: factory)
            responseSize = Recorder(label: "http.client.response.body.size", dimensions: dimensions, factory: factory)
        }

        func record(_ transaction: TransactionMetrics, hasBody: Bool) {
            if let time = transaction.duration { duration.record(duration: time) }
            let bytes = transaction.bytes
            if hasBody { requestSize.record(bytes.requestBody) }
            if transaction.response != nil { responseSize.record(bytes.responseBody) }
        }
    }
#endif
