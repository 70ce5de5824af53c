#if Images
    /// The counters of `memory.events` of a control group that rise when its memory is short
    /// (Linux, Documentation/admin-guide/cgroup-v2.rst, "Memory Interface Files").
    struct MemoryEvents: Equatable {
        private var counts: [String: UInt64] = [:]

        /// Parses the file; what is not a line of it does not count.
        init(_ text: String) {
            for line in text.split(separator: "\n") {
                let fields = line.split(separator: " ")
                // `oom_kill` follows `oom`, and others tell of single processes.
                guard fields.count == 2, ["low", "high", "max", "oom"].contains(fields[0]) else { continue }
                counts[String(fields[0])] = UInt64(fields[1])
            }
        }

        /// Whether a counter has risen.
        func isPressure(since earlier: MemoryEvents) -> Bool {
            counts.contains { name, count in count > earlier.counts[name] ?? .max }
        }

        /// The folder of a process's control group in the unified hierarchy.
        ///
        /// - Parameter text: The contents of `/proc/self/cgroup`.
        /// - Returns: The path; nil where the process is in none, or in one that it cannot see.
        static func folder(in text: String) -> String? {
            for line in text.split(separator: "\n") where line.hasPrefix("0::/") {
                let path = line.dropFirst(3)
                guard !path.split(separator: "/").contains("..") else { return nil }
                return "/sys/fs/cgroup" + (path == "/" ? "" : path)
            }
            return nil
        }
    }
#endif
