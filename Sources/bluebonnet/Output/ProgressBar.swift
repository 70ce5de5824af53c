import Bluebonnet

/// One line about a transfer, for a terminal.
struct ProgressBar: Equatable, Sendable {
    /// Bytes that went by.
    var done: Int
    /// Bytes in all, when that is known.
    var total: Int?
    /// Bytes in a second.
    var speed: Double?
    var timeLeft: Duration?

    /// The line, as `▕████      ▏ 40% 4.0/10.0 MB 2.0 MB/s 0:03`; without a bar while the length is not known.
    var text: String {
        var parts: [String] = []
        if let total {
            let fraction = total > 0 ? min(1, Double(done) / Double(total)) : 1
            let filled = Int(fraction * Double(Self.width))
            let bar = String(repeating: "█", count: filled) + String(repeating: " ", count: Self.width - filled)
            parts.append("▕\(bar)▏ \(Int(fraction * 100))%")
            parts.append("\(Self.size(done))/\(Self.size(total))")
        } else {
            parts.append(Self.size(done))
        }
        if let speed { parts.append("\(Self.size(Int(speed)))/s") }
        if let timeLeft { parts.append(Self.time(timeLeft)) }
        return parts.joined(separator: " ")
    }

    private static let width = 30

    /// Three digits are enough: `999 B`, `1.2 kB`, `45 MB`.
    private static func size(_ bytes: Int) -> String {
        var value = Double(bytes)
        var unit = "B"
        for larger in ["kB", "MB", "GB", "TB"] where value >= 1000 { (value, unit) = (value / 1000, larger) }
        guard unit != "B", value < 10 else { return "\(Int(value)) \(unit)" }
        let tenths = Int(value * 10)
        return "\(tenths / 10).\(tenths % 10) \(unit)"
    }

    /// `0:03`, `12:00`, `1:02:03`.
    private static func time(_ duration: Duration) -> String {
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let seconds = duration.components.seconds
        let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
        let end = two(seconds % 60)
        return hours > 0 ? "\(hours):\(two(minutes)):\(end)" : "\(minutes):\(end)"
    }
}

extension ProgressBar {
    /// The upload until the response begins, then the download.
    init(_ progress: TaskProgress) {
        if progress.bytesReceived > 0 || progress.bytesExpectedToReceive != nil {
            self.init(done: progress.bytesReceived, total: progress.bytesExpectedToReceive)
        } else {
            self.init(done: progress.bytesSent, total: progress.bytesExpectedToSend)
        }
        speed = progress.bytesPerSecond
        timeLeft = progress.estimatedTimeRemaining
    }
}
