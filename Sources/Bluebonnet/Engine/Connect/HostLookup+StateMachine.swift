extension HostLookup {
    /// The addresses of a host one after the other, without I/O: as RFC 8305 has it, for a proxy
    /// that is asked for one address at a time.
    ///
    /// Both families are looked up at the same time (§3). Addresses of IPv6 are used as soon as
    /// they are known; those of IPv4 wait for them for a moment. The families take turns (§4), and
    /// addresses that are found later are tried, too (§5).
    struct StateMachine {
        /// The most addresses: each that a proxy cannot reach costs a connection to the proxy.
        static let mostAddresses = 8

        /// What is to be done after an event.
        enum Step: Equatable {
            /// Use the address, until it has failed.
            case use(IPAddress)
            /// Call ``StateMachine/delayPassed()`` after ``NameLookups/resolutionDelay``.
            case delay
            case wait
            /// There is no further address.
            case fail
        }

        private enum State {
            /// No address was used. Then `delayed` or `used`.
            case idle
            /// Addresses of IPv4 wait for those of IPv6. Then `used`.
            case delayed
            /// An address is used. Then `failed`.
            case used
            /// The address has failed. Then `used`.
            case failed
        }

        private var state = State.idle
        /// The families whose lookups have not ended.
        private(set) var pending: Set<IPAddress.Family>
        private var untried: [IPAddress.Family: [IPAddress]] = [:]
        private var nextFamily = IPAddress.Family.ipv6
        private var used: Set<IPAddress> = []

        /// - Parameter families: The families that are looked up.
        init(_ families: Set<IPAddress.Family>) {
            pending = families
        }

        /// Whether another address may follow the one that is used.
        var mayContinue: Bool { used.count < Self.mostAddresses && (hasUntried || !pending.isEmpty) }

        private var hasUntried: Bool { untried.values.contains { !$0.isEmpty } }

        /// The lookup of a family has ended, with no addresses where it failed.
        mutating func found(_ addresses: [IPAddress], in family: IPAddress.Family) -> Step {
            guard pending.remove(family) != nil else { return .wait }
            untried[family] = addresses.filter { $0.family == family }
            return next()
        }

        /// The addresses of IPv4 have waited long enough.
        mutating func delayPassed() -> Step {
            guard state == .delayed else { return .wait }
            return useFirst()
        }

        /// The address that was used has failed.
        mutating func failed() -> Step {
            guard state == .used else { return .wait }
            state = .failed
            return next()
        }

        private mutating func next() -> Step {
            guard state != .used else { return .wait }
            guard mayContinue else { return .fail }
            guard hasUntried else { return .wait }
            let mustWait = state != .failed && !pending.isEmpty && untried[.ipv6]?.isEmpty ?? true
            guard mustWait else { return useFirst() }
            defer { state = .delayed }
            return state == .idle ? .delay : .wait
        }

        private mutating func useFirst() -> Step {
            let family = untried[nextFamily]?.isEmpty == false ? nextFamily : nextFamily.other
            guard var addresses = untried[family], !addresses.isEmpty else { return .wait }
            let address = addresses.removeFirst()
            untried[family] = addresses.filter { $0 != address }
            nextFamily = family.other
            used.insert(address)
            state = .used
            return .use(address)
        }
    }
}
