extension HTTP2FaultServer {
    /// The steps of the server, for each connection or for each request.
    ///
    /// When a script has ended, the connection stays open without any action until the client
    /// closes it.
    package struct Script: Sendable, ExpressibleByArrayLiteral {
        enum Kind: Sendable {
            case connections([[HTTP2FaultStep]])
            case heads(@Sendable (Request) -> [HTTP2FaultStep])
            case requests(@Sendable (Request) -> [HTTP2FaultStep])
        }

        let kind: Kind

        private init(kind: Kind) {
            self.kind = kind
        }

        /// The same steps for every connection.
        package init(arrayLiteral steps: HTTP2FaultStep...) {
            kind = .connections([steps])
        }

        /// The same steps for every connection.
        package static func steps(_ steps: [HTTP2FaultStep]) -> Script {
            Script(kind: .connections([steps]))
        }

        /// The first list for the first connection, the second for the second; the last list also
        /// for all later ones.
        package static func connections(_ scripts: [[HTTP2FaultStep]]) -> Script {
            Script(kind: .connections(scripts))
        }

        /// For every request, on any connection, the steps that the closure returns, as soon as
        /// its head has arrived.
        ///
        /// The steps of several requests run at the same time, each request's in order. A step
        /// that is about the current request is about this one.
        package static func heads(_ respond: @escaping @Sendable (Request) -> [HTTP2FaultStep]) -> Script {
            Script(kind: .heads(respond))
        }

        /// For every whole request, on any connection, the steps that the closure returns; they
        /// run as those of ``heads(_:)`` do.
        package static func requests(_ respond: @escaping @Sendable (Request) -> [HTTP2FaultStep]) -> Script {
            Script(kind: .requests(respond))
        }

        /// The steps of the n-th connection, in the order they were written.
        func steps(forConnection index: Int) -> [HTTP2FaultStep] {
            switch kind {
            case .connections(let scripts): index < scripts.count ? scripts[index] : scripts.last ?? []
            case .heads, .requests: []
            }
        }
    }
}
