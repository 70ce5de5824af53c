import Foundation
import Testing

/// Prints a table of the costs of the worst documents that are known, in three sizes. Runs only
/// with this variable:
///
///     BLUEBONNET_HOSTILE=1000000 swift test --filter HostileDocument
///
/// Only a release build gives useful figures: Benchmarks/RESULTS.md has them and says how they were
/// made.
///
/// The number is the size of the largest document in bytes; a quarter and half of it are measured
/// first. Processor time is that of the thread, memory the peak of the process above what it had
/// before.
@Suite(.serialized)
struct HostileDocumentTests {
    static let size = ProcessInfo.processInfo.environment["BLUEBONNET_HOSTILE"].flatMap { Int($0) }

    private struct Measured {
        var bytes = 0
        var seconds = 0.0
        var memory = 0
        var outcome = ""
    }

    @Test(.enabled(if: size != nil, "BLUEBONNET_HOSTILE is not set"))
    func `the costs of hostile documents are printed as a table`() throws {
        print("| document | bytes | CPU ms | peak MB above | outcome |\n|---|---|---|---|---|")
        for (name, make) in HostileDocument.all {
            for part in [4, 2, 1] {
                let count = (Self.size ?? 0) / part
                let (size, run) = make(count)
                let measured = Self.measure(size, run)
                print(
                    "| \(name) | \(measured.bytes) | \(Int(measured.seconds * 1_000)) | "
                        + "\(measured.memory / 1_024) | \(measured.outcome) |"
                )
            }
        }
    }

    // MARK: Measuring

    private static func measure(_ size: Int, _ run: () throws -> String) -> Measured {
        var measured = Measured(bytes: size)
        // What was freed does not hide what is used next. The function is not in the module of the
        // C library, and takes how much to keep.
        if let trim = unsafe dlsym(nil, "malloc_trim") {
            _ = unsafe unsafeBitCast(trim, to: (@convention(c) (Int) -> CInt).self)(0)
        }
        // On Linux this sets the peak to the memory that is used now.
        try? Data("5".utf8).write(to: URL(filePath: "/proc/self/clear_refs"))
        let before = status("VmRSS")
        let start = threadTime()
        do {
            measured.outcome = try withoutBacktraces(run)
        } catch {
            measured.outcome = "refused: \("\(error)".prefix(70))"
        }
        measured.seconds = threadTime() - start
        measured.memory = max(0, status("VmHWM") - before)
        return measured
    }

    /// Runs a function without the test library's hooks, which record the stack at every error that
    /// is thrown and cost more than the error.
    private static func withoutBacktraces<Value>(_ body: () throws -> Value) rethrows -> Value {
        let names: [String] = ["_swift_willThrow", "_swift_willThrowTypedImpl"]
        // `dlsym` finds variables of the runtime, which have the size of a pointer and live as long
        // as the process; a name that does not exist is left out.
        let hooks = unsafe names.compactMap { unsafe dlsym(nil, $0)?.assumingMemoryBound(to: UnsafeRawPointer?.self) }
        let kept = unsafe hooks.map { unsafe $0.pointee }
        for index in unsafe hooks.indices { unsafe hooks[index].pointee = nil }
        defer { for index in unsafe hooks.indices { unsafe hooks[index].pointee = kept[index] } }
        return try body()
    }

    private static func threadTime() -> Double {
        var time = timespec()
        // `time` is a variable of this function, and so valid for the whole call.
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// A number from `/proc/self/status`, in KB.
    private static func status(_ name: String) -> Int {
        let text = (try? String(contentsOf: URL(filePath: "/proc/self/status"), encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix(name + ":") } ?? ""
        return Int(line.filter(\.isNumber)) ?? 0
    }
}
