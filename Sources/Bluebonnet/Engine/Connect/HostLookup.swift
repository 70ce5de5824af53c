import NIOCore

/// The addresses of a host in the families that may be used, for those who cannot begin with some.
/// A family whose lookup takes longer delays the addresses of the other one by 50 ms (RFC 8305
/// §3). On its event loop.
final class HostLookup {
    /// The most addresses: each that a proxy cannot reach costs a connection to the proxy.
    private static let mostAddresses = 8

    private let dialer: Dialer
    private let eventLoop: any EventLoop
    private let families: Set<IPAddress.Family>
    /// Fires when the addresses of one family have waited for the other one.
    private var timer: Scheduled<Void>?
    private var tickets: [NameLookups.Ticket] = []
    private var found: [IPAddress.Family: Result<[IPAddress], any Error>] = [:]
    private var completion: ((Result<[IPAddress], Dial.Failure>) -> Void)?

    /// - Parameters:
    ///   - dialer: The names of the session, and the families that it may use.
    ///   - eventLoop: The event loop on which all is called.
    ///   - usable: The families that the caller can use.
    init(_ dialer: Dialer, on eventLoop: any EventLoop, usable: Set<IPAddress.Family> = IPAddress.Family.all) {
        self.dialer = dialer
        families = dialer.families.intersection(usable)
        self.eventLoop = eventLoop
    }

    /// Begins. The completion is called once, unless the lookup is cancelled before, with at least
    /// one address: the families take turns.
    func start(_ host: String, _ port: Int, completion: @escaping (Result<[IPAddress], Dial.Failure>) -> Void) {
        self.completion = completion
        if let known = dialer.overrides.addresses(of: host, port: port) {
            let usable = known.filter { families.contains($0.family) }
            guard !usable.isEmpty else { return end(.failure(.unusable(Dial.WrongFamily(families, known)))) }
            for family in IPAddress.Family.all { found[family] = .success(usable.filter { $0.family == family }) }
            return endIfComplete(host)
        }
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        for family in [IPAddress.Family.ipv6, .ipv4] {
            guard families.contains(family) else {
                found[family] = .success([])
                continue
            }
            let answer = dialer.lookups.addresses(of: host, in: family) { [eventLoop] result in
                eventLoop.execute { bound.value.take(result, family, host) }
            }
            switch answer {
            case .known(let result): found[family] = result
            case .pending(let ticket): tickets.append(ticket)
            }
        }
        endIfComplete(host)
    }

    /// Ends it: the completion is not called.
    func cancel() {
        completion = nil
        finish()
    }

    private func finish() {
        timer?.cancel()
        timer = nil
        for ticket in tickets { dialer.lookups.cancel(ticket) }
        tickets = []
    }

    private func take(_ result: Result<[IPAddress], any Error>, _ family: IPAddress.Family, _ host: String) {
        found[family] = result
        endIfComplete(host)
    }

    private func end(_ result: Result<[IPAddress], Dial.Failure>) {
        guard let completion else { return }
        self.completion = nil
        finish()
        completion(result)
    }

    private func endIfComplete(_ host: String) {
        guard completion != nil else { return }
        if found.count == IPAddress.Family.all.count { return endWithFound(host) }
        guard timer == nil, found.values.contains(where: { $0.hasAddresses }) else { return }
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        timer = eventLoop.scheduleTask(in: Dial.StateMachine.resolutionDelay) { bound.value.endWithFound(host) }
    }

    private func endWithFound(_ host: String) {
        let (six, four) = (found[.ipv6], found[.ipv4])
        let lists = [(try? six?.get()) ?? [], (try? four?.get()) ?? []]
        let count = min(lists.map(\.count).max() ?? 0, Self.mostAddresses)
        let all = (0..<count).flatMap { index in lists.compactMap { index < $0.count ? $0[index] : nil } }
        let addresses = Array(all.prefix(Self.mostAddresses))
        guard addresses.isEmpty else { return end(.success(addresses)) }
        end(.failure(.lookup(host: host, cause: four?.error ?? six?.error)))
    }
}

extension Result<[IPAddress], any Error> {
    fileprivate var hasAddresses: Bool { (try? get())?.isEmpty == false }
}

extension Result {
    fileprivate var error: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
