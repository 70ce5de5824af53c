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
    static func lookupTimedOut(_ name: ConnectionTimes.AwaitedName, _ timeout: Duration?) -> NetworkingError {
        let query = name.families.count > 1 ? "" : " to the query for its addresses of \(name.familyList)"
        return NetworkingError(
            .dnsLookupTimeout,
            "The host name “\(name.name)” was not resolved within \(timeout.sentence): "
                + "no name server has responded\(query)."
        )
    }

    /// The time for a connection is over. Where all addresses of a name have failed that were found
    /// until then, that is the fault; where none was found, the lookup is.
    static func connectTimedOut(
        _ origin: Origin,
        _ endpoint: Origin.Endpoint,
        _ timeout: Duration?,
        _ times: ConnectionTimes
    ) -> NetworkingError {
        if let name = times.awaitedName {
            guard let reasons = times.failureReasons else { return lookupTimedOut(name, timeout) }
            let aim = Origin(isSecure: origin.isSecure, endpoint: endpoint)
            return NetworkingError(
                .connectFailed,
                "\(aim.description) could not be reached: \(reasons). \(name.missingAddresses(timeout))"
            )
        }
        let tried = times.connect?.end == nil && times.attempts.count > 1 ? " Tried in vain: \(times.attemptList)." : ""
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
            return joined(failures.map { (address: $0.endpoint.address, text: $0.error.causeText) })
        }
    }
}

extension ConnectionTimes {
    /// Why no address of the last name could be connected to; nil where none has failed. A proxy
    /// may have been connected to before.
    var failureReasons: String? {
        let failed = attempts.reversed().prefix { $0.outcome != .connected }.reversed()
        let reasons = failed.compactMap { attempt -> (address: String, text: String)? in
            guard case .failed(let reason) = attempt.outcome else { return nil }
            return (attempt.endpoint.address, reason)
        }
        return reasons.isEmpty ? nil : joined(reasons)
    }

    /// The addresses that were tried, and the reasons of those that have failed.
    fileprivate var attemptList: String {
        let texts = attempts.map { attempt in
            guard case .failed(let reason) = attempt.outcome else { return attempt.endpoint.address }
            return "\(attempt.endpoint.address) (\(reason))"
        }
        return listed(texts, ", ")
    }
}

extension ConnectionTimes.AwaitedName {
    fileprivate var familyList: String { families.map(\.description).sorted().joined(separator: " and ") }

    /// A sentence about the addresses that might have been better than those that have failed.
    func missingAddresses(_ timeout: Duration?) -> String {
        "The addresses of \(familyList) were not found within \(timeout.sentence): no name server has responded."
    }
}

/// The reasons of several addresses.
private func joined(_ reasons: [(address: String, text: String)]) -> String {
    guard let first = reasons.first, reasons.count > 1 else { return reasons.first?.text ?? "" }
    guard reasons.contains(where: { $0.text != first.text }) else {
        return "\(first.text) (\(listed(reasons.map(\.address), ", ")))"
    }
    return listed(reasons.map { "\($0.address): \($0.text)" }, "; ")
}

/// The first texts of a list, and the number of the others.
private func listed(_ texts: [String], _ separator: String) -> String {
    let most = 8
    let first = texts.prefix(most).joined(separator: separator)
    return texts.count > most ? "\(first)\(separator)and \(texts.count - most) more" : first
}
