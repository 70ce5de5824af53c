import NIOCore

/// The addresses of a host one after the other, as ``StateMachine`` says, for a proxy that takes
/// addresses only. On its event loop.
final class HostLookup {
    typealias Completion = (Result<IPAddress, Dial.Failure>) -> Void

    private let host: String
    private let port: Int
    private let dialer: Dialer
    private let eventLoop: any EventLoop
    private let families: Set<IPAddress.Family>
    private var machine: StateMachine
    private var hasBegun = false
    private var timer: Scheduled<Void>?
    private var tickets: [NameLookups.Ticket] = []
    private var lookupErrors: [IPAddress.Family: any Error] = [:]
    private var completion: Completion?

    /// - Parameters:
    ///   - host: The name of the host.
    ///   - port: The port, which overrides of addresses are for.
    ///   - dialer: The names of the session, and the families that it may use.
    ///   - eventLoop: The event loop on which all is called.
    ///   - usable: The families that the caller can use.
    init(
        of host: String,
        port: Int,
        _ dialer: Dialer,
        on eventLoop: any EventLoop,
        usable: Set<IPAddress.Family> = IPAddress.Family.all
    ) {
        self.host = host
        self.port = port
        self.dialer = dialer
        self.eventLoop = eventLoop
        families = dialer.families.intersection(usable)
        machine = StateMachine(families)
    }

    /// Whether another address may follow the last one.
    var mayContinue: Bool { machine.mayContinue }

    /// The families whose lookups have not ended.
    var awaitedFamilies: Set<IPAddress.Family> { machine.pending }

    /// The first address, or the next one where the last one has failed. The completion is called
    /// once, unless the lookup is cancelled before.
    func next(_ completion: @escaping Completion) {
        self.completion = completion
        if hasBegun { return carryOut(machine.failed()) }
        hasBegun = true
        begin()
    }

    private func begin() {
        let known = dialer.overrides.addresses(of: host, port: port)
        guard !families.isEmpty, known.map({ $0.contains { families.contains($0.family) } }) ?? true else {
            return end(.failure(.unusable(Dial.WrongFamily(families, known))))
        }
        var results: [(IPAddress.Family, Result<[IPAddress], any Error>)] = []
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        for family in [IPAddress.Family.ipv6, .ipv4] where families.contains(family) {
            if let known {
                results.append((family, .success(known)))
                continue
            }
            let lookup = dialer.lookups.addresses(of: host, in: family) { [eventLoop] result in
                eventLoop.execute { bound.value.take(result, in: family) }
            }
            switch lookup {
            case .known(let result): results.append((family, result))
            case .pending(let ticket): tickets.append(ticket)
            }
        }
        for (family, result) in results { take(result, in: family) }
    }

    /// Ends it: the completion is not called.
    func cancel() {
        completion = nil
        timer?.cancel()
        timer = nil
        for ticket in tickets { dialer.lookups.cancel(ticket) }
        tickets = []
    }

    private func take(_ result: Result<[IPAddress], any Error>, in family: IPAddress.Family) {
        if case .failure(let error) = result { lookupErrors[family] = error }
        carryOut(machine.found((try? result.get()) ?? [], in: family))
    }

    private func carryOut(_ step: StateMachine.Step) {
        switch step {
        case .use(let address): end(.success(address))
        case .delay:
            let bound = NIOLoopBound(self, eventLoop: eventLoop)
            timer = eventLoop.scheduleTask(in: NameLookups.resolutionDelay) {
                bound.value.carryOut(bound.value.machine.delayPassed())
            }
        case .wait: break
        case .fail: end(.failure(.lookup(host: host, cause: lookupErrors[.ipv4] ?? lookupErrors[.ipv6])))
        }
    }

    private func end(_ result: Result<IPAddress, Dial.Failure>) {
        guard let completion else { return }
        self.completion = nil
        completion(result)
    }
}
