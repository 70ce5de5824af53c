import NIOCore
import Synchronization

/// The counts of the bytes sent and received, and their observers.
extension Call {
    struct Counts: Sendable, Hashable {
        var sent = 0
        var expectedToSend: Int?
        /// The bytes of the present hop, and how many it will have.
        var arrived = 0
        var expectedToArrive: Int?
        /// The bytes before them, which earlier hops or calls received, and the length of the whole
        /// where they know it.
        fileprivate var continued = 0
        fileprivate var whole: Int?
        /// The bytes that requests for other parts of the body brought.
        fileprivate var elsewhere = 0
        /// Bytes per second, where they are measured.
        var sendingSpeed: Double?
        var receivingSpeed: Double?

        /// What is before the present hop counts, and the body of a redirect or an error does not
        /// exceed the whole.
        var received: Int {
            let others = continued + elsewhere
            return others == 0 ? arrived : min(others + arrived, whole ?? .max)
        }

        /// Nil where a server declares more than an `Int` counts.
        var expectedToReceive: Int? {
            if let whole { return whole }
            guard let (sum, overflows) = expectedToArrive?.addingReportingOverflow(continued), !overflows else {
                return nil
            }
            return sum
        }

        /// Takes the counts of an exchange that another call carries. They only grow; those of two
        /// threads may come in another order.
        fileprivate mutating func take(_ carried: Counts) {
            (sent, arrived) = (max(sent, carried.sent), max(arrived, carried.arrived))
            expectedToSend = carried.expectedToSend ?? expectedToSend
            expectedToArrive = carried.expectedToArrive ?? expectedToArrive
        }

        mutating func add(_ arrival: Arrival) {
            arrived += arrival.count
            if let expected = arrival.expected { expectedToArrive = expected }
        }
    }

    /// Bytes of a body that arrived, and how many there will be in all where that became known.
    struct Arrival: Sendable {
        var count = 0
        var expected: Int?

        var isEmpty: Bool { count == 0 && expected == nil }
    }

    /// The counts of the present hop, as a value.
    struct Traffic {
        typealias Observer = @Sendable (Counts?) -> Void

        /// Counts for observers, who are told outside the lock.
        struct Notice: Sendable {
            fileprivate let observers: [Int: Observer]
            fileprivate let counts: Counts?

            func give() {
                for observer in observers.values { observer(counts) }
            }
        }

        /// The speeds of the present hop.
        private struct Meters {
            var sending = SpeedMeter()
            var receiving = SpeedMeter()
        }

        fileprivate private(set) var counts = Counts()
        /// What the next hops continue.
        private var beginning: (count: Int, length: Int?) = (0, nil)
        /// What of an upload the server has before the next hops; nil where each hop is one by
        /// itself.
        private var uploaded: (count: Int, length: Int?)?
        /// One element, or none where the speeds are not measured: then they take no memory.
        private var meters: [Meters]
        private var observers: [Int: Observer] = [:]
        private var lastObserver = Self.successor
        /// The number of the observer that has the counts also when the task is over.
        private static let successor = 0
        /// The Swift tasks that call the users' closures. They end with the counting.
        private var reports: [Task<Void, Never>] = []
        fileprivate private(set) var isOver = false

        init(measuresSpeed: Bool) {
            meters = measuresSpeed ? [Meters()] : []
        }

        /// The counts for the observers; nil when there are none.
        var notice: Notice? {
            observers.isEmpty ? nil : Notice(observers: observers, counts: counts)
        }

        /// Begins a hop: its counts start at zero, or at what it continues. Returns the counts for
        /// the observers.
        mutating func beginHop(expectedToSend: Int?) -> Notice? {
            if !meters.isEmpty { meters = [Meters()] }
            counts = Counts(expectedToSend: expectedToSend, continued: beginning.count, whole: beginning.length)
            if let uploaded { (counts.sent, counts.expectedToSend) = (uploaded.count, uploaded.length) }
            return notice
        }

