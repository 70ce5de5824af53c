import NIOCore
import Synchronization

/// A response whose head a data task has received, for the task that it becomes.
final class BegunResponse: Sendable {
    /// The data task, as its user knows it.
    let dataTask: any SessionTask
    /// The time at which the data task began.
    let startedAt: NIODeadline
    /// What has called the hooks of the data task.
    let lane: HookLane?
    private let deadline: ExchangeContext.End?
    private let response: Mutex<TransportResponse?>
    private let presentation = TaskEnding<Void>()

    init(_ response: TransportResponse, in context: ExchangeContext) {
        dataTask = context.call.presented
        startedAt = context.call.started.instant ?? .now()
        lane = context.call.hooks
        deadline = context.end
        self.response = Mutex(response)
    }

    /// The context of the task that takes it, which has the deadline of the data task.
    func context(of call: Call) -> ExchangeContext {
        ExchangeContext(call: call, end: deadline, collectsBody: false)
    }

    /// The response, the first time.
    func take() -> TransportResponse? {
        response.withLock { response in
            defer { response = nil }
            return response
        }
    }

    /// Notes that the hook has the new task, or that there is none.
    func present() {
        presentation.end(())
    }

    /// Notes that the new task is over, or reads the response. One that it has not taken is given
    /// up.
    func end() {
        present()
        _ = take()
    }

    /// Returns when the hook has the new task.
    func waitUntilPresented() async {
        await presentation.outcome { present() }
    }
}
