import NIOCore

/// The decisions of the pool for one route, without I/O: which connection serves which exchange,
/// when to connect, which exchanges wait and for how long.
///
/// Connections with a free place are used last in, first out, so that surplus ones grow old and are
/// closed; waiting exchanges are served by their urgency, and of the same urgency first in, first
/// out. Nothing that is done for one exchange costs more when others wait too.
struct RouteQueue<Connection: PoolMember, Waiter: PoolWaiter> {
    /// A connection that is being made. The exchange that waits longest gets it; its timeout is
    /// that of the exchange it is made for.
    struct Attempt {
        let waiter: Waiter
        let handle = AttemptHandle()
        /// Whether it was cancelled and has not reported yet.
        fileprivate(set) var isGivenUp = false
    }

    private let limit: Int
    /// The connections, each at its slot.
    private var members: [Member] = []
    private var emptySlots: [Int] = []
    /// The slots of the connections with a free place.
    private var vacancies: [Int] = []
    private(set) var attempts: [Attempt] = []
    /// Connections that exist, idle ones included.
    private(set) var open = 0
    /// Those of them that were told to close and have not reported it yet.
    private var leaving = 0
    /// The exchanges that need a fresh connection. They got a stale one before, so they are served
    /// first.
    private var urgent = WaitingLine<Waiter>()
    private var ordinary = WaitingLine<Waiter>()

    /// The expected capacity of a connection: that of the last one that was made or changed.
    private var expectedCapacity: Int

    /// A connection and its places for exchanges.
    private struct Member {
        /// Nil where the slot is empty.
        var connection: Connection?
        /// The number of exchanges that it may carry at once. A server may change that at any time
        /// (RFC 9113 §6.5.2).
        var capacity: Int
        /// The number that it carries: more than it may, when the capacity was larger before.
        var taken = 0
        /// Whether it was told to close, or takes no more exchanges.
        var isLeaving = false

        var hasVacancy: Bool { taken < capacity && !isLeaving }
        var isIdle: Bool { connection != nil && taken == 0 && !isLeaving }
    }

    // The times from which the clocks of waiting exchanges count.
    private var deadlines = DeadlineHeap<QueuedTicket>()
    /// The times at which a connection last took a waiting exchange of each urgency: others that
    /// overtake an exchange do not prolong its wait.
    private var movedAt = Array(repeating: NIODeadline.uptimeNanoseconds(0), count: 8)
    /// The time at which a connection last took an exchange that needs a fresh one.
    private var urgentMovedAt = NIODeadline.uptimeNanoseconds(0)
    /// The time since which no connection is open.
    private var emptySince = NIODeadline.uptimeNanoseconds(0)
    /// No attempts before this, because one was refused while connections are open that can serve
    /// instead.
    private var pausedUntil: NIODeadline?

    /// A ticket of one of the lines; the number tells which exchange had it.
    private struct QueuedTicket {
        var isUrgent: Bool
        var ticket: Int
        var number: UInt64
    }

    /// The time without attempts after a refused one, or one whose connection has no capacity.
    static var pause: TimeAmount { .seconds(1) }
    /// A larger capacity makes no difference; a server without a limit has this one.
    private static var mostPlaces: Int { 1 << 20 }

    /// - Parameters:
    ///   - limit: The most connections.
    ///   - expectedCapacity: The capacity that a connection is likely to have.
    init(limit: Int, expectedCapacity: Int = 1) {
        self.limit = max(1, limit)
        self.expectedCapacity = expectedCapacity
    }

    /// Whether nothing is left that the pool would have to remember.
    var isEmpty: Bool { open == 0 && attempts.isEmpty && waitingCount == 0 }

    var waitingCount: Int { urgent.count + ordinary.count }

    /// The waiting exchanges, in the order in which they are served.
    var waiters: [Waiter] { Array(urgent) + Array(ordinary) }

    private var isFull: Bool { open + attempts.count >= limit }

    /// The number of attempts that were not given up.
    private var activeAttempts: Int { attempts.count { !$0.isGivenUp } }

    /// The number of attempts that the waiting exchanges need.
    private var neededAttempts: Int { (waitingCount + expectedCapacity - 1) / expectedCapacity }

    // MARK: Exchanges

