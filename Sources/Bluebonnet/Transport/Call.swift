import FoundationEssentials
import NIOCore
import Synchronization

/// The session of calls, as far as they know it. Called outside their lock.
protocol CallOwner: AnyObject, Sendable {
    /// The call was suspended or resumed: ``Call/isSuspended`` says which.
    func suspensionChanged(of call: Call)
    /// A request of the call is going to be sent again.
    func call(_ call: Call, willRetry retry: TaskRetry)
    /// The call waits for a network.
    func callWaitsForConnectivity(_ call: Call)
    /// The call is over, with the error if there was one. The closure makes what came of it.
    func call(_ call: Call, hasEnded error: NetworkingError?, _ result: () -> CallResult)
}

/// What came of a call: of its response and its error, what is known.
struct CallResult: Sendable {
    var head: ResponseHead?
    var body: Data?
    var value: (any Sendable)?
    var file: URL?
}

/// One request of a session, from its start to its end: its identifier, its state, what is under
/// way for it, and its counts of bytes. One object, one lock.
///
/// ``DataTask`` puts a typed value on top. Not generic, so that the hot path is compiled once.
final class Call: SessionTask {
    /// Something under way that can be stopped: a hop, or code of the user's.
    protocol Operation: AnyObject, Sendable {
        func cancel(with error: NetworkingError)
        /// The call was suspended or resumed: ``Call/isSuspended`` says which.
        func suspensionChanged()
        /// The call got another priority: ``Call/chosenPriority``.
        func priorityChanged()
    }

    /// The kind of the task, by which a session lists it.
    enum Kind: Sendable {
        case data, upload, download, stream, webSocket
    }

    fileprivate enum Stage {
        /// Not started. Then `running`, or `complete` when it fails before.
        case created
        /// Then `complete`.
        case running
        /// The last stage.
        case complete
    }

    struct State {
        fileprivate var stage: Stage
        /// The error that stopped it, once it was stopped.
        fileprivate var error: NetworkingError?
        /// The operation under way: one as a rule; more when an interceptor sends a request several
        /// times at once.
        fileprivate var operation: (any Operation)?
        fileprivate var others: [any Operation] = []
        /// The queues that start it, in place of who awaits it: they are told of its priority.
        fileprivate var queues: [@Sendable () -> Void] = []
        fileprivate var sent: SentRequest?
        fileprivate var head: ResponseHead?
        /// The Swift task of a call that was started by `resume()`; one that is awaited from the
        /// start runs in its caller.
        fileprivate var runner: Task<Void, Never>?
        /// The public task on top, if there is one.
        fileprivate weak var facade: (any SessionTask)?
        /// The response serializer, where events of the session are about to show it.
        fileprivate var serializer: (any Sendable)?
        /// Whether what is under way belongs to another call now.
        var isHandedOver = false
        /// The call that has handed over what was under way.
        var predecessor: Call?
        var traffic: Traffic
        var stateStreams = StateStreams()
        var transactions = Transactions()

        fileprivate init(stage: Stage, measuresSpeed: Bool) {
            self.stage = stage
            traffic = Traffic(measuresSpeed: measuresSpeed)
        }

        fileprivate var operations: [any Operation] { others + [operation].compactMap(\.self) }

        /// Attaches an operation, which is stopped and suspended with the call from now on. Returns
        /// an error when the call was stopped or is complete.
        mutating func attach(_ operation: any Operation) -> NetworkingError? {
            guard error == nil else { return error }
            // Code of the user's that was left behind may still send something.
            if case .complete = stage { return NetworkingError(.cancelled, "The task has ended already.") }
            if self.operation == nil { self.operation = operation } else { others.append(operation) }
            return nil
        }

        /// Attaches an operation of a call that is over. Returns whether the call was stopped.
        fileprivate mutating func attachToEnd(_ operation: any Operation) -> Bool {
            if self.operation == nil { self.operation = operation } else { others.append(operation) }
            return error != nil
        }

