import Bluebonnet
import BluebonnetServices
import Logging
import Metrics
import Synchronization
import Tracing

extension SessionConfiguration {
    /// Has logs, measurements and traces made of each request, for backends that do what every one
    /// must and no more.
    mutating func observe() {
        let logger = Logger(label: "benchmark") { _ in CountingLogHandler() }
        observers = [
            LogObserver(logger), MetricsObserver(factory: CountingMetricsFactory()),
            TracingObserver(tracer: CountingTracer()),
        ]
    }
}

/// Counts messages, and drops them.
private struct CountingLogHandler: LogHandler {
    private static let count = Atomic(0)
    var metadata: Logger.Metadata = [:]
    /// Each task is a message.
    var logLevel = Logger.Level.debug

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        Self.count.add(event.metadata?.count ?? 0, ordering: .relaxed)
    }
}

/// Adds up what is measured.
private struct CountingMetricsFactory: MetricsFactory {
    private final class Sum: CounterHandler, FloatingPointCounterHandler, MeterHandler, RecorderHandler, TimerHandler {
        private let value = Atomic<Int64>(0)

        private func add(_ amount: Int64) {
            value.add(amount, ordering: .relaxed)
        }

        func increment(by amount: Int64) { add(amount) }
        func increment(by amount: Double) { add(Int64(amount)) }
        func decrement(by amount: Double) { add(-Int64(amount)) }
        func set(_ value: Int64) { self.value.store(value, ordering: .relaxed) }
        func set(_ value: Double) { set(Int64(value)) }
        func record(_ value: Int64) { add(value) }
        func record(_ value: Double) { add(Int64(value)) }
        func recordNanoseconds(_ duration: Int64) { add(duration) }
        func reset() { set(0 as Int64) }
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler { Sum() }
    func makeFloatingPointCounter(label: String, dimensions: [(String, String)]) -> any FloatingPointCounterHandler {
        Sum()
    }
    func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler { Sum() }
    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler { Sum() }
    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler { Sum() }
    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
    func destroyMeter(_ handler: any MeterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}
}

/// Makes spans with random identifiers that record, writes W3C's `traceparent`, and drops each span
/// at its end.
private struct CountingTracer: Tracer {
    private enum Identifiers: ServiceContextKey {
        typealias Value = (high: UInt64, low: UInt64, span: UInt64)
    }

    final class Span: Tracing.Span {
        private struct State {
            var name: String
            var attributes = SpanAttributes()
            var status: SpanStatus?
            var hasEnded = false
        }

        let context: ServiceContext
        private let state: Mutex<State>
        private let startedAt: UInt64

        init(_ name: String, _ context: ServiceContext, startedAt: UInt64) {
            self.context = context
            self.startedAt = startedAt
            state = Mutex(State(name: name))
        }

        var operationName: String {
            get { state.withLock { $0.name } }
            set { state.withLock { $0.name = newValue } }
        }

        var attributes: SpanAttributes {
            get { state.withLock { $0.attributes } }
            set { state.withLock { $0.attributes = newValue } }
        }

        var isRecording: Bool { state.withLock { !$0.hasEnded } }

        func setStatus(_ status: SpanStatus) { state.withLock { $0.status = status } }
        func addEvent(_ event: SpanEvent) {}
        func addLink(_ link: SpanLink) {}

        func recordError<Instant: TracerInstant>(
            _ error: any Error,
            attributes: SpanAttributes,
            at instant: @autoclosure () -> Instant
        ) {}

        func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
            let time = instant().nanosecondsSinceEpoch &- startedAt
            state.withLock { $0.hasEnded = time > 0 }
        }
    }

    func startSpan<Instant: TracerInstant>(
        _ operationName: String,
        context: @autoclosure () -> ServiceContext,
        ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant,
        function: String,
        file fileID: String,
        line: UInt
    ) -> Span {
        var context = context()
        var random = SystemRandomNumberGenerator()
        let parent = context[Identifiers.self]
        let (high, low) = parent.map { ($0.high, $0.low) } ?? (random.next(), random.next())
        context[Identifiers.self] = (high, low, random.next())
        return Span(operationName, context, startedAt: instant().nanosecondsSinceEpoch)
    }

    func forceFlush() {}

    func inject<Carrier, Inject: Injector>(
        _ context: ServiceContext,
        into carrier: inout Carrier,
        using injector: Inject
    ) where Inject.Carrier == Carrier {
        guard let identifiers = context[Identifiers.self] else { return }
        var text: [UInt8] = []
        text.reserveCapacity(55)
        text += "00-".utf8
        Self.write(identifiers.high, to: &text)
        Self.write(identifiers.low, to: &text)
        text += "-".utf8
        Self.write(identifiers.span, to: &text)
        text += "-01".utf8
        injector.inject(String(decoding: text, as: UTF8.self), forKey: "traceparent", into: &carrier)
    }

    /// Writes a number in 16 hexadecimal digits.
    private static func write(_ number: UInt64, to text: inout [UInt8]) {
        for shift in stride(from: UInt64(60), through: 0, by: -4) {
            let digit = UInt8(truncatingIfNeeded: number >> shift) & 15
            text.append(digit < 10 ? 0x30 + digit : 0x57 + digit)
        }
    }

    func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier,
        into context: inout ServiceContext,
        using extractor: Extract
    ) where Extract.Carrier == Carrier {}
}