    /// Gets an exchange a connection, if possible on the event loop its caller runs on, or lets it
    /// wait. One that was given back, because its connection could not take it, is in front of the
    /// others of its urgency again.
    mutating func acquire(for waiter: Waiter, preferring loop: ObjectIdentifier?, isGivenBack: Bool = false) -> Acquired
    {
        // One that carries others at this moment is as good as a fresh one.
        let index =
            waiter.needsFreshConnection
            ? vacancies.lastIndex { members[$0].taken > 0 } : vacancy(preferring: loop)
        if let index { return .use(takePlace(at: index)) }
        enqueue(waiter, inFront: isGivenBack)
        // The exchanges before it have attempts already, unless nothing more may be made.
        if mayConnect(at: waiter.patience.since) { return .connect(begin(for: waiter)) }
        return closeForRoom().map { .waitAndClose($0) } ?? .wait
    }

    /// Notes that a connection cannot take the exchange that it was given, and takes no more.
    mutating func refused(_ connection: Connection) {
        guard connection.slot >= 0 else { return }
        leave(connection.slot)
        members[connection.slot].taken -= 1
    }

    /// Lets a connection take no more exchanges.
    private mutating func leave(_ slot: Int) {
        guard !members[slot].isLeaving else { return }
        members[slot].isLeaving = true
        leaving += 1
        unlist(slot)
    }

    /// Removes a connection without a free place from the vacancies.
    private mutating func unlist(_ slot: Int) {
        if let index = vacancies.firstIndex(of: slot) { vacancies.remove(at: index) }
    }

    private mutating func closeForRoom() -> Connection? { lacksRoom ? closeIdle() : nil }

    /// Picks an idle connection that makes room by its end: the one not used for longest, or one
    /// that is idle because its server allows no exchange. It takes no more exchanges.
    mutating func closeIdle() -> Connection? {
        guard let slot = vacancies.first(where: { members[$0].isIdle }) ?? members.firstIndex(where: \.isIdle)
        else { return nil }
        leave(slot)
        return members[slot].connection
    }

    private mutating func makeRoom(at now: NIODeadline) -> Room {
        var room = Room(attempts: reserveConnections(at: now))
        while let connection = closeForRoom() { room.closes.append(connection) }
        return room
    }

    private func vacancy(preferring loop: ObjectIdentifier?) -> Int? {
        if let loop, let index = vacancies.lastIndex(where: { members[$0].connection?.loop == loop }) { return index }
        return vacancies.isEmpty ? nil : vacancies.count - 1
    }

    private mutating func takePlace(at index: Int) -> Connection {
        let slot = vacancies[index]
        members[slot].taken += 1
        if !members[slot].hasVacancy { vacancies.remove(at: index) }
        // A slot leaves the vacancies before its connection leaves the slot: see ``closed(_:at:)``.
        guard let connection = members[slot].connection else { preconditionFailure("a vacancy is on a connection") }
        return connection
    }

    /// Whether an exchange needs a fresh connection, none is being made for it, and only the end of
    /// another one makes room.
    private var lacksRoom: Bool {
        !urgent.isEmpty && isFull && urgent.count > (activeAttempts + leaving) * expectedCapacity
    }

    private mutating func enqueue(_ waiter: Waiter, inFront: Bool) {
        let isUrgent = waiter.needsFreshConnection
        let (ticket, number) =
            isUrgent ? urgent.insert(waiter, inFront: inFront) : ordinary.insert(waiter, inFront: inFront)
        waiter.ticket = ticket
        let patience = waiter.patience
        guard let deadline = bound(of: patience, movedAt: movedAt(for: waiter), at: patience.since) else { return }
        if deadlines.count > 2 * waitingCount + 64 { forgetDeadlines() }
        deadlines.insert(QueuedTicket(isUrgent: isUrgent, ticket: ticket, number: number), at: deadline)
    }

    /// Moves a waiting exchange behind those that have its urgency already.
    mutating func move(_ waiter: Waiter) {
        guard isWaiting(waiter) else { return }
        if waiter.needsFreshConnection { urgent.move(at: waiter.ticket) } else { ordinary.move(at: waiter.ticket) }
    }

    /// Removes the deadlines of exchanges that no longer wait, which stay until there are too many.
    private mutating func forgetDeadlines() {
        let (urgent, ordinary) = (urgent, ordinary)
        deadlines.keep { queued in
            (queued.isUrgent ? urgent : ordinary).element(at: queued.ticket, number: queued.number) != nil
        }
    }

