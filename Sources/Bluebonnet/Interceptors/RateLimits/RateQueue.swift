/// Which of the requests that wait for a rate limit is sent next, as a value.
///
/// A request needs a token of its host, where that has a limit, and one of the session, where that
/// has one. Of those whose host has a token, the one of the lowest urgency number comes first, and
/// of the same urgency the one that has waited longest. Hosts without a limit share one line. A
/// request costs the logarithm of the number of hosts.
struct RateQueue {
    /// A host with a limit of its own; nil is all others.
    typealias Host = String?

    /// The identity of a request that waits.
    typealias Ticket = Int

    /// What becomes of a request.
    enum Admission: Equatable {
        case waits
        /// It can be sent at this time at the earliest, which is too late.
        case isRefused(UInt64)
    }

    private struct Entry {
        let host: Host
        var urgency: Int
        /// Its place in its line: one with another number is void.
        var place: Int
    }

    /// The tickets of one urgency, in their order; those that have left stay until there are many.
    private struct Line {
        private var places: [(ticket: Ticket, place: Int)] = []
        private var start = 0
        /// The number of those that are not void.
        var count = 0

        var first: (ticket: Ticket, place: Int)? { start < places.count ? places[start] : nil }

        /// Adds a request; behind all others, unless it has its place from before.
        mutating func add(_ ticket: Ticket, _ place: Int) {
            var index = places.count
            while index > start, places[index - 1].place > place { index -= 1 }
            places.insert((ticket, place), at: index)
            count += 1
        }

        mutating func dropFirst() {
            start += 1
            if start > 32, start * 2 > places.count { places.removeFirst(start); start = 0 }
        }

        mutating func removeVoid(_ isKept: (Ticket, Int) -> Bool) {
            guard places.count - start > 2 * count + 32 else { return }
            places = places[start...].filter { isKept($0.ticket, $0.place) }
            start = 0
        }
    }

    /// Where the first request of a host is noted.
    private enum Note: Equatable {
        case ready(place: Int)
        case blocked(until: UInt64)
    }

    private struct HostState {
        var bucket: TokenBucket?
        var lines = Array(repeating: Line(), count: 8)
        var note: Note?

        var isEmpty: Bool { lines.allSatisfy { $0.count == 0 } }

        func count(upTo urgency: Int) -> Int { lines[...urgency].reduce(0) { $0 + $1.count } }
    }

    /// The first request of a host that has a token.
    private struct Candidate: Comparable {
        var urgency: Int
        var place: Int
        var host: Host

        static func < (left: Candidate, right: Candidate) -> Bool {
            (left.urgency, left.place) < (right.urgency, right.place)
        }
    }

    /// A host whose first request waits for a token.
    private struct Blocked: Comparable {
        var time: UInt64
        var host: Host

        static func < (left: Blocked, right: Blocked) -> Bool { left.time < right.time }
    }

    private var session: TokenBucket?
    private var hosts: [Host: HostState] = [:]
    private var entries: [Ticket: Entry] = [:]
    private var ready = LeastHeap<Candidate>()
    private var blocked = LeastHeap<Blocked>()
    private var lastPlace = 0
    /// The number of hosts from which those that are not needed are looked for.
    private var sweepAt = 64

    /// The most other hosts that are looked at for the earliest time of a request.
    private static let hostsLookedAt = 64

    init(session: RateLimit?) {
        self.session = session.map { TokenBucket($0) }
    }

    /// The number of requests that wait.
    var count: Int { entries.count }

    /// The number of hosts that are remembered, for tests.
    var hostCount: Int { hosts.count }

