#if Tracing
    import InMemoryTracing
    import Tracing

    /// A tracer that keeps its spans, and writes their contexts as W3C's Trace Context does.
    struct TraceparentTracer: Tracer {
        let spans = InMemoryTracer(idGenerator: Self.hexadecimal)

        private static var hexadecimal: InMemoryTracer.IDGenerator {
            InMemoryTracer.IDGenerator {
                (0..<4).map { _ in digits(UInt32.random(in: 1 ... .max), 8) }.joined()
            } nextSpanID: {
                (0..<2).map { _ in digits(UInt32.random(in: 1 ... .max), 8) }.joined()
            }
        }

        private static func digits(_ number: UInt32, _ count: Int) -> String {
            let digits = String(number, radix: 16)
            return String(repeating: "0", count: count - digits.count) + digits
        }

        /// The field of a span.
        static func traceparent(_ context: InMemorySpanContext) -> String {
            "00-\(context.traceID)-\(context.spanID)-01"
        }

        func startSpan<Instant: TracerInstant>(
            _ operationName: String,
            context: @autoclosure () -> ServiceContext,
            ofKind kind: SpanKind,
            at instant: @autoclosure () -> Instant,
            function: String,
            file fileID: String,
            line: UInt
        ) -> InMemorySpan {
            spans.startSpan(
                operationName,
                context: context(),
                ofKind: kind,
                at: instant(),
                function: function,
                file: fileID,
                line: line
            )
        }

        func forceFlush() {}

        func inject<Carrier, Inject: Injector>(
            _ context: ServiceContext,
            into carrier: inout Carrier,
            using injector: Inject
        ) where Inject.Carrier == Carrier {
            guard let own = context.inMemorySpanContext else { return }
            injector.inject(Self.traceparent(own), forKey: "traceparent", into: &carrier)
        }

        func extract<Carrier, Extract: Extractor>(
            _ carrier: Carrier,
            into context: inout ServiceContext,
            using extractor: Extract
        ) where Extract.Carrier == Carrier {}
    }
#endif
