#if Images
    import Synchronization

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #else
        import Darwin
    #endif

    /// Memory pressure as Linux tells it: a trigger of PSI
    /// (Documentation/accounting/psi.rst, "Monitoring for pressure thresholds"), and the events of
    /// the control group. Both are priority events of `poll`.
    final class SystemMemoryPressure: MemoryPressureSource {
        /// A wait of 200 ms within 2 s. Windows of other lengths need privileges.
        private static let trigger = "some 200000 2000000\0"

        private let trigger: CInt?
        private let events: CInt?
        /// The ends of the pipe that stops a wait.
        private let (stopped, stopping): (CInt, CInt)
        /// Nil where there are none to wait for.
        private let lastEvents: Mutex<MemoryEvents?>

        /// Nil where the system tells nothing.
        convenience init?() {
            let folder = Self.contents("/proc/self/cgroup").flatMap(MemoryEvents.folder(in:))
            // The group of the process may be short of memory where the machine is not.
            self.init(
                trigger: folder.flatMap { Self.openTrigger($0 + "/memory.pressure") }
                    ?? Self.openTrigger("/proc/pressure/memory"),
                events: folder.flatMap { Self.open($0 + "/memory.events", O_RDONLY) }
            )
        }

        /// Takes the files, which it closes.
        init?(trigger: CInt?, events: CInt?) {
            (self.trigger, self.events) = (trigger, events)
            lastEvents = Mutex(events.map { MemoryEvents(Self.read($0) ?? "") })
            var ends: [CInt] = [-1, -1]
            let hasPipe = trigger != nil || events != nil ? unsafe pipe(&ends) == 0 : false
            (stopped, stopping) = (ends[0], ends[1])
            guard hasPipe else { return nil }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        }

        deinit {
            for file in [trigger, events, stopped, stopping] {
                if let file, file >= 0 { close(file) }
            }
        }

        func wait() -> Bool {
            while true {
                let waitsForEvents = lastEvents.withLock { $0 != nil }
                guard waitsForEvents || trigger != nil else { return false }
                // A negative descriptor is left out.
                var files = [
                    pollfd(fd: stopped, events: Int16(POLLIN), revents: 0),
                    pollfd(fd: trigger ?? -1, events: Int16(POLLPRI), revents: 0),
                    pollfd(fd: waitsForEvents ? events ?? -1 : -1, events: Int16(POLLPRI), revents: 0),
                ]
                guard unsafe poll(&files, nfds_t(files.count), -1) >= 0 else {
                    guard errno == EINTR else { return false }
                    continue
                }
                guard files[0].revents == 0 else { return false }
                // A trigger with an error is void, and the group is gone.
                guard files[1].revents & Int16(POLLERR | POLLNVAL) == 0 else { return false }
                var isPressure = files[1].revents != 0
                if let events, files[2].revents != 0 {
                    // The file of a group that was removed, because the process is in another one
                    // now, is ready for ever, and cannot be read.
                    let now = Self.read(events).map { MemoryEvents($0) }
                    let hasRisen = lastEvents.withLock { last in
                        defer { last = now }
                        guard let now, let last else { return false }
                        return now.isPressure(since: last)
                    }
                    isPressure = isPressure || hasRisen
                }
                if isPressure { return true }
            }
        }

        func stop() {
            var byte: UInt8 = 0
            // The pipe is empty, and takes it.
            _ = unsafe write(stopping, &byte, 1)
        }

        private static func openTrigger(_ path: String) -> CInt? {
            guard let file = open(path, O_RDWR | O_NONBLOCK) else { return nil }
            let count = trigger.utf8.count
            guard unsafe trigger.withCString({ unsafe write(file, $0, count) }) == count else {
                close(file)
                return nil
            }
            return file
        }

        private static func open(_ path: String, _ flags: CInt) -> CInt? {
            #if canImport(Glibc)
                let file = unsafe Glibc.open(path, flags | O_CLOEXEC)
            #elseif canImport(Musl)
                let file = unsafe Musl.open(path, flags | O_CLOEXEC)
            #else
                let file = unsafe Darwin.open(path, flags | O_CLOEXEC)
            #endif
            return file >= 0 ? file : nil
        }

        private static func contents(_ path: String) -> String? {
            guard let file = open(path, O_RDONLY) else { return nil }
            defer { close(file) }
            return read(file)
        }

        /// The first 4096 bytes of a file: the ones that are read here have fewer. Nil where it
        /// cannot be read.
        private static func read(_ file: CInt) -> String? {
            var isRead = false
            let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
                let result = unsafe pread(file, buffer.baseAddress, buffer.count, 0)
                (isRead, count) = (result >= 0, max(0, result))
            }
            return isRead ? String(decoding: bytes, as: UTF8.self) : nil
        }
    }
#endif
