import Bluebonnet
import NIOCore

/// What is known of the transfers of one run, and the lines that show it. A value without a clock
/// and without a terminal.
struct TransferBoard: Sendable {
    /// A transfer under way.
    private struct Transfer {
        let number: Int
        var name: String
        let startedAt: NIODeadline
        /// The bytes that an earlier run has transferred.
        var beginning: Int
        var progress = TransferProgress()
        var isWaiting = true

        /// The bytes of this run.
        var transferred: Int { max(0, progress.completed - beginning) }
    }

    /// What one transfer, or all of them, came to.
    struct Sum: Equatable, Sendable {
        /// The size of the file.
        var size = 0
        /// The bytes that this run transferred.
        var transferred = 0
        var duration = Duration.zero

        /// `20 MB in 5.1 s (3.9 MB/s)`, and where an earlier run had a part of it
        /// `20 MB, 10 MB of them in 5.1 s (1.9 MB/s)`.
        var text: String {
            let text = ProgressBar.summary(bytes: transferred, duration: duration)
            return size > transferred ? "\(ProgressBar.size(size)), of which \(text)" : text
        }
    }

    /// The number of transfers, those that have not begun included.
    let count: Int
    /// The transfers that succeeded and failed.
    private(set) var succeeded = 0
    private(set) var failed = 0

    private var active: [Transfer] = []
    private var ended = Sum()
    private var startedAt: NIODeadline
    private var meter = SpeedMeter()
    private var measured = 0
    private var speed: Double?
    private var widestName = 0
    private var tick = 0

    /// - Parameters:
    ///   - count: The number of transfers.
    ///   - now: The time of the start.
    init(count: Int, at now: NIODeadline) {
        self.count = count
        startedAt = now
    }

    // MARK: Events

    /// Begins a transfer.
    ///
    /// - Parameters:
    ///   - number: A number that no other one has.
    ///   - name: Its name on the screen.
    ///   - beginning: The bytes that an earlier run has transferred.
    ///   - now: The time.
    mutating func begin(_ number: Int, name: String, from beginning: Int = 0, at now: NIODeadline) {
        active.append(Transfer(number: number, name: "", startedAt: now, beginning: beginning))
        rename(number, to: name)
    }

    /// Gives a transfer another name.
    mutating func rename(_ number: Int, to name: String) {
        guard let index = active.firstIndex(where: { $0.number == number }) else { return }
        active[index].name = ShownText.harmless(name)
        widestName = max(widestName, ShownText.width(of: active[index].name))
    }

    /// Notes the progress of a transfer.
    ///
    /// - Parameters:
    ///   - number: Its number.
    ///   - progress: The bytes so far, those of an earlier run included.
    ///   - isWaiting: Whether no response is known. Bytes of one may be counted a moment before.
    mutating func update(_ number: Int, _ progress: TransferProgress, isWaiting: Bool) {
        guard let index = active.firstIndex(where: { $0.number == number }) else { return }
        active[index].progress = progress
        active[index].isWaiting = isWaiting && progress.completed <= active[index].beginning
        // The server has begun again.
        if !isWaiting, progress.completed < active[index].beginning { active[index].beginning = 0 }
    }

    /// Ends a transfer.
    ///
    /// - Parameters:
    ///   - number: Its number.
    ///   - size: The size of the file; nil when the transfer failed.
    ///   - wasThere: Whether nothing of it had to be transferred.
    ///   - now: The time.
    /// - Returns: What it came to.
    mutating func end(_ number: Int, size: Int?, wasThere: Bool = false, at now: NIODeadline) -> Sum {
        guard let index = active.firstIndex(where: { $0.number == number }) else { return Sum() }
        var transfer = active.remove(at: index)
        if let size {
            succeeded += 1
            if size < transfer.beginning { transfer.beginning = 0 }
            if wasThere { transfer.beginning = size }
            transfer.progress.completed = size
            ended.size += size
        } else {
            failed += 1
        }
        ended.transferred += transfer.transferred
        return Sum(
            size: size ?? 0,
            transferred: transfer.transferred,
            duration: duration(from: transfer.startedAt, now)
        )
    }

