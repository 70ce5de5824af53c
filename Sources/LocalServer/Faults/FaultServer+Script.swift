extension FaultServer {
    /// What the server does, connection by connection or request by request.
    ///
    /// When a script has ended, the connection stays open and silent until the client leaves.
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

        /// The first connection follows the first list, the second the second; the last list
        /// repeats.
        package static func connections(_ scripts: [[FaultStep]]) -> Script {
            Script(kind: .connections(scripts))
        }

        /// Every whole request, on any connection, is answered with the steps the closure returns
        /// for it.
        ///
        /// The connection is kept alive: after the steps the next request is awaited, unless they
        /// closed it.
        package static func requests(_ answer: @escaping @Sendable (Request) -> [FaultStep]) -> Script {
            Script(kind: .requests(answer))
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