    /// Adds a request. ``takeReady(at:)`` says when it can be sent: it may be at once.
    ///
    /// - Parameters:
    ///   - ticket: Its identity.
    ///   - host: Its host; nil where that has no limit.
    ///   - limit: The limit of the host.
    ///   - urgency: From 0, first, to 7, last.
    ///   - deadline: The time from which on it is of no use; nil for none.
    ///   - place: The place that it had before its task was suspended, by ``place(of:)``. Default:
    ///     behind all others.
    ///   - now: The present.
    /// - Returns: Whether it waits now.
    mutating func add(
        _ ticket: Ticket,
        host: Host,
        limit: RateLimit?,
        urgency: Int,
        deadline: UInt64?,
        place: Int? = nil,
        at now: UInt64
    ) -> Admission {
        sweep(now)
        if hosts[host] == nil { hosts[host] = HostState(bucket: host == nil ? nil : limit.map { TokenBucket($0) }) }
        if let deadline {
            let earliest = earliestTime(host, urgency, at: now)
            guard earliest < deadline else { return .isRefused(earliest) }
        }
        if place == nil { lastPlace += 1 }
        let place = place ?? lastPlace
        entries[ticket] = Entry(host: host, urgency: urgency, place: place)
        hosts[host]?.lines[urgency].add(ticket, place)
        note(host, now)
        return .waits
    }

    /// The place of a request that waits: lower numbers come first. Nil where it does not.
    func place(of ticket: Ticket) -> Int? { entries[ticket]?.place }

    /// Removes a request that waits; false where it does not.
    mutating func remove(_ ticket: Ticket, at now: UInt64) -> Bool {
        guard let entry = entries.removeValue(forKey: ticket) else { return false }
        leaveLine(entry)
        note(entry.host, now)
        return true
    }

    /// Changes the urgency of a request that waits, which goes to the end of its new line.
    mutating func move(_ ticket: Ticket, to urgency: Int, at now: UInt64) {
        guard var entry = entries[ticket], entry.urgency != urgency else { return }
        leaveLine(entry)
        lastPlace += 1
        (entry.urgency, entry.place) = (urgency, lastPlace)
        entries[ticket] = entry
        hosts[entry.host]?.lines[urgency].add(ticket, lastPlace)
        note(entry.host, now)
    }

    /// Takes the requests that can be sent now, in their order.
    mutating func takeReady(at now: UInt64) -> [Ticket] {
        var tickets: [Ticket] = []
        while let first = firstBlocked(), first.time <= now {
            _ = blocked.popFirst()
            hosts[first.host]?.note = nil
            note(first.host, now)
        }
        while session?.hasToken(at: now) ?? true, let candidate = firstReady() {
            _ = ready.popFirst()
            hosts[candidate.host]?.note = nil
            guard let ticket = first(candidate.host)?.ticket, let entry = entries.removeValue(forKey: ticket) else {
                continue
            }
            leaveLine(entry)
            hosts[candidate.host]?.bucket?.take(at: now)
            session?.take(at: now)
            tickets.append(ticket)
            note(candidate.host, now)
        }
        return tickets
    }

    /// Takes back the tokens of a request that was not sent.
    mutating func giveBack(host: Host, at now: UInt64) {
        session?.giveBack()
        hosts[host]?.bucket?.giveBack()
        note(host, now)
    }

    /// The time from which on ``takeReady(at:)`` may have another request; nil where none waits.
    mutating func nextTime(at now: UInt64) -> UInt64? {
        let bySession = session?.time(ofToken: 1, at: now) ?? now
        if firstReady() != nil { return bySession }
        return firstBlocked().map { max($0.time, bySession) }
    }

    // MARK: Times

    /// The earliest time at which a further request could be sent, when no other one comes: behind
    /// those of its host that are in front of it, and behind those of others that are certainly
    /// sent before.
    private func earliestTime(_ host: Host, _ urgency: Int, at now: UInt64) -> UInt64 {
        guard let state = hosts[host] else { return now }
        let before = state.count(upTo: urgency)
        let byHost = state.bucket?.time(ofToken: before + 1, at: now) ?? now
        guard let session else { return byHost }
        var others = host == nil ? 0 : hosts[nil]?.count(upTo: urgency) ?? 0
        for (other, state) in hosts.prefix(Self.hostsLookedAt) where other != host {
            guard let bucket = state.bucket else { continue }
            // The number of its tokens, by halves: a host without a limit has one for each request.
            var (tokens, most) = (0, state.count(upTo: urgency))
            while tokens < most {
                let middle = tokens + (most - tokens + 1) / 2
                if bucket.time(ofToken: middle, at: now) <= now { tokens = middle } else { most = middle - 1 }
            }
            others += tokens
        }
        return max(byHost, session.time(ofToken: before + others + 1, at: now))
    }

