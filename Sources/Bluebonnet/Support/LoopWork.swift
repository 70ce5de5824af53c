import NIOCore
import Synchronization

/// Work for an event loop that must not be lost, and what to do when the loop does not take it.
///
/// A loop that was shut down drops work without notice: no error, and a future of `submit` that is
/// never fulfilled.
protocol LoopWork: Sendable {
    /// Runs on the event loop.
    func run()
    /// The loop was shut down. Runs on the thread that gave it the work.
    func wasDropped()
}

extension LoopWork {
    /// Runs the work on the event loop, later than this call, or calls ``wasDropped()``; one of the
    /// two happens for certain.
    func execute(on eventLoop: any EventLoop) {
        let once = LoopWorkOnce(self)
        eventLoop.execute { once.run() }
    }
}

/// Is held by the closure only: when the closure was dropped, this object is released without a
/// run.
private final class LoopWorkOnce<Work: LoopWork>: Sendable {
    private let work: Work
    private let hasRun = Atomic(false)

    init(_ work: Work) {
        self.work = work
    }

    deinit {
        if !hasRun.load(ordering: .relaxed) { work.wasDropped() }
    }

    func run() {
        hasRun.store(true, ordering: .relaxed)
        work.run()
    }
}
