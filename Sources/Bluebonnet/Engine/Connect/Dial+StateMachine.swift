import NIOCore

extension Dial {
    /// Happy Eyeballs version 2 (RFC 8305) without I/O: which address is tried when.
    ///
    /// Both families are asked at the same time (§3). The addresses of the preferred one are tried
    /// as soon as they are known; those of the other one wait for them for a moment. The families
    /// take turns (§4, with a first address family count of 1), an attempt begins when the one
    /// before it has failed or has taken a while (§5), and the first that is connected wins.
    struct StateMachine {
        /// The time for which the addresses of the other family wait (§3, §8).
        static let resolutionDelay = NameLookups.resolutionDelay
        /// The time from one attempt to the next one (§5, §8). RFC 8305 wants at least 100 ms, and
        /// at most 2 s.
        static let attemptDelay = TimeAmount.milliseconds(250)
        /// The most addresses of one family that are tried. More than 40 cannot begin within 10 s
        /// anyway, and a response of DNS over TCP may have thousands.
        static let mostAddresses = 32

        /// What is to be done after an event.
        enum Step: Equatable {
            /// Begin the attempt with this number, counted from 0.
            case connect(Int, IPAddress)
            case wait
            /// All attempts have failed, or there are no addresses.
            case fail
        }

        /// The family that is tried first: IPv6 (§3), unless the other one was better before or has
        /// better addresses.
        private var firstFamily: IPAddress.Family
        /// The address that is tried first in its family.
        private let preferred: IPAddress?
        /// The families whose lookups have not ended.
        private var pending: Set<IPAddress.Family>
        /// The addresses that were not tried.
        private var untried: [IPAddress.Family: [IPAddress]] = [:]
        private var nextFamily: IPAddress.Family
        /// The attempts that have not failed.
        private var live: Set<Int> = []
        /// The number of attempts so far.
        private(set) var attempts = 0
        /// The end of the wait for the first family.
        private var resolutionDeadline: NIODeadline?
        private var attemptDeadline: NIODeadline?

        /// - Parameters:
        ///   - families: The families that are looked up.
        ///   - preferred: The address that was good before.
        init(_ families: Set<IPAddress.Family>, preferred: IPAddress? = nil) {
            pending = families
            self.preferred = preferred
            firstFamily = preferred?.family ?? .ipv6
            nextFamily = firstFamily
        }

        /// The time of the next ``timerFired(at:)``; nil where there is nothing to wait for.
        var timer: NIODeadline? {
            if attempts == 0 { return resolutionDeadline }
            return hasUntried ? attemptDeadline : nil
        }

        private var hasUntried: Bool { untried.values.contains { !$0.isEmpty } }

        /// The families whose lookups are waited for, and nothing beside them: no address is known,
        /// or the attempts have failed. RFC 8305 has no limit for that; that of the resolver and
        /// the time for the connection are.
        var awaitedFamilies: Set<IPAddress.Family> { live.isEmpty && !hasUntried ? pending : [] }

        /// Whether every known address has failed, or was tried without success for as long as an
        /// attempt has before the next one: the addresses may be out of date.
        func isInVain(at now: NIODeadline) -> Bool {
            guard let attemptDeadline, !hasUntried else { return false }
            return live.isEmpty || attemptDeadline <= now
        }

        // MARK: Events

        /// The lookup of a family has ended, with no addresses where it failed.
        mutating func found(_ addresses: [IPAddress], in family: IPAddress.Family, at now: NIODeadline) -> Step {
            guard pending.remove(family) != nil else { return .wait }
            untried[family] = ordered(addresses, family)
            // §4 wants the order of RFC 6724: of its rules, that of the table of precedences (§6,
            // rule 6) says which family is better.
            if attempts == 0, preferred == nil, untried[family]?.first?.isBelowIPv4 == true {
                (firstFamily, nextFamily) = (.ipv4, .ipv4)
            }
            guard hasUntried else { return live.isEmpty && pending.isEmpty ? .fail : .wait }
            if attempts > 0 {
                let isDue = live.isEmpty || (attemptDeadline.map { $0 <= now } ?? true)
                return isDue ? connect(at: now) : .wait
            }
            if pending.isEmpty || untried[firstFamily]?.isEmpty == false { return connect(at: now) }
            if resolutionDeadline == nil { resolutionDeadline = now + Self.resolutionDelay }
            return .wait
        }

        mutating func timerFired(at now: NIODeadline) -> Step {
            guard let timer, timer <= now else { return .wait }
            return connect(at: now)
        }

        /// An attempt has failed: the next one begins at once.
        mutating func attemptFailed(_ number: Int, at now: NIODeadline) -> Step {
            guard live.remove(number) != nil else { return .wait }
            if hasUntried { return connect(at: now) }
            return live.isEmpty && pending.isEmpty ? .fail : .wait
        }

        // MARK: Addresses

        /// The first addresses of one family, each once, that which was good before in front (§4).
        private func ordered(_ addresses: [IPAddress], _ family: IPAddress.Family) -> [IPAddress] {
            var seen: Set<IPAddress> = []
            let usable = addresses.filter { $0.family == family && seen.insert($0).inserted }
            guard let preferred, usable.contains(preferred) else { return Array(usable.prefix(Self.mostAddresses)) }
            return [preferred] + usable.filter { $0 != preferred }.prefix(Self.mostAddresses - 1)
        }

        private mutating func connect(at now: NIODeadline) -> Step {
            let family = untried[nextFamily]?.isEmpty == false ? nextFamily : nextFamily.other
            guard var addresses = untried[family], !addresses.isEmpty else { return .wait }
            let address = addresses.removeFirst()
            untried[family] = addresses
            nextFamily = family.other
            resolutionDeadline = nil
            attemptDeadline = now + Self.attemptDelay
            defer { attempts += 1 }
            live.insert(attempts)
            return .connect(attempts, address)
        }
    }
}
