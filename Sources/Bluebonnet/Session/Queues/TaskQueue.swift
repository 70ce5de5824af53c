import FoundationEssentials
import Synchronization

/// Starts tasks in order, so many at a time.
///
/// <!-- snippet:
/// let session = SessionManager()
/// let tasks = [session.dataTask(for: Request(url: URL(filePath: "/")))]
/// -->
/// ```swift
/// let queue = TaskQueue(maximumConcurrentTasks: 4)
/// let batch = queue.add(tasks)
/// batch.onProgress { print("\($0.finished) of \($0.total)") }
/// await batch.finish()
/// ```
///
/// Tasks that were not started are added; the queue starts them when it is their turn. Awaiting the
/// value of a task that is in a queue waits for its turn; ``SessionTask/resume()`` starts it at
/// once, beside the others. Those of the lowest ``RequestPriority/urgency`` come first. Among
/// equals every host gets its share: it is the turn of the host with the fewest running tasks. The
/// tasks of one host start in the order in which they were added.
///
/// A task that is cancelled while it waits leaves the queue. One that is suspended while it runs
/// keeps its place. The queue holds its tasks until they are over, and goes on when the last
/// reference to it is released; one that is suspended then cancels its tasks.
///
/// A queue is not needed to protect a server: a session opens at most
/// ``SessionConfiguration/maximumConnectionsPerHost`` connections to each host, and further
/// requests wait for one. Their timeouts run meanwhile, those of a task in a queue do not.
///
/// Counterpart of the `operationQueue` of AFNetworking 1 and 2, an `NSOperationQueue`.
public final class TaskQueue: Sendable {
    fileprivate struct State {
        var machine: StateMachine<ObjectIdentifier>
        var tasks: [ObjectIdentifier: any ValueTask] = [:]
        var isSuspended = false
        /// While it is not zero, tasks are being cancelled, and none may start.
        var holds = 0
        /// Whether a thread starts tasks: one after the other, in their order.
        var isStarting = false
        /// Keeps a queue that has something to do.
        var anchor: TaskQueue?
    }

    private let state: Mutex<State>

    /// The most tasks that run at the same time.
    public let maximumConcurrentTasks: Int

    /// The most tasks with the same host that run at the same time.
    public let maximumConcurrentTasksPerHost: Int

    /// Makes a queue.
    ///
    /// - Parameters:
    ///   - maximumConcurrentTasks: The most tasks that run at the same time; less than 1 counts as
    ///     1. Default: 6.
    ///   - maximumConcurrentTasksPerHost: The most of them with the same host; less than 1 counts
    ///     as 1. Default: no limit of its own.
    public init(maximumConcurrentTasks: Int = 6, maximumConcurrentTasksPerHost: Int = .max) {
        self.maximumConcurrentTasks = max(1, maximumConcurrentTasks)
        self.maximumConcurrentTasksPerHost = max(1, maximumConcurrentTasksPerHost)
        state = Mutex(
            State(
                machine: StateMachine(
                    maximum: max(1, maximumConcurrentTasks),
                    maximumPerHost: max(1, maximumConcurrentTasksPerHost)
                )
            )
        )
    }

    deinit {
        // Nobody would start them.
        for task in state.withLock({ Array($0.tasks.values) }) { task.cancel() }
    }

    // MARK: What is in it

    /// The tasks that are not over, in no particular order.
    public var tasks: [any SessionTask] {
        state.withLock { Array($0.tasks.values) }
    }

    /// The number of tasks that are not over.
    public var count: Int { state.withLock { $0.machine.count } }

    /// The number of tasks that the queue has started and that are not over.
    public var runningCount: Int { state.withLock { $0.machine.runningCount } }

    // MARK: Adding

    /// Adds a task, which starts when it is its turn. A task that is in the queue already stays
    /// where it is.
    ///
    /// - Parameter task: The task.
    public func add(_ task: any ValueTask) {
        hold([task])
        watch(task)
        startTasks()
    }

    /// Adds a task that starts after others are over, with a value or an error, in this queue or
    /// elsewhere. One that waits in the queue already waits for them too.
    ///
    /// - Parameters:
    ///   - task: The task.
    ///   - dependencies: The tasks that it waits for. Tasks of two queues that wait for each other
    ///     are not noticed.
    /// - Throws: ``NetworkingError`` with ``NetworkingError/Code/invalidRequest`` when the queue
    ///   has started the task already, and when one of the others waits for this task in this
    ///   queue, so that both would wait for ever. Nothing is changed then.
    public func add(_ task: any ValueTask, after dependencies: [any ValueTask]) throws(NetworkingError) {
        let identity = ObjectIdentifier(task)
        let others = Set(dependencies.map { ObjectIdentifier($0) })
        let fault = state.withLock { state -> String? in
            if state.machine.isRunning(identity) { return "is under way already, and cannot wait for another one" }
            guard !others.contains(identity), !others.contains(where: { state.machine.waits($0, for: identity) })
            else { return "was to wait for a task that waits for it" }
            state.add(task, to: self, after: others)
            return nil
        }
        if let fault {
            throw NetworkingError(.invalidRequest, "\(task.originalRequest) \(fault).", request: task.originalRequest)
        }
        for dependency in dependencies { watch(dependency) }
        watch(task)
        startTasks()
    }

    /// Adds tasks, and groups them.
    ///
    /// - Parameter tasks: The tasks; none make a batch that is finished.
    /// - Returns: What tells when they are over.
    @discardableResult
    public func add(_ tasks: [any ValueTask]) -> TaskBatch {
        hold(tasks)
        for task in tasks { watch(task) }
        // After those of the queue, which knows of an end before the batch does.
        let batch = TaskBatch(tasks, in: self)
        startTasks()
        return batch
    }