        /// Has the next hops begin at a count.
        fileprivate mutating func `continue`(at count: Int, length: Int?) {
            beginning = (count, length)
        }

        /// Has the next hops send from a position of an upload on.
        fileprivate mutating func sends(from uploaded: (count: Int, length: Int?)?) {
            self.uploaded = uploaded
        }

        /// Corrects the beginning of the present hop.
        fileprivate mutating func receives(from position: Int, length: Int?) {
            counts.continued = position
            // From the first byte on, the length of the response is that of the whole.
            counts.whole = position == 0 ? nil : length
        }

        fileprivate mutating func receivesInParts(after count: Int, length: Int) {
            (counts.continued, counts.whole) = (count, length)
        }

        fileprivate mutating func change(_ change: (inout Counts) -> Void, _ now: () -> NIODeadline) {
            let before = counts
            change(&counts)
            guard !meters.isEmpty else { return }
            let now = now()
            meters[0].sending.add(counts.sent - before.sent, at: now)
            let arrived = counts.arrived + counts.elsewhere - before.arrived - before.elsewhere
            meters[0].receiving.add(arrived, at: now)
            counts.sendingSpeed = meters[0].sending.speed(at: now)
            counts.receivingSpeed = meters[0].receiving.speed(at: now)
        }

        /// The counts with the speeds of this moment. A complete body keeps its last speed.
        fileprivate func measured(_ now: () -> NIODeadline) -> Counts {
            guard let meters = meters.first, !isOver else { return counts }
            let now = now()
            var counts = counts
            if counts.sent != counts.expectedToSend { counts.sendingSpeed = meters.sending.speed(at: now) }
            if counts.received != counts.expectedToReceive { counts.receivingSpeed = meters.receiving.speed(at: now) }
            return counts
        }

        fileprivate var observerCount: Int { observers.count }

        /// Returns the number of the observer; nil when the task is over.
        fileprivate mutating func add(_ observer: @escaping Observer) -> Int? {
            guard !isOver else { return nil }
            lastObserver += 1
            observers[lastObserver] = observer
            return lastObserver
        }

        /// Gives the counts from now on to the observer, also when the task is over. Returns those
        /// so far.
        mutating func succeeded(by observer: @escaping Observer) -> Counts {
            observers[Self.successor] = observer
            return counts
        }

        fileprivate mutating func add(_ report: Task<Void, Never>) {
            reports.append(report)
        }

        /// Those that who ends a call has to wait for; none before it is over.
        fileprivate var lastReports: [Task<Void, Never>] { isOver ? reports : [] }

        fileprivate mutating func remove(_ observer: Int) {
            observers[observer] = nil
        }

        /// Ends the counting and removes the observers, which the notice tells.
        mutating func finish(_ now: () -> NIODeadline) -> Notice {
            if !observers.isEmpty { counts = measured(now) }
            isOver = true
            defer { observers = observers[Self.successor].map { [Self.successor: $0] } ?? [:] }
            return Notice(observers: observers, counts: nil)
        }
    }

    /// The bytes so far, with the speeds of this moment.
    var counts: Counts { withLock { $0.traffic.measured(now) } }

    var currentProgress: TaskProgress { TaskProgress(counts) }

    var progress: AsyncStream<TaskProgress> { makeProgress { _ in nil } }

