import FoundationEssentials
import NIOCore
import Synchronization

/// Holds requests back until the ``RateLimits`` of the session let them be sent.
final class RateLimiter: Sendable {
    /// The clock of a limiter, which tests replace.
    struct Timing: Sendable {
        /// Returns the present, in nanoseconds of the clock of the event loops.
        var now: @Sendable () -> UInt64 = { NIODeadline.now().uptimeNanoseconds }
        /// Calls the closure at a time, and returns what prevents that.
        var schedule: @Sendable (UInt64, @escaping @Sendable () -> Void) -> @Sendable () -> Void = { time, call in
            let timer = StoppableCall.schedule(at: .uptimeNanoseconds(min(time, UInt64(Int64.max))), call)
            return { timer.cancel() }
        }
    }

    private struct State {
        var queue: RateQueue
        var waiters: [RateQueue.Ticket: Waiter] = [:]
        /// The time at which somebody looks who can be sent, and what prevents that.
        var timer: (at: UInt64, cancel: @Sendable () -> Void)?
    }

    /// A host, and its limit.
    private struct Place {
        var host: RateQueue.Host
        var limit: RateLimit?
    }

    private let perHost: RateLimit?
    private let hosts: HostPatterns<RateLimit>
    private let timing: Timing
    private let lastTicket = Atomic(0)
    private let state: Mutex<State>

    init(_ limits: RateLimits, timing: Timing = Timing()) {
        perHost = limits.perHost
        hosts = HostPatterns(limits.hosts, in: "rateLimits", code: .rateLimited)
        self.timing = timing
        state = Mutex(State(queue: RateQueue(session: limits.session)))
    }

    deinit {
        state.withLock { $0.timer?.cancel() }
    }

    /// The number of requests that wait, for tests.
    var waitingCount: Int { state.withLock { $0.queue.count } }

    /// Returns when a request may be sent: at once, or after a wait. A task that is suspended gives
    /// its turn to others, and keeps its place in the line.
    ///
    /// - Parameters:
    ///   - request: The request, whose host counts.
    ///   - context: Its context.
    /// - Throws: ``NetworkingError/Code/rateLimited``, the error that stopped the task, and those
    ///   of a URL that cannot be taken apart.
    func wait(for request: Request, _ context: ExchangeContext) async throws(NetworkingError) {
        guard request.properties.obeysRateLimits != false else { return }
        let place = try place(of: request)
        let waiter = Waiter(self, lastTicket.wrappingAdd(1, ordering: .relaxed).newValue, request, context.call)
        while true {
            if context.isSuspended { try await context.waitWhileSuspended() }
            guard try await takeTurn(waiter, request, place, context) else { continue }
            guard context.isSuspended else { return }
            giveBack(place)
        }
    }

    private func place(of request: Request) throws(NetworkingError) -> Place {
        let name =
            switch try request.target.origin.endpoint {
            // With its root, a name is the same one (RFC 1034 §3.1).
            case .host(let host, _): host.utf8.last == UInt8(ascii: ".") ? String(host.dropLast()) : host
            case .unixSocket(let path): path.text
            }
        let limit = try hosts.value(for: name) ?? perHost
        return Place(host: limit == nil ? nil : name, limit: limit)
    }

    /// Waits for the turn of a request; false where its task was suspended meanwhile.
    private func takeTurn(
        _ waiter: Waiter,
        _ request: Request,
        _ place: Place,
        _ context: ExchangeContext
    ) async throws(NetworkingError) -> Bool {
        let ticket = waiter.ticket
        if waiter.place != nil { waiter.beginAgain() }
        let refusal = settle { state, now -> Duration? in
            let admission = state.queue.add(
                ticket,
                host: place.host,
                limit: place.limit,
                urgency: waiter.urgency,
                deadline: context.endsAt?.uptimeNanoseconds,
                place: waiter.place,
                at: now
            )
            switch admission {
            case .waits:
                waiter.place = state.queue.place(of: ticket)
                state.waiters[ticket] = waiter
                return nil
            case .isRefused(let time):
                return .nanoseconds(Int64(clamping: time - now))
            }
        }
        if let refusal { throw Self.error(request, place, refusal) }
        if waiter.hasTurn { return true }
        do throws(NetworkingError) {
            try context.call.attach(waiter)
            defer { context.call.detach(waiter) }
            // What was changed before it was attached.
            waiter.priorityChanged()
            if !context.isSuspended { await waiter.wait(until: context.endsAt) }
            try context.checkStopped()
        } catch {
            if !leave(ticket) { giveBack(place) }
            throw error
        }
        return !leave(ticket)
    }

