#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What this process has used so far.
struct ProcessUsage: Sendable {
    /// Processor time spent in the program, in seconds.
    var user: Double
    /// Processor time spent in the kernel for it, in seconds.
    var system: Double
    /// The times a thread gave up the processor to wait.
    var contextSwitches: Int
    /// The most memory the process had resident, in bytes.
    var peakBytes: Int

    /// Reads the counters of the kernel.
    static func current() -> ProcessUsage {
        var usage = rusage()
        #if canImport(Glibc)
            let this = __rusage_who_t(RUSAGE_SELF.rawValue)
        #else
            let this = RUSAGE_SELF
        #endif
        let result = unsafe getrusage(this, &usage)  // the pointer lives for this call only
        precondition(result == 0, "getrusage cannot fail with a valid pointer")
        return ProcessUsage(
            user: seconds(usage.ru_utime),
            system: seconds(usage.ru_stime),
            contextSwitches: Int(usage.ru_nvcsw),
            peakBytes: highWaterMark() ?? Int(usage.ru_maxrss) * 1024
        )
    }

    private static func seconds(_ time: timeval) -> Double {
        Double(time.tv_sec) + Double(time.tv_usec) / 1_000_000
    }

    /// The `VmHWM` line of the kernel. `ru_maxrss` is inherited through `fork` and would count the
    /// runner's memory.
    private static func highWaterMark() -> Int? {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return nil }
        guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") }) else { return nil }
        return line.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) }.map { $0 * 1024 }
    }
}