    /// Takes the exchange that is served first.
    private mutating func popFirst(isFresh: Bool, at now: NIODeadline) -> Waiter? {
        let isUrgent = isFresh && !urgent.isEmpty
        guard let waiter = isUrgent ? urgent.popFirst() : ordinary.popFirst() else { return nil }
        waiter.ticket = -1
        movedAt[waiter.urgency] = now
        if isUrgent { urgentMovedAt = now }
        return waiter
    }

    /// Whether an exchange waits here. One that an attempt was made for may wait in another queue.
    private func isWaiting(_ waiter: Waiter) -> Bool {
        let ticket = waiter.ticket
        guard ticket >= 0 else { return false }
        return waiter.needsFreshConnection
            ? urgent.contains(waiter, at: ticket) : ordinary.contains(waiter, at: ticket)
    }

    /// Takes an exchange out; false when it does not wait here.
    private mutating func take(_ waiter: Waiter) -> Bool {
        guard isWaiting(waiter) else { return false }
        _ = waiter.needsFreshConnection ? urgent.remove(at: waiter.ticket) : ordinary.remove(at: waiter.ticket)
        waiter.ticket = -1
        return true
    }

    /// Takes out a waiting exchange that has ended. Returns the attempt that is no longer needed,
    /// if there is one: its own as a rule.
    mutating func cancel(_ waiter: Waiter) -> AttemptHandle? {
        guard take(waiter), activeAttempts > neededAttempts else { return nil }
        return giveUp(attempts.lastIndex { !$0.isGivenUp && $0.waiter === waiter }) ?? giveUpSurplusAttempt()
    }

    private mutating func giveUp(_ index: Int?) -> AttemptHandle? {
        guard let index else { return nil }
        attempts[index].isGivenUp = true
        return attempts[index].handle
    }

    /// The newest attempt whose exchange no longer waits here.
    private var abandonedAttempt: Int? { attempts.lastIndex { !$0.isGivenUp && !isWaiting($0.waiter) } }

    /// Gives up the newest attempt whose exchange no longer waits, or else the newest one.
    private mutating func giveUpSurplusAttempt() -> AttemptHandle? {
        giveUp(abandonedAttempt ?? attempts.lastIndex { !$0.isGivenUp })
    }

    private mutating func giveUpSurplusAttempts() -> [AttemptHandle] {
        var handles: [AttemptHandle] = []
        while activeAttempts > neededAttempts, let handle = giveUpSurplusAttempt() { handles.append(handle) }
        return handles
    }

    /// Takes all waiting exchanges, to fail them.
    mutating func removeWaiters() -> [Waiter] {
        waiters.filter { take($0) }
    }

    /// Takes the waiting exchanges that another queue serves from now on, in their order. Returns
    /// the attempts that are no longer needed, too.
    mutating func handOver(where isMeant: (Waiter) -> Bool) -> (waiters: [Waiter], givenUp: [AttemptHandle]) {
        let handed = waiters.filter { isMeant($0) && take($0) }
        return (handed, giveUpSurplusAttempts())
    }

    /// Exchanges of another queue come here. What they have waited there does not count here: the
    /// clocks begin anew, unless others wait here already.
    mutating func willTakeOver(at now: NIODeadline) {
        guard waitingCount == 0 else { return }
        emptySince = now
        movedAt = Array(repeating: now, count: movedAt.count)
        urgentMovedAt = now
    }

    /// The attempt that says why an exchange waits: its own, or else the first one. It may have
    /// been given up just now, with the last exchange that waited for it.
    func attempt(for waiter: Waiter) -> Attempt? {
        attempts.last { $0.waiter === waiter } ?? attempts.first { !$0.isGivenUp } ?? attempts.first
    }

    // MARK: Connections

    /// Whether a connection is to be made: an exchange waits for which none is being made yet, and
    /// the limit allows it.
    private func mayConnect(at now: NIODeadline) -> Bool {
        neededAttempts > activeAttempts && !isFull && (pausedUntil.map { $0 <= now } ?? true)
    }

    private mutating func begin(for waiter: Waiter) -> Attempt {
        let attempt = Attempt(waiter: waiter)
        attempts.append(attempt)
        return attempt
    }

