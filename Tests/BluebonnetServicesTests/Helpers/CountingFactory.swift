#if Metrics
    import Metrics
    import Synchronization

    /// A factory that counts the metrics that are made.
    final class CountingFactory: MetricsFactory {
        private let count = Atomic(0)

        /// How many were made.
        var made: Int { count.load(ordering: .sequentiallyConsistent) }

        private func one<Handler>(_ handler: Handler) -> Handler {
            count.add(1, ordering: .sequentiallyConsistent)
            return handler
        }

        func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
            one(NOOPMetricsHandler.instance)
        }

        func makeFloatingPointCounter(
            label: String,
            dimensions: [(String, String)]
        ) -> any FloatingPointCounterHandler {
            one(NOOPMetricsHandler.instance)
        }

        func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
            one(NOOPMetricsHandler.instance)
        }

        func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
            one(NOOPMetricsHandler.instance)
        }

        func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
            one(NOOPMetricsHandler.instance)
        }

        func destroyCounter(_ handler: any CounterHandler) {}
        func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
        func destroyMeter(_ handler: any MeterHandler) {}
        func destroyRecorder(_ handler: any RecorderHandler) {}
        func destroyTimer(_ handler: any TimerHandler) {}
    }
#endif
