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

/// Processor time and memory that this process has used so far.
struct ProcessUsage: Sendable {
    /// Processor time spent in the program, in seconds.
    var user: Double
    /// Processor time that the kernel spent for the program, in seconds.
    var system: Double
    /// The number of times that a thread gave up the processor to wait.
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
        // `&usage` is valid for the whole call, and getrusage keeps no pointer.
        let result = unsafe getrusage(this, &usage)
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

    /// The peak memory from the line `VmHWM` of `/proc/self/status`, in bytes. `ru_maxrss` is
    /// inherited through `fork` and would count the memory of the process that started this one.
    private static func highWaterMark() -> Int? {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return nil }
        guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") }) else { return nil }
        return line.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) }.map { $0 * 1024 }
    }
}
