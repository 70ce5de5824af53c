#if Metrics
    import Metrics
    import Synchronization

    /// A factory that counts the metrics that are made, and notes their dimensions.
    final class CountingFactory: MetricsFactory {
        private struct State {
            var made = 0
            var names: [String: Set<[String]>] = [:]
            var values: Set<String> = []
        }

        private let state = Mutex(State())

        /// How many were made.
        var made: Int { state.withLock(\.made) }

        /// The names of the dimensions that the metrics of each label were made with. A factory of
        /// Prometheus ends the process where a label has two lists.
        var names: [String: Set<[String]>] { state.withLock(\.names) }

        /// The values of all dimensions.
        var values: Set<String> { state.withLock(\.values) }

        private func one<Handler>(_ handler: Handler, _ label: String, _ dimensions: [(String, String)]) -> Handler {
            state.withLock { state in
                state.made += 1
                state.names[label, default: []].insert(dimensions.map(\.0))
                state.values.formUnion(dimensions.map(\.1))
            }
            return handler
        }

        func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
            one(NOOPMetricsHandler.instance, label, dimensions)
        }

        func makeFloatingPointCounter(
            label: String,
            dimensions: [(String, String)]
        ) -> any FloatingPointCounterHandler {
            one(NOOPMetricsHandler.instance, label, dimensions)
        }

        func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
            one(NOOPMetricsHandler.instance, label, dimensions)
        }

        func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
            one(NOOPMetricsHandler.instance, label, dimensions)
        }

        func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
            one(NOOPMetricsHandler.instance, label, dimensions)
        }

        func destroyCounter(_ handler: any CounterHandler) {}
        func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
        func destroyMeter(_ handler: any MeterHandler) {}
        func destroyRecorder(_ handler: any RecorderHandler) {}
        func destroyTimer(_ handler: any TimerHandler) {}
    }
#endif