    /// What the transfers came to that have succeeded.
    func sum(at now: NIODeadline) -> Sum {
        Sum(size: ended.size, transferred: ended.transferred, duration: duration(from: startedAt, now))
    }

    private func duration(from start: NIODeadline, _ now: NIODeadline) -> Duration {
        .nanoseconds((now - start).nanoseconds)
    }

    /// Measures the speed of all transfers together, and moves what moves.
    mutating func measure(at now: NIODeadline) {
        tick += 1
        let transferred = active.reduce(ended.transferred) { $0 + $1.transferred }
        meter.add(transferred - measured, at: now)
        // A transfer that begins again takes bytes back.
        measured = max(measured, transferred)
        speed = meter.speed(at: now)
    }

    // MARK: Lines

    /// The lines for a window: one for each transfer under way, as many as there is room for, and
    /// with several transfers one for all of them.
    ///
    /// - Parameters:
    ///   - size: The size of the window.
    ///   - paint: The colours.
    /// - Returns: The lines, fewer than the window has.
    func rows(in size: Terminal.Size, paint: Paint = Paint(isOn: false)) -> [StatusLines.Row] {
        let room = max(1, size.rows - 1)
        guard count > 1 else { return lines(active.prefix(room), size, paint) }
        let mostActive = room - 1
        guard active.count > mostActive else { return lines(active[...], size, paint) + [totalRow(size, paint)] }
        let shown = max(0, mostActive - 1)
        let rest = StatusLines.Row(
            ShownText.shortened("… and \(active.count - shown) more", to: max(0, size.columns - 1))
        )
        return lines(active.prefix(shown), size, paint) + (mostActive > 0 ? [rest] : []) + [totalRow(size, paint)]
    }

    private func lines(_ transfers: ArraySlice<Transfer>, _ size: Terminal.Size, _ paint: Paint) -> [StatusLines.Row] {
        transfers.map { transfer in
            TransferLine(name: transfer.name, transfer.progress, isWaiting: transfer.isWaiting)
                .row(columns: size.columns, widestName: nameWidth, tick: tick, paint: paint)
        }
    }

    /// The total has a name, too: `12/1000, 3 failed`.
    private var nameWidth: Int { max(widestName, ShownText.width(of: totalName)) }

    private var totalName: String {
        "\(succeeded)/\(count)\(failed > 0 ? ", \(failed) failed" : "")"
    }

    private func totalRow(_ size: Terminal.Size, _ paint: Paint) -> StatusLines.Row {
        total.row(columns: size.columns, widestName: nameWidth, tick: tick, paint: paint)
    }

    /// The line for all transfers. Its part is that of the bytes where all lengths are known, and
    /// otherwise that of the files.
    var total: TransferLine {
        let done = active.reduce(ended.size) { $0 + $1.progress.completed }
        var line = TransferLine(name: totalName, done: done, speed: speed)
        let lengths = active.compactMap(\.progress.total)
        guard succeeded + failed + active.count == count, lengths.count == active.count else {
            let parts = active.reduce(0.0) { $0 + ($1.progress.fractionCompleted ?? 0) }
            line.fraction = (Double(succeeded + failed) + parts) / Double(max(1, count))
            return line
        }
        // Lengths are what servers say.
        let total = lengths.reduce(ended.size) { sum, length in
            let (sum, overflows) = sum.addingReportingOverflow(length)
            return overflows ? .max : sum
        }
        let progress = TransferProgress(completed: done, total: total, bytesPerSecond: speed)
        line.total = total
        line.fraction = progress.fractionCompleted
        line.timeLeft = progress.estimatedTimeRemaining
        return line
    }
}
