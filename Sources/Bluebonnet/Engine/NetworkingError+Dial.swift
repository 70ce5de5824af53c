/// The errors of endpoints that could not be connected to.
extension NetworkingError {
    /// No socket to the endpoint of a route could be opened.
    static func dialing(_ origin: Origin, _ failure: Dial.Failure) -> NetworkingError {
        if case .lookup(let host, let cause) = failure { return lookingUp(host, cause) }
        return NetworkingError(
            .connectFailed,
            "\(origin.description) could not be reached: \(failure.reason)",
            underlying: failure.cause
        )
    }

    /// The name lookup failed, or found no address.
    private static func lookingUp(_ host: String, _ cause: (any Error)?) -> NetworkingError {
        guard let cause else { return NetworkingError(.dnsLookupFailed, "The host name “\(host)” has no address.") }
        return NetworkingError(
            .dnsLookupFailed,
            "The host name “\(host)” could not be resolved: \(cause)",
            underlying: cause
        )
    }

    /// The time for a connection is over, and a name was not found until then.
    static func lookupTimedOut(_ name: String, _ timeout: Duration?) -> NetworkingError {
        NetworkingError(
            .dnsLookupTimeout,
            "The host name “\(name)” was not resolved within \(timeout.sentence): no name server has responded."
        )
    }

    /// The time for a connection is over. Where the name was not found until then, that is the
    /// fault.
    static func connectTimedOut(
        _ origin: Origin,
        _ timeout: Duration?,
        _ times: ConnectionTimes
    ) -> NetworkingError {
        if let name = times.awaitedName { return lookupTimedOut(name, timeout) }
        let silent = times.connect?.end == nil ? times.attempts.filter { $0.outcome == .pending } : []
        let tried = silent.count > 1 ? " Tried in vain: \(listed(silent.map(\.endpoint.address), ", "))." : ""
        return NetworkingError(
            .connectTimeout,
            "No connection to \(origin.description) was ready within \(timeout.sentence).\(tried)"
        )
    }
}

extension Dial.Failure {
    /// The fault below this one: of several addresses, that of the last one.
    fileprivate var cause: (any Error)? {
        switch self {
        case .lookup(_, let cause): cause
        case .connect(let failures): failures.last?.error
        case .unusable(let error): error
        }
    }

    /// Why no socket could be opened; of several addresses, for each.
    var reason: String {
        switch self {
        case .lookup, .unusable: return cause?.causeText ?? "there is no address"
        case .connect(let failures):
            let reasons = failures.map { (address: $0.endpoint.address, text: $0.error.causeText) }
            guard let first = reasons.first, reasons.count > 1 else { return reasons.first?.text ?? "" }
            guard reasons.contains(where: { $0.text != first.text }) else {
                return "\(first.text) (\(listed(reasons.map(\.address), ", ")))"
            }
            return listed(reasons.map { "\($0.address): \($0.text)" }, "; ")
        }
    }
}

/// The first texts of a list, and the number of the others.
private func listed(_ texts: [String], _ separator: String) -> String {
    let most = 8
    let first = texts.prefix(most).joined(separator: separator)
    return texts.count > most ? "\(first)\(separator)and \(texts.count - most) more" : first
}