    /// Begins the attempts that are due. Those under way belong to the exchanges that have waited
    /// longest; further ones are for the exchanges behind them.
    private mutating func reserveConnections(at now: NIODeadline) -> [Attempt] {
        var reserved: [Attempt] = []
        while mayConnect(at: now), let waiter = waiter(behind: activeAttempts * expectedCapacity) {
            reserved.append(begin(for: waiter))
        }
        return reserved
    }

    private func waiter(behind count: Int) -> Waiter? {
        var iterator =
            count < urgent.count
            ? urgent.dropFirst(count).makeIterator() : ordinary.dropFirst(count - urgent.count).makeIterator()
        return iterator.next()
    }

    /// Adds the connection that an attempt has made.
    mutating func connected(
        _ connection: Connection,
        capacity: Int,
        by handle: AttemptHandle,
        at now: NIODeadline
    ) -> Served {
        attempts.removeAll { $0.handle === handle }
        open += 1
        // Further connections would have no capacity either.
        pausedUntil = capacity > 0 ? nil : now + Self.pause
        connection.slot = emptySlots.popLast() ?? members.count
        let member = Member(connection: connection, capacity: 0)
        if connection.slot == members.count { members.append(member) } else { members[connection.slot] = member }
        var served = resized(connection, to: capacity, at: now)
        // Where each carries one exchange, the attempts under way are likely to be needed soon.
        guard expectedCapacity > 1 else { return served }
        served.givenUp += giveUpSurplusAttempts()
        return served
    }

    /// One of the connections that take exchanges and are as wanted.
    func firstConnection(where isWanted: (Connection) -> Bool) -> Connection? {
        members.lazy.filter { !$0.isLeaving }.compactMap(\.connection).first(where: isWanted)
    }

    /// Changes the capacity of a connection. Exchanges that it carries beyond that stay.
    mutating func resized(_ connection: Connection, to capacity: Int, at now: NIODeadline) -> Served {
        let slot = connection.slot
        guard slot >= 0, !members[slot].isLeaving else { return Served() }
        let hadVacancy = members[slot].hasVacancy
        members[slot].capacity = min(capacity, Self.mostPlaces)
        expectedCapacity = max(1, members[slot].capacity)
        var served = Served()
        while members[slot].hasVacancy, let waiter = popFirst(isFresh: true, at: now) {
            members[slot].taken += 1
            served.waiters.append(waiter)
        }
        if members[slot].hasVacancy != hadVacancy {
            if hadVacancy { unlist(slot) } else { vacancies.append(slot) }
        }
        served.room = makeRoom(at: now)
        return served
    }

    /// Frees the place of a finished exchange, if the capacity still has it.
    mutating func released(_ connection: Connection, at now: NIODeadline) -> Released {
        let slot = connection.slot
        guard slot >= 0 else { return .close }
        let hadVacancy = members[slot].hasVacancy
        members[slot].taken -= 1
        let isIdle = members[slot].taken == 0
        if isIdle, lacksRoom { leave(slot) }
        if isIdle, members[slot].isLeaving { return .close }
        guard members[slot].hasVacancy else { return .keep }
        // One that carries others at this moment is as good as a fresh one.
        if let waiter = popFirst(isFresh: !isIdle, at: now) {
            members[slot].taken += 1
            return .serve(waiter)
        }
        if !hadVacancy { vacancies.append(slot) }
        return .keep
    }

    /// Removes a connection that ends, whatever is under way on it. Returns the steps that follow.
    mutating func closed(_ connection: Connection, at now: NIODeadline) -> Room {
        let slot = connection.slot
        guard slot >= 0 else { return Room() }
        if members[slot].isLeaving { leaving -= 1 } else if members[slot].hasVacancy { unlist(slot) }
        members[slot] = Member(connection: nil, capacity: 0)
        emptySlots.append(slot)
        connection.slot = -1
        open -= 1
        if open == 0 {
            emptySince = now
            pausedUntil = nil
        }
        return makeRoom(at: now)
    }

