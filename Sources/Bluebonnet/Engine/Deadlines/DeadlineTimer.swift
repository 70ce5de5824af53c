import NIOCore

/// Something on an event loop that must act when a point in time passes.
protocol DeadlineHolder: AnyObject {
    /// The time to act; nil means never. Read by the timer, changed freely by its owner.
    var nextDeadline: NIODeadline? { get }
    /// Acts, because the deadline has passed.
    func deadlinePassed(now: NIODeadline)
}

/// One coarse timer for all deadlines of an event loop, so that a request neither schedules nor
/// cancels anything.
///
/// It is armed for the earliest deadline it knows. A deadline that moves to later costs nothing:
/// when the timer fires, it looks at all holders, calls those whose time has come and arms itself
/// for the earliest that is left. Fires at most every 5 ms.
final class DeadlineTimer {
    private static let granularity = TimeAmount.milliseconds(5)

    private let eventLoop: any EventLoop
    private var holders: [ObjectIdentifier: any DeadlineHolder] = [:]
    private var armed: (at: NIODeadline, task: Scheduled<Void>)?

    init(eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    var isEmpty: Bool { holders.isEmpty }

    func add(_ holder: any DeadlineHolder) {
        holders[ObjectIdentifier(holder)] = holder
        if let deadline = holder.nextDeadline { arm(for: deadline) }
    }

    func remove(_ holder: any DeadlineHolder) {
        holders[ObjectIdentifier(holder)] = nil
        guard holders.isEmpty else { return }
        armed?.task.cancel()
        armed = nil
    }

    /// Arms the timer for a deadline that may be earlier than all others.
    func arm(for deadline: NIODeadline) {
        if let armed {
            guard deadline < armed.at else { return }
            armed.task.cancel()
        }
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        armed = (deadline, eventLoop.scheduleTask(deadline: deadline) { bound.value.fire() })
    }

    private func fire() {
        armed = nil
        let now = eventLoop.now
        for holder in Array(holders.values) {
            guard let deadline = holder.nextDeadline, deadline <= now else { continue }
            holder.deadlinePassed(now: now)
        }
        if let earliest = holders.values.compactMap(\.nextDeadline).min() {
            arm(for: max(earliest, now + Self.granularity))
        }
    }
}