    private static func error(_ request: Request, _ place: Place, _ wait: Duration) -> NetworkingError {
        let limit = place.host.map { "The rate limits of the session and of “\($0)” let" } ?? "The rate limit lets"
        return NetworkingError(
            .rateLimited,
            "\(limit) \(request) be sent in \((wait as Duration?).sentence) at the earliest, after its time is over.",
            request: request
        )
    }

    /// Takes a request out of the queue; false where it had its turn.
    private func leave(_ ticket: RateQueue.Ticket) -> Bool {
        settle { state, now in
            state.waiters[ticket] = nil
            return state.queue.remove(ticket, at: now)
        }
    }

    /// Gives others the turn of a request that is not sent.
    private func giveBack(_ place: Place) {
        settle { state, now in state.queue.giveBack(host: place.host, at: now) }
    }

    private func move(_ waiter: Waiter) {
        settle { state, now in
            state.queue.move(waiter.ticket, to: waiter.urgency, at: now)
            waiter.place = state.queue.place(of: waiter.ticket) ?? waiter.place
        }
    }

    /// Changes something, and gives those their turn who can be sent then.
    private func settle<Result: Sendable>(_ change: (inout State, UInt64) -> Result) -> Result {
        let now = timing.now()
        let (result, turns) = state.withLock { state in
            let result = change(&state, now)
            let turns = state.queue.takeReady(at: now).compactMap { state.waiters.removeValue(forKey: $0) }
            setTimer(&state, now)
            return (result, turns)
        }
        for waiter in turns { waiter.takeTurn() }
        return result
    }

    private func setTimer(_ state: inout State, _ now: UInt64) {
        guard let next = state.queue.nextTime(at: now) else {
            state.timer?.cancel()
            state.timer = nil
            return
        }
        // One that fires too early only looks.
        if let timer = state.timer, timer.at <= next { return }
        state.timer?.cancel()
        state.timer = (next, timing.schedule(next) { [weak self] in self?.timerFired() })
    }

    private func timerFired() {
        settle { state, _ in state.timer = nil }
    }

    /// A request that waits for its turn, woken by that, by what stops its task, and by the
    /// suspension of the task.
    private final class Waiter: Call.Operation {
        let ticket: RateQueue.Ticket
        private let limiter: RateLimiter
        private let call: Call
        private let ownUrgency: Int
        private let state = Mutex((sleeper: WakeableWait(), place: Int?.none))
        private let isItsTurn = Atomic(false)

        init(_ limiter: RateLimiter, _ ticket: RateQueue.Ticket, _ request: Request, _ call: Call) {
            self.limiter = limiter
            self.ticket = ticket
            self.call = call
            ownUrgency = (request.properties.priority ?? .normal).urgency
        }

        /// That of the task wins: it may have been changed since the request was made.
        var urgency: Int { call.chosenPriority?.urgency ?? ownUrgency }

        var hasTurn: Bool { isItsTurn.load(ordering: .acquiring) }

        /// The place that it has, or had last, in the line of its urgency.
        var place: Int? {
            get { state.withLock(\.place) }
            set { state.withLock { $0.place = newValue } }
        }

        private var sleeper: WakeableWait { state.withLock(\.sleeper) }

        /// Begins to wait once more, after a suspension.
        func beginAgain() {
            isItsTurn.store(false, ordering: .releasing)
            state.withLock { $0.sleeper = WakeableWait() }
        }

        /// Waits until it has its turn, or is woken, or the time is over.
        func wait(until end: NIODeadline?) async { await sleeper.wait(until: end ?? .distantFuture) }

        func takeTurn() {
            isItsTurn.store(true, ordering: .releasing)
            sleeper.wake()
        }

        func cancel(with error: NetworkingError) { sleeper.wake() }

        func suspensionChanged() { sleeper.wake() }

        func priorityChanged() { limiter.move(self) }
    }
}