    /// Removes an attempt that has failed. Without an open connection, the exchange it was made for
    /// fails with it, and so do those for which no attempt is under way, since a server that
    /// refuses one refuses all; but one exchange's timeout is not another's. Open connections serve
    /// instead of one that was refused. For the exchanges that still wait, new attempts are due.
    mutating func connectFailed(
        _ handle: AttemptHandle,
        _ failure: Failure,
        at now: NIODeadline
    ) -> (fails: [Waiter], room: Room) {
        guard let index = attempts.firstIndex(where: { $0.handle === handle }) else { return ([], Room()) }
        let attempt = attempts.remove(at: index)
        var failed: [Waiter] = []
        switch attempt.isGivenUp ? .cancelled : failure {
        case .cancelled: break
        case .timedOut: if take(attempt.waiter) { failed.append(attempt.waiter) }
        case .refused, .untrusted:
            if open == 0 {
                if take(attempt.waiter) { failed.append(attempt.waiter) }
                failed += waiters.dropFirst(activeAttempts * expectedCapacity).filter { take($0) }
            } else if failure == .refused {
                pausedUntil = now + Self.pause
            } else if take(attempt.waiter) {
                failed.append(attempt.waiter)
            }
        }
        return (failed, makeRoom(at: now))
    }
}

// MARK: - Time

extension RouteQueue {
    /// The time to look at the clocks next; nil means never.
    var nextDeadline: NIODeadline? {
        guard waitingCount > 0 else { return nil }
        guard let earliest = deadlines.earliest else { return pausedUntil }
        return pausedUntil.map { min($0, earliest) } ?? earliest
    }

    /// Takes out the exchanges whose time is over.
    mutating func expire(at now: NIODeadline) -> Expired {
        var expired = Expired()
        var others: [(QueuedTicket, NIODeadline)] = []
        while let queued = deadlines.popFirst(until: now) {
            guard let waiter = element(of: queued) else { continue }
            let (patience, movedAt) = (waiter.patience, movedAt(for: waiter))
            if let limit = passedLimit(of: patience, movedAt: movedAt, at: now) {
                _ = take(waiter)
                expired.waiters.append((waiter, limit))
            } else if let bound = bound(of: patience, movedAt: movedAt, at: now) {
                others.append((queued, bound))
            }
        }
        for (queued, bound) in others { deadlines.insert(queued, at: bound) }
        giveUpAttempts(after: &expired)
        if let pausedUntil, pausedUntil <= now { self.pausedUntil = nil }
        expired.room = makeRoom(at: now)
        return expired
    }

    private func element(of queued: QueuedTicket) -> Waiter? {
        // A copy of the line would be copied in full by the next change.
        queued.isUrgent
            ? urgent.element(at: queued.ticket, number: queued.number)
            : ordinary.element(at: queued.ticket, number: queued.number)
    }

    private func movedAt(for waiter: Waiter) -> NIODeadline {
        waiter.needsFreshConnection ? urgentMovedAt : movedAt[waiter.urgency]
    }

    /// Gives up attempts. One has taken too long when an exchange waited for its whole connect
    /// timeout, and the exchange that the attempt was made for no longer waits. Others are given up
    /// while there are more than the waiting exchanges need.
    private mutating func giveUpAttempts(after expired: inout Expired) {
        guard !expired.waiters.isEmpty else { return }
        if expired.waiters.contains(where: { $0.1 == .connect }) {
            while let handle = giveUp(abandonedAttempt) { expired.givenUp.append(handle) }
        }
        expired.givenUp += giveUpSurplusAttempts()
    }

    /// The limit of an exchange that has passed, if one has.
    ///
    /// The time to connect runs while nothing is open; with connections open, it is the time in
    /// which none of them takes an exchange of its urgency.
    private func passedLimit(of patience: Patience, movedAt: NIODeadline, at now: NIODeadline) -> Patience.Limit? {
        if let deadline = patience.deadline, deadline <= now { return .request }
        if open == 0 {
            let deadline = patience.connect.deadline(after: max(patience.since, emptySince))
            return deadline.map { $0 <= now } == true ? .connect : nil
        }
        let deadline = patience.waiting.deadline(after: max(patience.since, movedAt))
        return deadline.map { $0 <= now } == true ? .waiting : nil
    }

    /// A point in time before which none of its times is over, whatever happens until then.
    private func bound(of patience: Patience, movedAt: NIODeadline, at now: NIODeadline) -> NIODeadline? {
        let connect = patience.connect.deadline(after: open == 0 ? max(patience.since, emptySince) : now)
        let waiting = patience.waiting.deadline(
            after: open == 0 ? now : max(patience.since, movedAt)
        )
        let earlier = min(connect ?? .distantFuture, waiting ?? .distantFuture, patience.deadline ?? .distantFuture)
        return earlier == .distantFuture ? nil : earlier
    }
}
