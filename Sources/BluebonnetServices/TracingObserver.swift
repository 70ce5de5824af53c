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
        /// What the span of a response has; most have no more.
        private static let usual = DictionaryTemplate<SpanAttribute>(
            [
                "http.request.method", "url.full", "server.address", "server.port", "network.peer.address",
                "network.peer.port", "http.response.status_code", "network.protocol.version",
            ],
            spare: 3,
            value: .bool(false)
        )

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
            var fields = InjectedFields()
            instrument.inject(span.context, into: &fields, using: FieldInjector())
            if let (name, value) = fields.first { transaction.headerFields[name] = value }
            for (name, value) in fields.others { transaction.headerFields[name] = value }
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
            let (head, peer, port) = (transaction.response, transaction.remoteEndpoint, origin?.port)
            var attributes = Self.usual.filled { attributes in
                attributes[0] = .string(method)
                attributes[1] = .string(request.url.textWithoutSecrets)
                if let origin { attributes[2] = .string(origin.address) }
                if let port { attributes[3] = .int64(Int64(port)) }
                if let peer { attributes[4] = .string(peer.address) }
                if let port = peer?.port { attributes[5] = .int64(Int64(port)) }
                if let head {
                    attributes[6] = .int64(Int64(head.statusCode))
                    attributes[7] = .string(head.httpVersion.description)
                }
            }
            if origin == nil { attributes["server.address"] = nil }
            if port == nil { attributes["server.port"] = nil }
            if peer == nil { attributes["network.peer.address"] = nil }
            if peer?.port == nil { attributes["network.peer.port"] = nil }
            if head == nil {
                attributes["http.response.status_code"] = nil
                attributes["network.protocol.version"] = nil
            }
            if method == HTTPConventions.otherMethod {
                attributes["http.request.method_original"] = .string(request.method.rawValue)
            }
            if transaction.number > 0 {
                attributes["http.request.resend_count"] = .int64(Int64(transaction.number))
            }
            if let errorType { attributes["error.type"] = .string(errorType) }
            if span.attributes.isEmpty {
                span.attributes = SpanAttributes(attributes)
            } else {
                // The tracer has put some there at the beginning.
                span.attributes.merge(SpanAttributes(attributes))
            }
            if errorType != nil {
                // Of a status, the attribute says all.
                span.setStatus(SpanStatus(code: .error, message: transaction.error?.message))
            }
        }

        /// The header fields that a tracer writes. Most write one, for which nothing is allocated.
        private struct InjectedFields {
            var first: (name: HTTPField.Name, value: String)?
            var others: [(name: HTTPField.Name, value: String)] = []
        }

        /// Writes header fields.
        private struct FieldInjector: Injector {
            func inject(_ value: String, forKey key: String, into fields: inout InjectedFields) {
                guard let name = HTTPField.Name(key) else { return }
                if fields.first == nil { fields.first = (name, value) } else { fields.others.append((name, value)) }
            }
        }
    }
#endif
