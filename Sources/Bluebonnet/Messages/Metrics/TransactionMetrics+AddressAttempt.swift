extension TransactionMetrics {
    /// An attempt to connect to one address of a host.
    ///
    /// No counterpart in `NSURLSessionTaskTransactionMetrics`.
    public struct AddressAttempt: Sendable, Hashable {
        /// The address and the port, or the path of a Unix-domain socket.
        public let endpoint: NetworkEndpoint
        /// The time for which it was tried.
        public let phase: Phase
        /// What came of it.
        public let outcome: Outcome

        /// What came of an attempt. A struct, so that a new outcome does not break a `switch`.
        public struct Outcome: Sendable, Hashable {
            private let name: String
            /// The reason of the system, such as “Connection refused”; nil where it did not fail.
            public let reason: String?

            /// It is under way.
            public static let pending = Outcome(name: "pending", reason: nil)
            /// It was the first that was connected.
            public static let connected = Outcome(name: "connected", reason: nil)
            /// Another address was connected first, or the time was over.
            public static let abandoned = Outcome(name: "abandoned", reason: nil)

            /// It failed.
            ///
            /// - Parameter reason: The reason.
            /// - Returns: The outcome.
            public static func failed(_ reason: String) -> Outcome {
                Outcome(name: "failed", reason: reason)
            }
        }
    }
}

extension TransactionMetrics.AddressAttempt.Outcome {
    init(_ outcome: ConnectionTimes.AddressAttempt.Outcome) {
        switch outcome {
        case .pending: self = .pending
        case .connected: self = .connected
        case .abandoned: self = .abandoned
        case .failed(let reason): self = .failed(reason)
        }
    }
}

extension TransactionMetrics.AddressAttempt.Outcome: CustomStringConvertible {
    /// The outcome: `connected`, `failed: Connection refused`.
    public var description: String { reason.map { "\(name): \($0)" } ?? name }
}

extension TransactionMetrics.AddressAttempt: CustomStringConvertible {
    /// Address, outcome and time: `192.0.2.7:443 connected, 12.1 ms`.
    public var description: String {
        "\(endpoint) \(outcome)" + (phase.duration.map { ", \($0.millisecondsText)" } ?? "")
    }
}