    // MARK: Lines

    /// The first request of a host. Void places in front of it are dropped.
    private mutating func first(_ host: Host) -> (ticket: Ticket, urgency: Int, place: Int)? {
        guard hosts[host] != nil else { return nil }
        for urgency in 0..<8 {
            while let first = hosts[host]?.lines[urgency].first {
                if entries[first.ticket]?.place == first.place { return (first.ticket, urgency, first.place) }
                hosts[host]?.lines[urgency].dropFirst()
            }
        }
        return nil
    }

    /// Makes the place of a request void.
    private mutating func leaveLine(_ entry: Entry) {
        hosts[entry.host]?.lines[entry.urgency].count -= 1
        hosts[entry.host]?.lines[entry.urgency].removeVoid { entries[$0]?.place == $1 }
    }

    /// Notes the first request of a host where it is looked for.
    private mutating func note(_ host: Host, _ now: UInt64) {
        guard let first = first(host), let state = hosts[host] else {
            hosts[host]?.note = nil
            return
        }
        let time = state.bucket?.time(ofToken: 1, at: now) ?? now
        let note: Note = time <= now ? .ready(place: first.place) : .blocked(until: time)
        guard note != state.note else { return }
        hosts[host]?.note = note
        switch note {
        case .ready: ready.insert(Candidate(urgency: first.urgency, place: first.place, host: host))
        case .blocked: blocked.insert(Blocked(time: time, host: host))
        }
        if ready.count > 2 * hosts.count + 64 { ready.keep { hosts[$0.host]?.note == .ready(place: $0.place) } }
        if blocked.count > 2 * hosts.count + 64 { blocked.keep { hosts[$0.host]?.note == .blocked(until: $0.time) } }
    }

    /// The first of those that can be sent by their hosts. Void ones in front of it are dropped.
    private mutating func firstReady() -> Candidate? {
        while let candidate = ready.first {
            if hosts[candidate.host]?.note == .ready(place: candidate.place) { return candidate }
            _ = ready.popFirst()
        }
        return nil
    }

    /// The first of those that wait for a token. Void ones in front of it are dropped.
    private mutating func firstBlocked() -> Blocked? {
        while let first = blocked.first {
            if hosts[first.host]?.note == .blocked(until: first.time) { return first }
            _ = blocked.popFirst()
        }
        return nil
    }

    /// Forgets the hosts for which nothing waits and whose buckets are full.
    private mutating func sweep(_ now: UInt64) {
        guard hosts.count >= sweepAt else { return }
        hosts = hosts.filter { !$0.value.isEmpty || $0.value.bucket?.isFull(at: now) == false }
        sweepAt = 2 * hosts.count + 64
    }
}

/// Elements, the least one first: a binary heap.
private struct LeastHeap<Element: Comparable> {
    private var elements: [Element] = []

    var count: Int { elements.count }

    var first: Element? { elements.first }

    mutating func insert(_ element: Element) {
        elements.append(element)
        var index = elements.count - 1
        while index > 0, case let parent = (index - 1) / 2, elements[index] < elements[parent] {
            elements.swapAt(index, parent)
            index = parent
        }
    }

    mutating func popFirst() -> Element? {
        guard let first = elements.first else { return nil }
        elements.swapAt(0, elements.count - 1)
        elements.removeLast()
        sink(0)
        return first
    }

    /// Removes the elements that are not kept.
    mutating func keep(where isKept: (Element) -> Bool) {
        elements.removeAll { !isKept($0) }
        for index in (0..<elements.count / 2).reversed() { sink(index) }
    }

    private mutating func sink(_ start: Int) {
        var index = start
        while true {
            var least = index
            for child in (2 * index + 1)...(2 * index + 2)
            where child < elements.count && elements[child] < elements[least] {
                least = child
            }
            guard least != index else { return }
            elements.swapAt(index, least)
            index = least
        }
    }
}
