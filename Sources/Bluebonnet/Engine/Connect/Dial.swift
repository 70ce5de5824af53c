import NIOCore

/// Opens one socket to an endpoint, on its event loop: finds the addresses of a name and connects
/// to one of them as ``StateMachine`` says, or connects to a Unix-domain socket.
///
/// It has no timeout: whoever dials cancels it.
final class Dial {
    /// The reason why no socket could be opened.
    enum Failure: Error {
        /// The name was not found, or has no address.
        case lookup(host: String, cause: (any Error)?)
        /// No address could be connected to, in the order of the attempts.
        case connect([(endpoint: NetworkEndpoint, error: any Error)])
        /// No socket may be used: for the addresses of another family, or of the local end.
        case unusable(any Error)
    }

    /// The addresses are of a family that is not to be used.
    struct WrongFamily: Error, CustomStringConvertible {
        let description: String
    }

    /// The zone of a link-local address is no interface of this machine.
    struct NoInterface: Error, CustomStringConvertible {
        let description: String

        init(_ host: String) {
            let zone = host.split(separator: "%", maxSplits: 1).dropFirst().first ?? ""
            description = "there is no interface “\(zone)” for the address \(host)."
        }
    }

    private struct Attempt {
        let endpoint: NetworkEndpoint
        /// Nil for a Unix-domain socket.
        let address: IPAddress?
        /// Its number among all attempts of the connection, which may need several dials.
        let record: Int
        var error: (any Error)?
    }

    /// Changes the times of the connection.
    typealias Recorder = (_ change: (inout ConnectionTimes) -> Void) -> Void

    /// Whether something else serves the host at these addresses, so that nothing is connected. The
    /// dial then ends without a result, and waits to be cancelled.
    typealias Sharing = (_ addresses: [IPAddress]) -> Bool

    private let endpoint: Origin.Endpoint
    private let mostRead: Int
    private let eventLoop: any EventLoop
    private let dialer: Dialer
    private let isServed: Sharing
    private let record: Recorder
    private var socket: OutgoingSocket?
    private var machine = StateMachine([])
    private var tickets: [NameLookups.Ticket] = []
    private var lookupErrors: [IPAddress.Family: any Error] = [:]
    /// The attempts by their numbers.
    private var attempts: [Attempt] = []
    /// The channels that are being connected.
    private var connectingChannels: [any Channel] = []
    private var timer: (deadline: NIODeadline, scheduled: Scheduled<Void>)?
    private var completion: ((Result<any Channel, Failure>) -> Void)?

    /// - Parameters:
    ///   - endpoint: Where to connect to.
    ///   - mostRead: The most bytes of one read of the socket.
    ///   - eventLoop: The event loop of the socket, on which all is called.
    ///   - dialer: The names of the session, and its settings for sockets.
    ///   - isServed: Asked before the addresses of a host are connected to.
    ///   - record: Notes when the phases and the attempts begin and end.
    init(
        to endpoint: Origin.Endpoint,
        mostRead: Int,
        eventLoop: any EventLoop,
        dialer: Dialer,
        isServed: @escaping Sharing,
        record: @escaping Recorder
    ) {
        self.endpoint = endpoint
        self.mostRead = mostRead
        self.eventLoop = eventLoop
        self.dialer = dialer
        self.isServed = isServed
        self.record = record
    }

    /// Begins. The completion is called once, unless the dial is cancelled before; the channel is
    /// the caller's then.
    func start(completion: @escaping (Result<any Channel, Failure>) -> Void) {
        self.completion = completion
        do {
            let socket = try OutgoingSocket(on: eventLoop, mostRead: mostRead, binding: dialer.binding)
            self.socket = socket
            switch endpoint {
            case .unixSocket(let path): connect(toSocket: path.text, socket)
            case .host(let host, let port): connect(to: host, port, over: socket.families)
            }
        } catch {
            end(.failure(.unusable(error)))
        }
    }

    /// Ends it: no socket is left when this returns, and the completion is not called.
    func cancel() {
        guard completion != nil else { return }
        // Addresses that do not respond are not taken from memory by the next dial.
        if case .host(let host, _) = endpoint, machine.isInVain(at: .now()) { dialer.lookups.forget(host) }
        completion = nil
        finish(winner: nil)
    }

    private func end(_ result: Result<any Channel, Failure>, winner: Int? = nil) {
        guard let completion else { return }
        self.completion = nil
        finish(winner: winner)
        completion(result)
    }

    /// Ends the lookups, and the attempts but the one that has won.
    private func finish(winner: Int?) {
        timer?.scheduled.cancel()
        timer = nil
        for ticket in tickets { dialer.lookups.cancel(ticket) }
        tickets = []
        let channels = connectingChannels
        connectingChannels = []
        for channel in channels { channel.close(promise: nil) }
        guard !attempts.isEmpty else { return }
        let recorded = winner.map { attempts[$0].record }
        record { $0.endAttempts(at: .now(), winner: recorded) }
    }

