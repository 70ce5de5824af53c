import Bluebonnet

/// One line about a transfer, for a terminal.
struct ProgressBar: Equatable, Sendable {
    /// Bytes that were transferred.
    var done: Int
    /// All bytes of the transfer; nil when the length is not known.
    var total: Int?
    /// Bytes in a second.
    var speed: Double?
    var timeLeft: Duration?

    /// The line, as `▕████      ▏ 40% 4.0 MB/10 MB 2.0 MB/s 0:03`; without a bar while the length
    /// is not known.
    ///
    /// A narrow window gets a shorter bar, then none, then fewer numbers.
    ///
    /// - Parameter columns: The width of the window. One column stays free, since some terminals
    ///   wrap when the last one is used.
    /// - Returns: The text, shorter than the window is wide.
    func text(columns: Int) -> String {
        let room = max(0, columns - 1)
        let end = [speed.map { "\(Self.size(Int($0)))/s" }, timeLeft.map(Self.timeLeft)].compactMap(\.self)
        guard let total else { return Self.longest(of: [[Self.size(done)] + end, [Self.size(done)]], in: room) }
        let fraction = total > 0 ? min(1, Double(done) / Double(total)) : 1
        let percent = "\(Int(fraction * 100))%"
        let sizes = "\(Self.size(done))/\(Self.size(total))"
        let numbers = [percent, sizes] + end
        let text = Self.longest(of: [numbers, [percent] + end, [percent, sizes], [percent]], in: room)
        guard text == numbers.joined(separator: " "), let width = Self.barWidth(beside: text, in: room) else {
            return text
        }
        let filled = Int(fraction * Double(width))
        return "▕\(String(repeating: "█", count: filled))\(String(repeating: " ", count: width - filled))▏ \(text)"
    }

    /// The width in steps of 5, so that the bar does not change with every digit behind it.
    private static func barWidth(beside text: String, in room: Int) -> Int? {
        let width = min(30, (room - text.count - 3) / 5 * 5)
        return width >= 10 ? width : nil
    }

    /// The first text that fits.
    private static func longest(of candidates: [[String]], in room: Int) -> String {
        let texts = candidates.map { $0.joined(separator: " ") }
        return texts.first { $0.count <= room } ?? String((texts.last ?? "").prefix(room))
    }

    /// A size with at most three digits: `999 B`, `1.2 kB`, `45 MB`.
    static func size(_ bytes: Int) -> String {
        var value = Double(bytes)
        var unit = "B"
        for larger in ["kB", "MB", "GB", "TB", "PB", "EB"] where value >= 1000 {
            (value, unit) = (value / 1000, larger)
        }
        guard unit != "B", value < 10 else { return "\(Int(value)) \(unit)" }
        let tenths = Int(value * 10)
        return "\(tenths / 10).\(tenths % 10) \(unit)"
    }

    /// The time in whole seconds, rounded up: 0:00 means that nothing is left.
    static func timeLeft(_ duration: Duration) -> String {
        time(.seconds(secondsLeft(duration)))
    }

    /// The seconds, rounded up. A quotient of two durations is not exact.
    static func secondsLeft(_ duration: Duration) -> Int64 {
        let (seconds, attoseconds) = duration.components
        return attoseconds > 0 ? seconds + 1 : seconds
    }

    /// A time: `0:03`, `12:00`, `1:02:03`.
    static func time(_ duration: Duration) -> String {
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let seconds = duration.components.seconds
        let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
        let end = two(seconds % 60)
        return hours > 0 ? "\(hours):\(two(minutes)):\(end)" : "\(minutes):\(end)"
    }
}

extension ProgressBar {
    /// The bar of the upload, where there is one, until the response begins; then of the download.
    init(_ progress: TaskProgress) {
        let transfer = progress.current
        self.init(
            done: transfer.completed,
            total: transfer.total,
            speed: transfer.bytesPerSecond,
            timeLeft: transfer.estimatedTimeRemaining
        )
    }
}

extension ProgressBar {
    /// The line that is left after a download: `big.iso: 20 MB in 5.1 s (3.9 MB/s)`.
    static func summary(of path: String, bytes: Int, duration: Duration) -> String {
        "\(path): \(summary(bytes: bytes, duration: duration))"
    }

    /// Size, time and speed: `20 MB in 5.1 s (3.9 MB/s)`.
    static func summary(bytes: Int, duration: Duration) -> String {
        let seconds = max(duration / .seconds(1), 0.001)
        let time = seconds < 60 ? "\(Int(seconds * 10) / 10).\(Int(seconds * 10) % 10) s" : time(duration)
        return "\(size(bytes)) in \(time) (\(size(Int(Double(bytes) / seconds)))/s)"
    }
}
