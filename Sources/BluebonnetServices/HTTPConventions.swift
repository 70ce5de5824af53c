#if Metrics || Tracing
    import Bluebonnet
    import HTTPTypes

    /// The values that OpenTelemetry's conventions for HTTP have for a request and its end.
    struct HTTPConventions: Sendable {
        /// The methods of RFC 9110, RFC 5789 and of the draft for QUERY.
        static let standardMethods: Set<String> = [
            "CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "QUERY", "TRACE",
        ]

        /// The value in place of a method that is not known: the methods of a program that takes
        /// them from elsewhere have no bound.
        static let otherMethod = "_OTHER"

        private let knownMethods: Set<String>
        private let knowsGET: Bool

        init(knownMethods: Set<String>) {
            self.knownMethods = knownMethods
            knowsGET = knownMethods.contains("GET")
        }

        /// `http.request.method`.
        func method(_ method: HTTPRequest.Method) -> String {
            switch method {
            // That of most requests is not looked up.
            case .get where knowsGET: "GET"
            case _ where knownMethods.contains(method.rawValue): method.rawValue
            default: Self.otherMethod
            }
        }

        /// `error.type`: the code of the error, or a status from 400 on; nil for a success.
        static func errorType(of transaction: TransactionMetrics) -> String? {
            let status = transaction.response?.statusCode
            let refusal = status.flatMap { $0 >= 400 ? String($0) : nil }
            guard let error = transaction.error else { return refusal }
            // Who leaves the rest of a body unread, as a redirect or the reader of an endless
            // stream does, has what was wanted.
            return error.code == .cancelled && status != nil ? refusal : error.code.rawValue
        }
    }

    extension Origin {
        /// `server.address`: the host, or the path of a Unix-domain socket.
        var address: String {
            switch endpoint {
            case .host(let host, _): host
            case .unixSocket(let path): path.text
            }
        }

        /// `server.port`.
        var port: Int? {
            switch endpoint {
            case .host(_, let port): port
            case .unixSocket: nil
            }
        }
    }
#endif
