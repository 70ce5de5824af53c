import BluebonnetImages
import CGtk
import FoundationEssentials

/// Uses the program as a user would, and says what is to be seen: for tests, for figures, and for
/// pictures of the window.
@MainActor
struct AutomaticRun {
    let window: GalleryWindow
    let options: Options

    /// Runs to the end.
    ///
    /// - Returns: False where it has measured frames that took longer than they may.
    func run() async -> Bool {
        await settle()
        if let file = options.screenshot {
            // The crossing of pages is over.
            try? await Task.sleep(for: .milliseconds(500))
            print(window.savePicture(to: file) ? "saved \(file)" : "could not save \(file)")
        }
        guard options.isAutomatic else { return true }
        tell()
        let before = Self.memory("VmRSS:")
        let meter = FrameMeter(window.widget)
        let mostPixels = await scrollToEnd()
        meter.stop()
        print("scrolled to the end")
        await settle()
        tell()
        let cache = window.library.cache
        print("the cache is \(cache.memoryUsage <= cache.memoryCapacity ? "within" : "beyond") its limit")
        if options.isMeasuring {
            print("frames: \(meter.frameCount), of which \(meter.longFrames) took more than 16 ms")
            print("work for a frame: \(meter.workTimes.text)")
            print("time between frames: \(meter.distanceTimes.text)")
            print("pictures in the cache, at most: \(mebibytes(mostPixels))")
            print("memory of the process: \(mebibytes(before)) before, at most \(mebibytes(Self.memory("VmHWM:")))")
        }
        window.refresh()
        await settle()
        print("refreshed")
        tell()
        await jumpWhileBusy()
        print("jumped to the end, with no time between frames")
        tell()
        return !options.isMeasuring || meter.longFrames == 0
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

    private func mebibytes(_ bytes: Int) -> String { "\(bytes >> 20) MiB" }

    /// A number of bytes that the kernel tells of the process (proc_pid_status(5)): `VmRSS:` is its
    /// memory now, `VmHWM:` the most that it had.
    private static func memory(_ name: String) -> Int {
        let status = try? String(contentsOf: URL(filePath: "/proc/self/status"), encoding: .utf8)
        let line = status?.split(separator: "\n").first { $0.hasPrefix(name) }
        let kibibytes = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }
        return (kibibytes ?? 0) << 10
    }

    // MARK: Waiting and scrolling

    /// Waits until there is nothing more to come: the list is here, and all visible pictures. For
    /// a minute at most.
    private func settle() async {
        let end = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < end {
            try? await Task.sleep(for: .milliseconds(100))
            if window.isSettled { return }
        }
    }

    /// Scrolls to the end at once, and waits for its pictures while there is always other work to
    /// be done, as where frames take longer than they may.
    private func jumpWhileBusy() async {
        var isBusy = true
        betweenFrames { isBusy }
        let adjustment = window.grid.adjustment
        gtk_adjustment_set_value(adjustment, gtk_adjustment_get_upper(adjustment))
        await arrange()
        await settle()
        isBusy = false
    }

    /// Waits until the grid has arranged its cells, which it does in the next frame.
    private func arrange() async {
        var frames = 0
        await withCheckedContinuation { continuation in
            onFrames(of: window.grid.widget) { _ in
                frames += 1
                if frames == 3 { continuation.resume() }
                return frames < 3
            }
        }
    }

    /// Scrolls to the end, a piece for each frame. Returns the most bytes that were in the cache.
    private func scrollToEnd() async -> Int {
        let cache = window.library.cache
        let adjustment = window.grid.adjustment
        let duration = max(options.scrollSeconds, 0.1)
        var began: Double?
        var most = 0
        return await withCheckedContinuation { continuation in
            onFrames(of: window.grid.widget) { time in
                let start = began ?? time
                began = start
                let end = gtk_adjustment_get_upper(adjustment) - gtk_adjustment_get_page_size(adjustment)
                let share = min((time - start) / duration, 1)
                gtk_adjustment_set_value(adjustment, end * share)
                most = max(most, cache.memoryUsage)
                if share == 1 { continuation.resume(returning: most) }
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
