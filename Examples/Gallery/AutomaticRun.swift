import BluebonnetImages
import CGtk
import FoundationEssentials

/// Uses the program as a user would, and says what is to be seen: for tests, for figures, and for
/// pictures of the window.
@MainActor
struct AutomaticRun {
    let window: GalleryWindow
    let options: Options

    func run() async {
        await settle()
        if let file = options.screenshot {
            // The crossing of pages is over.
            try? await Task.sleep(for: .milliseconds(500))
            print(window.savePicture(to: file) ? "saved \(file)" : "could not save \(file)")
        }
        guard options.isAutomatic else { return }
        tell()
        let meter = FrameMeter(window.widget)
        await scrollToEnd()
        meter.stop()
        print("scrolled to the end")
        await settle()
        tell()
        let cache = window.library.cache
        print("the cache is \(cache.memoryUsage <= cache.memoryCapacity ? "within" : "beyond") its limit")
        if options.isMeasuring { report(meter) }
        window.refresh()
        await settle()
        print("refreshed")
        tell()
    }

    /// Says what is to be seen.
    private func tell() {
        switch window.page {
        case .photos:
            let cells = window.grid.visibleCells
            let shown = cells.count { $0.hasPicture }
            let part = shown == cells.count ? "all" : "\(shown) of \(cells.count)"
            print("\(window.photoCount) pictures; \(part) visible ones are here")
        case .loading, .empty, .failure:
            print("page: \(window.page.rawValue)")
        }
    }

    private func report(_ meter: FrameMeter) {
        print("frames: \(meter.frameCount), of which \(meter.longFrames) took more than 16 ms")
        print("work for a frame: \(meter.workTimes.text)")
        print("time between frames: \(meter.distanceTimes.text)")
        print("pictures in memory: \(mebibytes(window.library.cache.memoryUsage))")
        print("memory of the process, at most: \(mebibytes(Self.peakMemory))")
    }

    private func mebibytes(_ bytes: Int) -> String { "\(bytes >> 20) MiB" }

    /// The most memory that the process had (VmHWM of proc_pid_status(5)).
    private static var peakMemory: Int {
        guard let status = try? String(contentsOf: URL(filePath: "/proc/self/status"), encoding: .utf8) else {
            return 0
        }
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return (line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0) << 10
    }

    // MARK: Waiting and scrolling

    /// Waits until there is nothing more to come: the list is here, and all visible pictures. For
    /// 20 seconds at most.
    private func settle() async {
        let end = ContinuousClock.now + .seconds(20)
        while ContinuousClock.now < end {
            try? await Task.sleep(for: .milliseconds(100))
            if window.isSettled { return }
        }
    }

    /// Scrolls to the end, a piece for each frame.
    private func scrollToEnd() async {
        let adjustment = window.grid.adjustment
        let duration = max(options.scrollSeconds, 0.1)
        var began: Double?
        await withCheckedContinuation { continuation in
            onFrames(of: window.grid.widget) { time in
                let start = began ?? time
                began = start
                let end = gtk_adjustment_get_upper(adjustment) - gtk_adjustment_get_page_size(adjustment)
                let share = min((time - start) / duration, 1)
                gtk_adjustment_set_value(adjustment, end * share)
                if share == 1 { continuation.resume() }
                return share < 1
            }
        }
    }
}

extension GalleryWindow {
    /// Saves what the window shows as a PNG.
    func savePicture(to file: String) -> Bool {
        let paintable: OpaquePointer = gtk_widget_paintable_new(widget)
        defer { g_object_unref(UnsafeMutableRawPointer(paintable)) }
        let snapshot: OpaquePointer = gtk_snapshot_new()
        // With the frame around the window, which does not count as a part of its width.
        let width = gdk_paintable_get_intrinsic_width(paintable)
        let height = gdk_paintable_get_intrinsic_height(paintable)
        gdk_paintable_snapshot(paintable, snapshot, Double(width), Double(height))
        guard let node = gtk_snapshot_free_to_node(snapshot) else { return false }
        defer { gsk_render_node_unref(node) }
        guard let texture = gsk_renderer_render_texture(gtk_native_get_renderer(widget.opaque), node, nil) else {
            return false
        }
        defer { g_object_unref(UnsafeMutableRawPointer(texture)) }
        return gdk_texture_save_to_png(texture, file) != 0
    }
}