    /// Makes a stream of the progress, and what reads it for a user: both before the call can end.
    private func makeProgress(
        _ report: (AsyncStream<TaskProgress>) -> Task<Void, Never>?
    ) -> AsyncStream<TaskProgress> {
        let (stream, continuation) = AsyncStream.makeStream(of: TaskProgress.self, bufferingPolicy: .bufferingNewest(1))
        let reporter = ProgressReporter(self, continuation)
        let observer = withLock { state in
            let observer = state.traffic.add(reporter.note)
            if observer != nil, let report = report(stream) { state.traffic.add(report) }
            return observer
        }
        guard let observer else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            self?.forget(observer)
            reporter.stop()
        }
        return stream
    }

    /// Calls the closure after every change of the counts, on whatever thread made it, and with nil
    /// when the task is over.
    ///
    /// - Returns: The number of the observer; nil when the task is over already.
    @discardableResult
    func observe(_ observer: @escaping Traffic.Observer) -> Int? {
        let number = withLock { $0.traffic.add(observer) }
        if number == nil { observer(nil) }
        return number
    }

    /// Calls the closure with the progress, as often as ``progress`` has a new one.
    func onProgress(_ body: @escaping @Sendable (TaskProgress) -> Void) {
        _ = makeProgress { progress in
            Task {
                for await step in progress { body(step) }
            }
        }
    }

    /// Waits until the observers of a task that is over have its last progress.
    func reported() async {
        for report in withLock(\.traffic.lastReports) { await report.value }
    }

    /// Calls the closure when the observers of a task that is over have its last progress; at once
    /// if there are none.
    func whenReported(_ body: @escaping @Sendable () -> Void) {
        let reports = withLock(\.traffic.lastReports)
        guard !reports.isEmpty else { return body() }
        Task {
            for report in reports { await report.value }
            body()
        }
    }

    /// How many observe it, for tests.
    var observerCount: Int { withLock { $0.traffic.observerCount } }

    /// Removes an observer.
    func forget(_ observer: Int) {
        withLock { $0.traffic.remove(observer) }
    }

    /// Has the next hops count from what was received before them, which has no speed.
    ///
    /// - Parameters:
    ///   - count: The bytes so far; 0 for none.
    ///   - length: The length of the whole; nil where it is not known.
    func `continue`(at count: Int, length: Int?) {
        withLock { $0.traffic.continue(at: count, length: length) }
    }

    /// Has the next hops count the bytes that the server has of an upload as sent, and its whole
    /// length as what is to be sent; nil for hops that are counted by themselves.
    func sends(from uploaded: (count: Int, length: Int?)?) {
        withLock { $0.traffic.sends(from: uploaded) }
    }

    /// Notes where the response of the present hop begins: at zero when the server did not
    /// continue.
    func receives(from position: Int, length: Int?) {
        withLock { state in
            state.traffic.receives(from: position, length: length)
            return state.traffic.notice
        }?.give()
    }

    /// Counts from what was received before the parts of a body, whose length is known, come over
    /// several requests.
    func receivesInParts(after count: Int, length: Int) {
        withLock { state in
            state.traffic.receivesInParts(after: count, length: length)
            return state.traffic.notice
        }?.give()
    }

    /// Takes the counts of an exchange that another call carries.
    func carried(_ counts: Counts) {
        update { $0.take(counts) }
    }

    /// Counts bytes that a request for a part brought.
    func receivedElsewhere(_ count: Int) {
        withLock { state in
            state.traffic.change({ $0.elsewhere += count }, now)
            return state.traffic.notice
        }?.give()
    }

    func update(_ change: (inout Counts) -> Void) {
        withLock { state in
            state.traffic.change(change, now)
            return state.traffic.notice
        }?.give()
    }

    /// Counts bytes that arrived; called under the lock. Returns the counts for the observers.
    func count(_ arrival: Arrival, _ state: inout State) -> Traffic.Notice? {
        guard !arrival.isEmpty else { return nil }
        state.traffic.change({ $0.add(arrival) }, now)
        return state.traffic.notice
    }
}

extension TaskProgress {
    init(_ counts: Call.Counts) {
        self.init(
            upload: TransferProgress(
                completed: counts.sent,
                total: counts.expectedToSend,
                bytesPerSecond: counts.sendingSpeed
            ),
            download: TransferProgress(
                completed: counts.received,
                total: counts.expectedToReceive,
                bytesPerSecond: counts.receivingSpeed
            )
        )
    }
}
