#if Metrics
    import Bluebonnet
    import Metrics
    import Synchronization

    /// Makes metrics, and counts them: beyond the limit, everything has the same ones.
    ///
    /// All metrics of one name have the same dimensions in the same order; what is not known has an
    /// empty value. swift-prometheus ends the process where the names of two differ, and for
    /// Prometheus an empty label is the same as none.
    final class MetricSupply: Sendable {
        /// The metrics of what is beyond the limit.
        struct Overflow: Sendable {
            let target: MetricTarget
            let series: MetricSeries

            init(_ factory: any MetricsFactory) {
                let dimensions = MetricTarget.dimensions(isOverflow: true)
                target = MetricTarget(dimensions, isOverflow: true, factory)
                series = MetricSeries(dimensions + MetricSeries.dimensions(), isOverflow: true, factory)
            }
        }

        private struct State {
            var left: Int
            /// Made when it is needed.
            var overflow: Overflow?
        }

        private let factory: any MetricsFactory
        private let state: Mutex<State>

        init(_ factory: any MetricsFactory, limit: Int) {
            self.factory = factory
            state = Mutex(State(left: limit))
        }

        func target(_ key: MetricTarget.Key) -> MetricTarget {
            overflow()?.target ?? MetricTarget(key.dimensions, factory)
        }

        func series(_ key: MetricSeries.Key, of target: MetricTarget) -> MetricSeries {
            overflow(isMeant: target.isOverflow)?.series ?? MetricSeries(target.dimensions + key.dimensions, factory)
        }

        /// Counts one more; nil where that is within the limit.
        private func overflow(isMeant: Bool = false) -> Overflow? {
            state.withLock { state in
                if state.left > 0, !isMeant {
                    state.left -= 1
                    return nil
                }
                let overflow = state.overflow ?? Overflow(factory)
                state.overflow = overflow
                return overflow
            }
        }
    }

    /// The metrics of the requests of one method to one server.
    final class MetricTarget: Sendable {
        struct Key: Hashable {
            var method: String
            var origin: Origin?

            var dimensions: [(String, String)] {
                MetricTarget.dimensions(
                    method: method,
                    address: origin?.address,
                    port: origin?.port.map { String($0) },
                    scheme: origin.map { $0.isSecure ? "https" : "http" }
                )
            }
        }

        /// The dimensions of all metrics, empty where nothing is given.
        static func dimensions(
            method: String? = nil,
            address: String? = nil,
            port: String? = nil,
            scheme: String? = nil,
            isOverflow: Bool = false
        ) -> [(String, String)] {
            [
                ("http.request.method", method ?? ""), ("server.address", address ?? ""), ("server.port", port ?? ""),
                ("url.scheme", scheme ?? ""), ("otel.metric.overflow", isOverflow ? "true" : ""),
            ]
        }

        /// `http.client.active_requests`.
        let active: Meter
        let dimensions: [(String, String)]
        let isOverflow: Bool
        private let series = Mutex<[MetricSeries.Key: MetricSeries]>([:])

        init(_ dimensions: [(String, String)], isOverflow: Bool = false, _ factory: any MetricsFactory) {
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
                MetricSeries.dimensions(
                    errorType: errorType,
                    status: status.map { String($0) },
                    version: version?.description
                )
            }
        }

        /// The dimensions that it has beside those of its target, empty where nothing is given.
        static func dimensions(
            errorType: String? = nil,
            status: String? = nil,
            version: String? = nil
        ) -> [(String, String)] {
            [
                ("error.type", errorType ?? ""), ("http.response.status_code", status ?? ""),
                ("network.protocol.version", version ?? ""),
            ]
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