        /// Gives what is under way to another call; false when the call was stopped or is over.
        mutating func handOver() -> Bool {
            guard error == nil, case .running = stage else { return false }
            isHandedOver = true
            return true
        }

        /// Forgets the response of an attempt that is repeated.
        fileprivate mutating func forgetResponse() {
            head = nil
        }

        fileprivate mutating func note(_ response: TransportResponse) {
            head = response.head
            sent = response.sent
        }

        mutating func detach(_ operation: any Operation) {
            if self.operation === operation {
                self.operation = others.popLast()
            } else if !others.isEmpty {
                others.removeAll { $0 === operation }
            }
        }
    }

    let identifier: Int
    let kind: Kind
    let originalRequest: Request
    /// The offer to resume its upload; nil where there is none.
    let uploadOffer: UploadOffer?
    /// The settings of all calls of the session.
    let settings: SessionSettings
    /// The circumstances of its making, for the observers of transactions.
    let circumstances: Circumstances
    private let owner: (any CallOwner)?
    /// The task that this call is a part of; nil where it is the task itself.
    private let whole: Call?
    /// The hooks of the task; nil in a session without hooks.
    let hooks: HookLane?
    /// Whether the response head or the progress may be read before the body is complete.
    let isWatched: Bool
    private let guarded: Mutex<State>
    /// Written under the lock.
    private let isSuspendedNow = Atomic(false)
    /// Whether the events of the session have told last that it was suspended, for the session.
    let wasToldSuspended = Atomic(false)
    /// Whether the observers have been told of the end. Written under the lock.
    private let isOver = Atomic(false)
    private let hops = Atomic(0)
    /// The beginning and the end of the call, for its metrics.
    let started = ExchangeMeter.Number()
    let ended = ExchangeMeter.Number()
    /// The priority that was chosen for the task, as a number; below zero for none. Read under the
    /// lock of the pool, and so not under that of the call.
    private let priorityNumber = Atomic(-1)
    /// The clock of the speeds.
    let now: @Sendable () -> NIODeadline

    /// - Parameters:
    ///   - request: The request to send.
    ///   - identifier: A number that no other call of the session has.
    ///   - settings: The settings of all calls of the session.
    ///   - owner: The session; nil for a call of none.
    ///   - whole: The task that it is a part of, whose hooks and circumstances it has, and which
    ///     gives its transactions their numbers. Default: none.
    ///   - kind: The kind of the task. Default: data.
    ///   - isWatched: Whether it may be looked at while it runs. Speeds are measured then. Default:
    ///     false.
    ///   - isStarted: Whether its maker runs it at once. Default: false.
    ///   - now: The clock of the speeds. Default: the event loops'.
    init(
        _ request: Request,
        identifier: Int,
        settings: SessionSettings,
        owner: (any CallOwner)?,
        partOf whole: Call? = nil,
        kind: Kind = .data,
        isWatched: Bool = false,
        isStarted: Bool = false,
        now: @escaping @Sendable () -> NIODeadline = { .now() }
    ) {
        self.identifier = identifier
        self.kind = kind
        originalRequest = request
        self.settings = settings
        self.circumstances =
            settings.transactionObservers.isEmpty ? [] : whole?.circumstances ?? settings.circumstances(of: request)
        uploadOffer = UploadOffer(request, kind, settings)
        self.owner = owner
        self.whole = whole
        hooks = owner == nil ? whole?.hooks : settings.hooks.map { HookLane($0) }
        self.isWatched = isWatched
        guarded = Mutex(State(stage: isStarted ? .running : .created, measuresSpeed: isWatched))
        self.now = now
    }

    deinit {
        guard !isOver.load(ordering: .relaxed) else { return }
        withLock { $0.traffic.finish(now) }.give()
        for stream in withLock({ $0.stateStreams.takeAll() }) { stream.finish() }
    }

