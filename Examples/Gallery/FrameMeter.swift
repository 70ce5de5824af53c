import CGtk

/// Measures the frames of a window: the time that the main thread works for each, and the time from
/// one to the next.
@MainActor
final class FrameMeter {
    /// The milliseconds of all frames, the shortest first.
    struct Times {
        let sorted: [Double]

        init(_ times: [Double]) {
            sorted = times.sorted()
        }

        /// The time that a share of the frames does not exceed.
        func percentile(_ share: Double) -> Double {
            sorted.isEmpty ? 0 : sorted[min(Int(Double(sorted.count) * share), sorted.count - 1)]
        }

        var text: String {
            [("median", 0.5), ("95 %", 0.95), ("99 %", 0.99), ("longest", 1)]
                .map { "\($0) \(Self.rounded(percentile($1))) ms" }.joined(separator: ", ")
        }

        private static func rounded(_ value: Double) -> Double { (value * 10).rounded() / 10 }
    }

    private var isRunning = true
    private var began: gint64 = 0
    private var work: [Double] = []
    private var distances: [Double] = []

    /// Begins to measure.
    init(_ widget: Widget) {
        let clock: OpaquePointer = gtk_widget_get_frame_clock(widget)
        connect(clock, "before-paint") { [weak self] in
            guard let self, isRunning else { return }
            let now = g_get_monotonic_time()
            if began != 0 { distances.append(Double(now - began) / 1000) }
            began = now
        }
        connect(clock, "after-paint") { [weak self] in
            guard let self, isRunning, began != 0 else { return }
            work.append(Double(g_get_monotonic_time() - began) / 1000)
        }
    }

    /// Ends to measure.
    func stop() { isRunning = false }

    var frameCount: Int { work.count }
    /// The work of the main thread for each frame: style, layout, drawing.
    var workTimes: Times { Times(work) }
    /// The time from the beginning of a frame to that of the next one.
    var distanceTimes: Times { Times(distances) }
    /// The number of frames with more than 16 ms of work.
    var longFrames: Int { work.count { $0 > 16 } }
}