    /// Changes ``SessionTask/priority`` of a task that waits, which moves it in the queue: to the
    /// end of those that have its new urgency. For a task of a session it is the same to set that
    /// property.
    ///
    /// - Parameters:
    ///   - priority: The new priority; for the order, its ``RequestPriority/urgency`` counts.
    ///   - task: The task.
    public func setPriority(_ priority: RequestPriority, of task: any ValueTask) {
        task.priority = priority
        priorityChanged(of: ObjectIdentifier(task)) { task.priority }
    }

    /// Reads the priority under the lock, so that of two changes at the same time the last one
    /// counts.
    fileprivate func priorityChanged(of task: ObjectIdentifier, _ priority: () -> RequestPriority) {
        state.withLock { $0.machine.setUrgency(priority().urgency, of: task) }
    }

    // MARK: Control

    /// Starts no further task until ``resume()``; those that run go on. A task whose turn has come
    /// at this moment still starts.
    public func suspend() {
        let anchor = state.withLock { state in
            state.isSuspended = true
            return state.takeAnchor(self)
        }
        _ = anchor
    }

    /// Starts tasks again after ``suspend()``.
    public func resume() {
        state.withLock { $0.isSuspended = false }
        startTasks()
    }

    /// Cancels all tasks that are in the queue now.
    public func cancelAllTasks() {
        cancel(state.withLock { Array($0.tasks.values) })
    }

    /// Cancels tasks, and starts none meanwhile.
    func cancel(_ tasks: [any ValueTask]) {
        state.withLock { $0.holds += 1 }
        for task in tasks { task.cancel() }
        state.withLock { $0.holds -= 1 }
        startTasks()
    }

    // MARK: The run

    private func hold(_ tasks: [any ValueTask]) {
        state.withLock { state in
            for task in tasks { state.add(task, to: self) }
        }
    }

    private func watch(_ task: some ValueTask) {
        // An address is not used again before this was called, also when the task is released
        // without a start.
        let identity = ObjectIdentifier(task)
        task.whenOver { [weak self] _ in self?.ended(identity) }
    }

    private func ended(_ identity: ObjectIdentifier) {
        // Released outside of the lock: its end may call code of the user's.
        let task = state.withLock { state in
            state.machine.ended(identity)
            return state.tasks.removeValue(forKey: identity)
        }
        startTasks()
        _ = task
    }

    private func startTasks() {
        while true {
            let (task, anchor, isLast) = state.withLock { state -> ((any ValueTask)?, TaskQueue?, Bool) in
                guard !state.isStarting else { return (nil, nil, true) }
                let anchor = state.takeAnchor(self)
                guard !state.isSuspended, state.holds == 0, let next = state.machine.next() else {
                    return (nil, anchor, true)
                }
                state.isStarting = true
                return (state.tasks[next], anchor, false)
            }
            _ = anchor
            guard !isLast else { return }
            task?.startInQueue()
            state.withLock { $0.isStarting = false }
        }
    }
}

extension TaskQueue.State {
    fileprivate mutating func add(
        _ task: any ValueTask,
        to queue: TaskQueue,
        after others: Set<ObjectIdentifier> = []
    ) {
        let request = task.originalRequest
        if !machine.contains(ObjectIdentifier(task)) { (task as? any QueuedTask)?.wait(in: queue) }
        machine.add(
            ObjectIdentifier(task),
            host: request.url.host(percentEncoded: false)?.lowercased() ?? "",
            urgency: task.priority.urgency,
            after: others
        )
        tasks[ObjectIdentifier(task)] = task
    }

    /// Holds the queue while it can go on. Returns what was held, to be released outside the lock.
    fileprivate mutating func takeAnchor(_ queue: TaskQueue) -> TaskQueue? {
        defer { anchor = machine.runningCount > 0 || machine.count > 0 && !isSuspended ? queue : nil }
        return anchor
    }
}

/// A task that knows that it waits in a queue.
private protocol QueuedTask: ValueTask {
    associatedtype Work: Sendable

    var core: TaskCore<Work> { get }
    func work() async throws(NetworkingError) -> Work
}

extension QueuedTask {
    func wait(in queue: TaskQueue) {
        let identity = ObjectIdentifier(self)
        core.call.waitInQueue { [weak queue, weak call = core.call] in
            guard let queue, let call else { return }
            queue.priorityChanged(of: identity) { call.priority }
        }
    }

    func start() {
        core.start(work)
    }

    func watch(_ body: @escaping @Sendable (_ hasFailed: Bool) -> Void) {
        core.ending.whenThere { body($0.hasFailed) }
    }
}

extension DataTask: QueuedTask {}
extension UploadTask: QueuedTask {}
extension DownloadTask: QueuedTask {}

extension ValueTask {
    /// Starts a task whose turn has come. One that was started and suspended stays suspended.
    fileprivate func startInQueue() {
        if let task = self as? any QueuedTask { task.start() } else { resume() }
    }

    /// Calls the closure once when the task is over; at once if it is over. Who only watches is not
    /// one who waits for the result, which a journal keeps until there is one.
    package func whenOver(_ body: @escaping @Sendable (_ hasFailed: Bool) -> Void) {
        guard let task = self as? any QueuedTask else { return whenComplete { body($0.hasFailed) } }
        task.watch(body)
    }
}

extension Result {
    fileprivate var hasFailed: Bool {
        if case .failure = self { true } else { false }
    }
}