    // MARK: Names

    private func connect(to host: String, _ port: Int, over usable: Set<IPAddress.Family>) {
        let families = dialer.families.intersection(usable)
        let known = dialer.overrides.addresses(of: host, port: port) ?? IPAddress(literal: host).map { [$0] }
        // A resolver is asked for names only, and an address with a zone is none.
        if known == nil, host.contains(":"), host.contains("%") {
            return end(.failure(.unusable(NoInterface(host))))
        }
        guard !families.isEmpty, known.map({ $0.contains { families.contains($0.family) } }) ?? true else {
            return end(.failure(.unusable(WrongFamily(families, known))))
        }
        let now = NIODeadline.now()
        if let known {
            machine = StateMachine(families)
            guard !endsServed(at: known.filter { families.contains($0.family) }) else { return }
            for family in families { take(.success(known), in: family, at: now) }
            return
        }
        machine = StateMachine(families, preferred: dialer.lookups.preferredAddress(of: host, at: now))
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        var results: [(IPAddress.Family, Result<[IPAddress], any Error>)] = []
        // RFC 8305 §3: first AAAA, and A at once behind it.
        for family in [IPAddress.Family.ipv6, .ipv4] where families.contains(family) {
            let lookup = dialer.lookups.addresses(of: host, in: family, at: now) { [eventLoop] result in
                eventLoop.execute { bound.value.found(result, in: family) }
            }
            switch lookup {
            case .known(let result): results.append((family, result))
            case .pending(let ticket): tickets.append(ticket)
            }
        }
        if !tickets.isEmpty {
            record { $0.nameLookup = .init(start: now) }
            noteAwaitedName()
        }
        guard !endsServed(at: results.flatMap { (try? $0.1.get()) ?? [] }) else { return }
        for (family, result) in results { take(result, in: family, at: now) }
    }

    /// A lookup that was waited for has ended.
    private func found(_ result: Result<[IPAddress], any Error>, in family: IPAddress.Family) {
        guard completion != nil, !endsServed(at: (try? result.get()) ?? []) else { return }
        take(result, in: family, at: .now())
    }

    /// Ends without a result where something else serves the host.
    private func endsServed(at addresses: [IPAddress]) -> Bool {
        guard !addresses.isEmpty, isServed(addresses) else { return false }
        record { $0.endLookup(at: .now()) }
        completion = nil
        finish(winner: nil)
        return true
    }

    /// Takes the end of the lookup of a family.
    private func take(
        _ result: Result<[IPAddress], any Error>,
        in family: IPAddress.Family,
        at now: NIODeadline
    ) {
        guard completion != nil else { return }
        if case .failure(let error) = result { lookupErrors[family] = error }
        carryOut(machine.found((try? result.get()) ?? [], in: family, at: now), at: now)
    }

    // MARK: Steps

    private func carryOut(_ step: StateMachine.Step, at now: NIODeadline) {
        switch step {
        case .connect(let number, let address): connect(number, to: address, at: now)
        case .wait: noteAwaitedName()
        case .fail: fail()
        }
        armTimer()
    }

    private func noteAwaitedName() {
        let families = machine.awaitedFamilies
        guard case .host(let host, _) = endpoint, !families.isEmpty else { return }
        record { $0.awaitedName = .init(name: host, families: families) }
    }

    private func armTimer() {
        let deadline = completion == nil ? nil : machine.timer
        guard deadline != timer?.deadline else { return }
        timer?.scheduled.cancel()
        timer = deadline.map { deadline in
            let bound = NIOLoopBound(self, eventLoop: eventLoop)
            return (deadline, eventLoop.scheduleTask(deadline: deadline) { bound.value.timerFired() })
        }
    }

    private func timerFired() {
        guard completion != nil else { return }
        timer = nil
        let now = NIODeadline.now()
        carryOut(machine.timerFired(at: now), at: now)
    }

    private func fail() {
        guard case .host(let host, _) = endpoint else { return }
        dialer.lookups.forget(host)
        guard attempts.isEmpty else {
            let failures = attempts.compactMap { attempt in attempt.error.map { (attempt.endpoint, $0) } }
            return end(.failure(.connect(failures)))
        }
        end(.failure(.lookup(host: host, cause: lookupErrors[.ipv4] ?? lookupErrors[.ipv6])))
    }

    // MARK: Sockets

