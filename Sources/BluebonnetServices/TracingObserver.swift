#if Tracing
    public import Bluebonnet
    import HTTPTypes
    public import Tracing

    /// Makes a span of each request that a session sends, through swift-distributed-tracing, by
    /// OpenTelemetry's conventions for the spans of HTTP clients, and sends its context along.
    ///
    /// ```
    /// var configuration = SessionConfiguration()
    /// configuration.observers = [TracingObserver()]
    /// ```
    ///
    /// Each redirect and each retry is a span of its own, of kind `client`, and its name is the
    /// method. Its parent is the `ServiceContext.current` of the code that made the task. A task
    /// that was made without one, and started by `resume()` or an `await` that has one, takes that.
    ///
    /// The tracer writes the context of the span into the header fields of its request, such as
    /// `traceparent`, in place of fields with these names.
    ///
    /// | attribute | value |
    /// |---|---|
    /// | `http.request.method` | the method, or `_OTHER` for one that is not known |
    /// | `http.request.method_original` | the method where it is not known |
    /// | `http.request.resend_count` | the number of the request in its task, except for the first |
    /// | `http.response.status_code` | the status |
    /// | `error.type` | the code of the error, or a status from 400 on |
    /// | `server.address`, `server.port` | the host and the port of the URL |
    /// | `url.full` | the URL without user, password, fragment, and the values of secrets in its query |
    /// | `network.peer.address`, `network.peer.port` | the server's end of the connection |
    /// | `network.protocol.version` | the version of HTTP |
    ///
    /// A span ends when the last byte of the response was received, or when the request failed. Its
    /// status is `error` where it has an `error.type`.
    ///
    /// No counterpart in AFNetworking and Alamofire.
    public struct TracingObserver: TransactionObserver {
        private let tracer: any Tracer
        /// Writes the context into the header fields.
        private let instrument: any Instrument
        private let conventions: HTTPConventions

        /// Makes an observer.
        ///
        /// - Parameters:
        ///   - tracer: The tracer. Default: nil, that of the process as it is when the observer is
        ///     made: call `InstrumentationSystem.bootstrap(_:)` before. Then all of its instruments
        ///     write into the header fields.
        ///   - knownMethods: The methods that are a value of `http.request.method` and the name of
        ///     a span; others are `_OTHER`, and the name is `HTTP`. Default: those of RFC 9110,
        ///     PATCH and QUERY.
        public init(tracer: (any Tracer)? = nil, knownMethods: Set<String>? = nil) {
            self.tracer = tracer ?? InstrumentationSystem.tracer
            instrument = tracer ?? InstrumentationSystem.instrument
            conventions = HTTPConventions(knownMethods: knownMethods ?? HTTPConventions.standardMethods)
        }

        /// Notes the context of the code that makes a task.
        public func circumstances(of request: Request) -> (any Sendable)? { ServiceContext.current }

        /// Begins a span, and writes its context into the header fields.
        public func willSend(_ transaction: inout OutgoingTransaction) -> TransactionEnding? {
            let request = transaction.request
            let method = conventions.method(request.method)
            let parent = transaction.circumstances as? ServiceContext ?? ServiceContext.current ?? .topLevel
            let name = method == HTTPConventions.otherMethod ? "HTTP" : method
            let span = tracer.startSpan(name, context: parent, ofKind: .client)
            // Apart, because many tracers write nothing, and the fields are then not copied.
            var fields = HTTPFields()
            instrument.inject(span.context, into: &fields, using: FieldInjector())
            for field in fields { transaction.headerFields[field.name] = field.value }
            let origin = transaction.origin
            return { transaction in
                if span.isRecording { Self.describe(transaction, request, method, origin, in: span) }
                span.end()
            }
        }

        private static func describe(
            _ transaction: TransactionMetrics,
            _ request: Request,
            _ method: String,
            _ origin: Origin?,
            in span: any Span
        ) {
            let errorType = HTTPConventions.errorType(of: transaction)
            span.updateAttributes { attributes in
                attributes.reserveCapacity(attributes.count + 11)
                attributes.set("http.request.method", value: .string(method))
                if method == HTTPConventions.otherMethod {
                    attributes.set("http.request.method_original", value: .string(request.method.rawValue))
                }
                if transaction.number > 0 {
                    attributes.set("http.request.resend_count", value: .int64(Int64(transaction.number)))
                }
                attributes.set("url.full", value: .string(request.url.textWithoutSecrets))
                if let origin {
                    attributes.set("server.address", value: .string(origin.address))
                    if let port = origin.port { attributes.set("server.port", value: .int64(Int64(port))) }
                }
                if let peer = transaction.remoteEndpoint {
                    attributes.set("network.peer.address", value: .string(peer.address))
                    if let port = peer.port { attributes.set("network.peer.port", value: .int64(Int64(port))) }
                }
                if let head = transaction.response {
                    attributes.set("http.response.status_code", value: .int64(Int64(head.statusCode)))
                    attributes.set("network.protocol.version", value: .string(head.httpVersion.description))
                }
                if let errorType { attributes.set("error.type", value: .string(errorType)) }
            }
            if errorType != nil {
                // Of a status, the attribute says all.
                span.setStatus(SpanStatus(code: .error, message: transaction.error?.message))
            }
        }

        /// Writes header fields.
        private struct FieldInjector: Injector {
            func inject(_ value: String, forKey key: String, into fields: inout HTTPFields) {
                if let name = HTTPField.Name(key) { fields[name] = value }
            }
        }
    }
#endif
