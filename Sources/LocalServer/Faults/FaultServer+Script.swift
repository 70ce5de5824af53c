extension FaultServer {
    /// The steps of the server, for each connection or for each request.
    ///
    /// When a script has ended, the connection stays open without any action until the client
    /// closes it.
    package struct Script: Sendable, ExpressibleByArrayLiteral {
        enum Kind: Sendable {
            case connections([[FaultStep]])
            case requests(@Sendable (Request) -> [FaultStep])
        }

        let kind: Kind

        private init(kind: Kind) {
            self.kind = kind
        }

        /// The same steps for every connection.
        package init(arrayLiteral steps: FaultStep...) {
            kind = .connections([steps])
        }

        /// The same steps for every connection.
        package static func steps(_ steps: [FaultStep]) -> Script {
            Script(kind: .connections([steps]))
        }

        /// The first list for the first connection, the second for the second; the last list also
        /// for all later ones.
        package static func connections(_ scripts: [[FaultStep]]) -> Script {
            Script(kind: .connections(scripts))
        }

        /// For every whole request, on any connection, the steps that the closure returns.
        ///
        /// The connection is kept alive: after the steps the server waits for the next request,
        /// unless they closed the connection.
        package static func requests(_ respond: @escaping @Sendable (Request) -> [FaultStep]) -> Script {
            Script(kind: .requests(respond))
        }

        /// The steps of the n-th connection, in the order they were written.
        func steps(forConnection index: Int) -> [FaultStep] {
            switch kind {
            case .connections(let scripts): index < scripts.count ? scripts[index] : scripts.last ?? []
            case .requests: []
            }
        }
    }
}
