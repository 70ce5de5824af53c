import NIOCore

/// A call whose response is taken over by another one: a data task that becomes a download or a
/// stream.
///
/// The exchange under way stays with the call that began it, which is over for its user and only
/// carries the exchange from then on. The other call stops and suspends it, and has its counts and
/// its transactions.
extension Call {
    /// Whether what is under way belongs to another call.
    var isHandedOver: Bool { withLock(\.isHandedOver) }

    /// Hands what is under way over to a call that has not begun, and that is suspended where this
    /// one is.
    ///
    /// - Throws: The error of a call that was stopped. Then nothing is handed over.
    func handOver(to other: Call) throws(NetworkingError) {
        // From here on, what stops the other call stops this one.
        try other.attach(CarriedExchange(self, for: other))
        let (counts, isSuspended) = withLock { state -> (Counts?, Bool) in
            // Under the lock, so that nobody suspends or resumes this call any more.
            guard state.handOver() else { return (nil, false) }
            let counts = state.traffic.succeeded { [weak other] counts in
                if let counts { other?.carried(counts) }
            }
            return (counts, self.isSuspended)
        }
        guard let counts else { throw error ?? NetworkingError(.cancelled, "The request was cancelled.") }
        other.withLock { $0.predecessor = self }
        other.carried(counts)
        if isSuspended { other.carry(isSuspended: true) }
    }
}

/// Has the exchange of a call follow the call that it was handed over to.
private final class CarriedExchange: Call.Operation {
    private let carrier: Call
    private weak let owner: Call?

    init(_ carrier: Call, for owner: Call) {
        self.carrier = carrier
        self.owner = owner
    }

    func cancel(with error: NetworkingError) {
        carrier.stop(error)
    }

    func suspensionChanged() {
        if let owner { carrier.carry(isSuspended: owner.isSuspended) }
    }

    func priorityChanged() {}
}