    private func connect(_ number: Int, to address: IPAddress, at now: NIODeadline) {
        guard let socket, case .host(_, let port) = endpoint else { return }
        let endpoint = NetworkEndpoint(address: address.description, port: port)
        begin(endpoint, address, at: now)
        var isBeginning = true
        socket.connect(to: address, port: port, willConnect: willConnect).assumeIsolated().whenComplete { result in
            guard isBeginning else { return self.ended(number, result) }
            // The next attempt may end at once as well: it begins in another turn of the loop, so
            // that the stack does not grow with the number of addresses.
            let bound = NIOLoopBound(self, eventLoop: self.eventLoop)
            self.eventLoop.execute { bound.value.ended(number, result) }
        }
        isBeginning = false
    }

    private func begin(_ endpoint: NetworkEndpoint, _ address: IPAddress?, at now: NIODeadline) {
        var number = 0
        record { number = $0.beginAttempt(endpoint, at: now) }
        attempts.append(Attempt(endpoint: endpoint, address: address, record: number))
    }

    private func connect(toSocket path: String, _ socket: OutgoingSocket) {
        let endpoint = NetworkEndpoint(address: path)
        begin(endpoint, nil, at: .now())
        socket.connect(toSocket: path, willConnect: willConnect).assumeIsolated().whenComplete { result in
            guard case .success = result else { return self.ended(0, result) }
            // NIO connects it at once, and would not tell its handlers that it closes in this turn:
            // its server may have gone before the first bytes are sent.
            self.record { $0.connect?.end = .now() }
            let bound = NIOLoopBound(self, eventLoop: self.eventLoop)
            self.eventLoop.execute { bound.value.ended(0, result) }
        }
    }

    /// Called before a channel is connected; false after the end.
    private func willConnect(_ channel: any Channel) -> Bool {
        guard completion != nil else { return false }
        connectingChannels.append(channel)
        return true
    }

    private func ended(_ number: Int, _ result: Result<any Channel, any Error>) {
        switch result {
        case .success(let channel):
            guard completion != nil else { return channel.close(promise: nil) }
            connectingChannels.removeAll { $0 === channel }
            if number > 0, case .host(let host, _) = endpoint, let address = attempts[number].address {
                dialer.lookups.note(address, of: host, at: .now())
            }
            end(.success(channel), winner: number)
        case .failure(let error):
            guard completion != nil else { return }
            let now = NIODeadline.now()
            attempts[number].error = error
            let recorded = attempts[number].record
            record { $0.attemptFailed(recorded, error.causeText, at: now) }
            guard case .host = endpoint else {
                return end(.failure(.connect([(attempts[number].endpoint, error)])))
            }
            carryOut(machine.attemptFailed(number, at: now), at: now)
        }
    }
}

extension IPAddress {
    /// The address that a host is by itself. A zone means something for link-local addresses alone
    /// (RFC 4007 §6), and is left out for others.
    fileprivate init?(literal host: String) {
        if let address = IPAddress(host) {
            self = address
        } else if let bare = IPAddress(String(host.prefix { $0 != "%" })), !bare.isIPv4, !bare.isLinkLocal {
            self = bare
        } else {
            return nil
        }
    }
}

extension Dial.WrongFamily {
    init(_ families: Set<IPAddress.Family>, _ known: [IPAddress]?) {
        let allowed = families.first.map { "only addresses of \($0) may be used" } ?? "no addresses may be used"
        description = known?.first.map { "\($0) is not to be used: \(allowed)." } ?? "\(allowed)."
    }
}

extension ConnectionTimes {
    fileprivate mutating func endLookup(at now: NIODeadline) {
        if nameLookup != nil, nameLookup?.end == nil { nameLookup?.end = now }
        awaitedName = nil
    }

    /// An attempt begins; the first one ends the lookup.
    ///
    /// - Returns: The number of the attempt.
    fileprivate mutating func beginAttempt(_ endpoint: NetworkEndpoint, at now: NIODeadline) -> Int {
        endLookup(at: now)
        if connect == nil { connect = .init(start: now) }
        attempts.append(AddressAttempt(endpoint: endpoint, start: now))
        return attempts.count - 1
    }

    fileprivate mutating func attemptFailed(_ number: Int, _ reason: String, at now: NIODeadline) {
        (attempts[number].end, attempts[number].outcome) = (now, .failed(reason))
    }

    /// All attempts are over: one has won, or none.
    fileprivate mutating func endAttempts(at now: NIODeadline, winner: Int?) {
        if winner != nil, connect?.end == nil { connect?.end = now }
        for number in attempts.indices where attempts[number].end == nil {
            attempts[number].end = now
            attempts[number].outcome = number == winner ? .connected : .abandoned
        }
    }

    /// The phases that have ended, as lengths.
    var timings: ExchangeTimings {
        var timings = ExchangeTimings()
        timings.dns = nameLookup.time
        timings.connect = connect.time
        timings.proxy = proxy.time
        timings.tls = tls.time
        return timings
    }
}

extension ConnectionTimes.Phase? {
    fileprivate var time: CompactTime {
        guard let phase = self, let end = phase.end else { return .none }
        return CompactTime(from: phase.start, to: end)
    }
}
