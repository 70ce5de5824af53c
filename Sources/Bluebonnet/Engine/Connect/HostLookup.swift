import NIOCore

/// The addresses of a host in all families that may be used, when all are known: for who cannot
/// begin with some of them. On its event loop.
final class HostLookup {
    private let dialer: Dialer
    private let eventLoop: any EventLoop
    private var tickets: [NameLookups.Ticket] = []
    private var found: [IPAddress.Family: Result<[IPAddress], any Error>] = [:]
    private var completion: ((Result<[IPAddress], Dial.Failure>) -> Void)?

    init(_ dialer: Dialer, on eventLoop: any EventLoop) {
        self.dialer = dialer
        self.eventLoop = eventLoop
    }

    /// Begins. The completion is called once, unless the lookup is cancelled before, with at least
    /// one address: the families take turns.
    func start(_ host: String, _ port: Int, completion: @escaping (Result<[IPAddress], Dial.Failure>) -> Void) {
        self.completion = completion
        if let known = dialer.overrides.addresses(of: host, port: port) {
            for family in IPAddress.Family.all { found[family] = .success(known.filter { $0.family == family }) }
            return endIfComplete(host)
        }
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        for family in [IPAddress.Family.ipv6, .ipv4] {
            guard dialer.families.contains(family) else {
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
        for ticket in tickets { dialer.lookups.cancel(ticket) }
        tickets = []
    }

    private func take(_ result: Result<[IPAddress], any Error>, _ family: IPAddress.Family, _ host: String) {
        found[family] = result
        endIfComplete(host)
    }

    private func endIfComplete(_ host: String) {
        guard let completion, let six = found[.ipv6], let four = found[.ipv4] else { return }
        self.completion = nil
        let lists = [(try? six.get()) ?? [], (try? four.get()) ?? []]
        let count = lists.map(\.count).max() ?? 0
        let addresses = (0..<count).flatMap { index in lists.compactMap { index < $0.count ? $0[index] : nil } }
        guard addresses.isEmpty else { return completion(.success(addresses)) }
        completion(.failure(.lookup(host: host, cause: four.error ?? six.error)))
    }
}

extension Result {
    fileprivate var error: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
