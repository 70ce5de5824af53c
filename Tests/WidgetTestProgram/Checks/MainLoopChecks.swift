#if GTK
    import BluebonnetGTK
    import CGtk4
    import Dispatch
    import Glibc

    extension Check {
        static let mainLoop = [
            Check("main thread") { report in
                report.expect(bluebonnet_is_main_thread() != 0, "a check is not on the main thread")
                try await Task.sleep(for: .milliseconds(1))
                report.expect(bluebonnet_is_main_thread() != 0, "not on the main thread after a sleep")
                let isMain = await Task.detached {
                    let isMain = await MainActor.run { bluebonnet_is_main_thread() != 0 }
                    return isMain && bluebonnet_is_main_thread() == 0
                }.value
                report.expect(isMain, "the main actor has another thread")
                let isMainQueue = await withCheckedContinuation { continuation in
                    DispatchQueue.main.async { continuation.resume(returning: bluebonnet_is_main_thread() != 0) }
                }
                report.expect(isMainQueue, "the main queue has another thread")
            },
            Check("callbacks of C") { report in
                unsafe g_timeout_add_full(G_PRIORITY_DEFAULT, 1, callback, nil, nil)
                try await until("the callback was called") { Callback.wasCalled }
                report.expect(Callback.wasCalled, "it was not")
            },
            Check("attached twice") { report in
                let before = sourceCount
                try GTKMainLoop.attach()
                report.expect(sourceCount, is: before)
            },
            Check("idle") { report in
                let window = try await TestWindow(.makePicture())
                // What GTK does at its start is over.
                _ = try await restingSourceCount()
                let before = processorTime
                try await Task.sleep(for: .seconds(1))
                let used = processorTime - before
                report.expect(used < .milliseconds(20), "\(used) of the processor in an idle second")
                window.close()
            },
        ]

        /// The time of the processor that the process has taken.
        private static var processorTime: Duration {
            var time = timespec()
            _ = unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
            return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
        }
    }

    @MainActor
    private enum Callback {
        static var wasCalled = false
    }

    private func callback(_: gpointer?) -> gboolean {
        MainActor.assumeIsolated { Callback.wasCalled = true }
        return 0
    }

    /// The number of sources that wait for a time or a descriptor in the main loop, those that GTK
    /// has among them.
    @MainActor var sourceCount: Int {
        var count = 0
        // The numbers of sources rise by one from 1, and each is known to its context.
        for number in 1...sourceNumber where unsafe g_main_context_find_source_by_id(nil, number) != nil {
            count += 1
        }
        return count
    }

    /// The number of sources when GTK has drawn what it had to: it has some for each frame.
    @MainActor
    func restingSourceCount() async throws -> Int {
        var (least, turns) = (sourceCount, 0)
        while turns < 30 {
            try await Task.sleep(for: .milliseconds(5))
            turns = sourceCount < least ? 0 : turns + 1
            least = min(least, sourceCount)
        }
        return least
    }

    /// The number of the newest source.
    @MainActor private var sourceNumber: guint {
        let number = unsafe g_timeout_add_full(G_PRIORITY_DEFAULT, 1_000_000, callback, nil, nil)
        g_source_remove(number)
        return number
    }
#endif
