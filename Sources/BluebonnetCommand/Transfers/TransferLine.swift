import Bluebonnet

/// One line about one of several transfers. Its parts stand in columns below those of the others.
struct TransferLine: Equatable, Sendable {
    var name: String
    /// Bytes that were transferred.
    var done = 0
    /// All bytes; nil when the length is not known.
    var total: Int?
    /// The part that is transferred, 0 to 1; nil when it is not known.
    var fraction: Double?
    /// Bytes in a second.
    var speed: Double?
    var timeLeft: Duration?
    /// Whether no response has begun.
    var isWaiting = false

    // The columns of ` 40%`, `123 MB/456 MB`, `123 MB/s` and `12:34:56`.
    private static let percentWidth = 4
    private static let sizesWidth = 13
    private static let speedWidth = 8
    private static let timeWidth = 8
    private static let allNumbers = percentWidth + sizesWidth + speedWidth + timeWidth + 3
    private static let fewNumbers = percentWidth + speedWidth + timeWidth + 2

    /// The narrowest name beside a progress bar, beside all numbers, and beside few of them.
    private static let narrowestNames = (bar: 14, all: 10, few: 8)
    /// The narrowest and the widest progress bar, with its two ends.
    private static let barWidths = 12...32
    /// The width of the part that moves in the bar of a transfer of unknown length.
    private static let markWidth = 3

    /// The line: name, bar, percent, sizes, speed, time left.
    ///
    /// A narrow window gets no bar, then fewer numbers; a name that does not fit is shortened.
    ///
    /// - Parameters:
    ///   - columns: The width of the window, of which one column stays free.
    ///   - widestName: The widest name of all lines.
    ///   - tick: The number of the drawing, which moves the bar of a transfer of unknown length.
    ///   - paint: The colours.
    /// - Returns: The line.
    func row(columns: Int, widestName: Int, tick: Int = 0, paint: Paint = Paint(isOn: false)) -> StatusLines.Row {
        let room = max(0, columns - 1)
        let shared = room - Self.allNumbers - 2
        if shared >= Self.narrowestNames.bar + Self.barWidths.lowerBound {
            let bar = min(Self.barWidths.upperBound, max(Self.barWidths.lowerBound, shared * 2 / 5))
            let name = ShownText.fitted(self.name, to: min(widestName, shared - bar))
            let end = allNumbers
            return StatusLines.Row(
                "\(name) \(self.bar(width: bar - 2, tick: tick, paint: paint)) \(end)",
                width: ShownText.width(of: name) + bar + end.count + 2
            )
        }
        if room >= Self.allNumbers + 1 + Self.narrowestNames.all { return row(allNumbers, in: room, widestName) }
        if room >= Self.fewNumbers + 1 + Self.narrowestNames.few { return row(fewNumbers, in: room, widestName) }
        if room >= Self.percentWidth + 1 + 4 {
            return row(Self.right(percent, Self.percentWidth), in: room, widestName)
        }
        return StatusLines.Row(String(percent.prefix(room)))
    }

    private func row(_ numbers: String, in room: Int, _ widestName: Int) -> StatusLines.Row {
        let name = ShownText.fitted(name, to: min(widestName, room - 1 - numbers.count))
        return StatusLines.Row("\(name) \(numbers)")
    }

    // MARK: Parts

    private var percent: String { fraction.map { "\(Int(max(0, min(1, $0)) * 100))%" } ?? "" }

    private var allNumbers: String {
        let sizes = total.map { "\(ProgressBar.size(done))/\(ProgressBar.size($0))" } ?? ProgressBar.size(done)
        return
            "\(Self.right(percent, Self.percentWidth)) \(Self.right(isWaiting ? "waiting" : sizes, Self.sizesWidth)) "
            + "\(Self.right(speedText, Self.speedWidth)) \(Self.right(timeText, Self.timeWidth))"
    }

    private var fewNumbers: String {
        let speed = isWaiting ? "waiting" : speedText
        return "\(Self.right(percent, Self.percentWidth)) \(Self.right(speed, Self.speedWidth)) "
            + Self.right(timeText, Self.timeWidth)
    }

    private var speedText: String { isWaiting ? "" : speed.map { "\(ProgressBar.size(Int($0)))/s" } ?? "" }

    /// Beyond some days nobody needs the minutes; `--:--` stands for a time that is not
    /// known or useless.
    private var timeText: String {
        guard !isWaiting, total != nil else { return "" }
        guard let timeLeft else { return "--:--" }
        // The last second is shown as one.
        let seconds = ProgressBar.secondsLeft(timeLeft)
        let days = seconds / 86_400
        if days < 4 { return ProgressBar.time(.seconds(seconds)) }
        return days < 1_000 ? "\(days) days" : "--:--"
    }

    private static func right(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }

    private func bar(width: Int, tick: Int, paint: Paint) -> String {
        guard fraction == nil else {
            let filled = Int(max(0, min(1, fraction ?? 0)) * Double(width))
            return bar(before: 0, filled, width, paint)
        }
        guard !isWaiting else { return bar(before: 0, 0, width, paint) }
        // To the right end and back.
        let way = max(1, width - Self.markWidth)
        let position = tick % (2 * way)
        return bar(before: position < way ? position : 2 * way - position, Self.markWidth, width, paint)
    }

    private func bar(before: Int, _ filled: Int, _ width: Int, _ paint: Paint) -> String {
        let space = { String(repeating: " ", count: max(0, $0)) }
        let blocks = filled > 0 ? paint(String(repeating: "█", count: filled), .name) : ""
        return "▕\(space(before))\(blocks)\(space(width - before - filled))▏"
    }
}

extension TransferLine {
    /// The line of one transfer.
    init(name: String, _ progress: TransferProgress, isWaiting: Bool) {
        self.init(
            name: name,
            done: progress.completed,
            total: progress.total,
            fraction: progress.fractionCompleted,
            speed: progress.bytesPerSecond,
            timeLeft: progress.estimatedTimeRemaining,
            isWaiting: isWaiting
        )
    }
}