    /// Calls the closure with the state, under the lock. The exchanges of the call keep their
    /// states under the same lock.
    func withLock<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        guarded.withLock { body(&$0) }
    }

    /// The task as its user knows it.
    var presented: any SessionTask { whole?.presented ?? withLock { $0.facade } ?? self }

    func present(as task: any SessionTask, serializer: (any Sendable)?) {
        withLock { state in
            state.facade = task
            state.serializer = serializer
        }
    }

    /// The response serializer, where it was noted.
    var serializer: (any Sendable)? { withLock { $0.serializer } }

    func note(serializer: any Sendable) {
        withLock { $0.serializer = serializer }
    }

    // MARK: What is known of it

    var state: TaskState { withLock { state(of: $0) } }

    func state(of state: State) -> TaskState {
        switch state.stage {
        case .created: .suspended
        case .running: isSuspended ? .suspended : .running
        case .complete: .completed
        }
    }

    var currentRequest: Request { withLock { $0.sent }?.request ?? originalRequest }

    var head: ResponseHead? { withLock { $0.head } }

    /// The error that stopped the task, once it was stopped.
    var error: NetworkingError? { withLock { $0.error } }

    /// Looked at for each read.
    var isSuspended: Bool { isSuspendedNow.load(ordering: .acquiring) }

    // MARK: Priority

    /// The priority that was chosen for the task; nil while it is that of its request.
    var chosenPriority: RequestPriority? {
        let number = priorityNumber.load(ordering: .acquiring)
        return number < 0 ? nil : RequestPriority(urgency: number >> 1, isIncremental: number & 1 == 1)
    }

    var priority: RequestPriority {
        get { chosenPriority ?? originalRequest.properties.priority ?? .normal }
        set {
            priorityNumber.store(newValue.urgency << 1 | (newValue.isIncremental ? 1 : 0), ordering: .releasing)
            let (operations, queues) = withLock { ($0.operations, $0.queues) }
            for operation in operations { operation.priorityChanged() }
            for queue in queues { queue() }
        }
    }

    // MARK: Control

    /// Starts a task that was not started, with the closure that runs it; false when it had
    /// started.
    func start(_ run: @escaping @Sendable () async -> Void) -> Bool {
        withLock { state in
            guard case .created = state.stage else { return false }
            state.stage = .running
            tellState(state)
            // Held until the task is complete, and cancelled with it.
            state.runner = Task { await run() }
            return true
        }
    }

    /// Marks the task as started by its caller, who runs it; false when it had started, and when
    /// the caller is to wait until a queue starts it.
    func markStarted() -> Bool {
        withLock { state in
            guard case .created = state.stage, state.queues.isEmpty else { return false }
            state.stage = .running
            tellState(state)
            return true
        }
    }

    /// Marks a task that never started as over, for its caller to end it; false when it had
    /// started.
    func markUnstarted() -> Bool {
        withLock { state in
            guard case .created = state.stage else { return false }
            state.stage = .running
            return true
        }
    }

    /// Has a task that was not started wait for ``start(_:)``: who awaits it does not start it.
    ///
    /// - Parameter queue: Is told that the call got another ``priority``, which may have changed
    ///   again since.
    func waitInQueue(_ queue: @escaping @Sendable () -> Void) {
        withLock { $0.queues.append(queue) }
    }

    func resume() {
        if setSuspended(false) { owner?.suspensionChanged(of: self) }
    }

    func suspend() {
        if setSuspended(true) { owner?.suspensionChanged(of: self) }
    }

    /// Suspends or resumes what is under way; false where that changes nothing.
    @discardableResult
    func setSuspended(_ isSuspended: Bool) -> Bool {
        let operations = withLock { state -> [any Operation]? in
            guard case .running = state.stage, !state.isHandedOver, self.isSuspended != isSuspended else { return nil }
            isSuspendedNow.store(isSuspended, ordering: .releasing)
            tellState(state)
            return state.operations
        }
        guard let operations else { return false }
        for operation in operations { operation.suspensionChanged() }
        return true
    }

    func cancel() {
        guard !isHandedOver else { return }
        stop(NetworkingError(.cancelled, "The request was cancelled."))
    }

    /// Stops everything that is under way, for good; the code that runs the task completes it. The
    /// first error wins.
    func stop(_ error: NetworkingError) {
        let (operations, runner) = withLock { state -> ([any Operation], Task<Void, Never>?) in
            guard state.error == nil else { return ([], nil) }
            state.error = error
            defer {
                state.operation = nil
                state.others = []
            }
            return (state.operations, state.runner)
        }
        for operation in operations { operation.cancel(with: error) }
        runner?.cancel()
    }

    // MARK: What is under way

    /// The number of a new hop; of a part, one of its task.
    func newHop() -> Int {
        if let whole { return whole.newHop() }
        return hops.wrappingAdd(1, ordering: .relaxed).newValue
    }

    /// The number of the hop that began last; 0 before the first one.
    var lastHop: Int { whole?.lastHop ?? hops.load(ordering: .relaxed) }

    /// Attaches an operation, which is stopped and suspended with the call from now on.
    func attach(_ operation: any Operation) throws(NetworkingError) {
        if let error = withLock({ $0.attach(operation) }) { throw error }
    }

    func detach(_ operation: any Operation) {
        withLock { $0.detach(operation) }
    }

    /// Attaches an operation of a call that is over. Returns whether the call was stopped.
    func attachToEnd(_ operation: any Operation) -> Bool {
        withLock { $0.attachToEnd(operation) }
    }

    /// Suspends or resumes what is under way for another call.
    func carry(isSuspended: Bool) {
        let operations = withLock { state in
            isSuspendedNow.store(isSuspended, ordering: .releasing)
            return state.operations
        }
        for operation in operations { operation.suspensionChanged() }
    }

    /// Tells that a request of the call, or of a part of it, is going to be sent again.
    func willRetry(_ retry: TaskRetry) {
        if let whole { return whole.willRetry(retry) }
        withLock { $0.forgetResponse() }
        owner?.call(self, willRetry: retry)
    }

    /// Tells that the call, or a part of it, waits for a network.
    func waitsForConnectivity() {
        if let whole { return whole.waitsForConnectivity() }
        owner?.callWaitsForConnectivity(self)
    }

    // MARK: The end

    /// Notes a response of the last hop with which the call does not complete at once.
    func note(_ response: TransportResponse) {
        withLock { $0.note(response) }
    }

    private typealias Ending = (NetworkingError?, Traffic.Notice?, [AsyncStream<TaskState>.Continuation])

    /// Ends the task, once, with the last hop's response if there was one.
    ///
    /// - Parameters:
    ///   - error: The error of a task that failed.
    ///   - response: The last response.
    ///   - isStopGivenBack: Whether a task that was stopped meanwhile is not ended: its caller has
    ///     to do something before. Default: false.
    ///   - result: What came of a task that did not fail; made only where somebody wants to know.
    /// - Throws: The error of a task that was stopped meanwhile.
    func complete(
        _ error: NetworkingError?,
        _ response: TransportResponse?,
        isStopGivenBack: Bool = false,
        _ result: @autoclosure () -> CallResult = CallResult()
    ) throws(NetworkingError) {
        let (stopped, notice, streams) = withLock { state -> Ending in
            let stopped = error == nil ? state.error : nil
            if case .complete = state.stage { return (stopped, nil, []) }
            if isStopGivenBack, let stopped { return (stopped, nil, []) }
            state.stage = .complete
            state.runner = nil
            if let response { state.note(response) }
            // A task may be kept for long, and its response is not to be.
            if isWatched { state.transactions.settle() }
            isOver.store(true, ordering: .relaxed)
            return (stopped, state.traffic.finish(now), state.stateStreams.takeAll())
        }
        for stream in streams {
            stream.yield(.completed)
            stream.finish()
        }
        if let notice {
            var error = error ?? stopped
            noteEnd()
            if error?.metrics == nil { error?.metrics = metrics }
            owner?.call(self, hasEnded: error) {
                error.map { CallResult(head: $0.response, body: $0.body, value: $0.parsedBody) } ?? result()
            }
            notice.give()
        }
        if let stopped { throw stopped }
    }
}
