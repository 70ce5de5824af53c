import Foundation
import Testing

// Other test targets have this file through a link.

extension Trait where Self == ConditionTrait {
    /// Runs tests where a program is installed; elsewhere the output says that they are skipped,
    /// and why. With `BLUEBONNET_INTEROP_REQUIRED=1` they run everywhere, and fail where the
    /// program is missing.
    static func needs(_ program: String) -> Self {
        let environment = ProcessInfo.processInfo.environment
        let folders = (environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":")
        let isExpected =
            environment["BLUEBONNET_INTEROP_REQUIRED"] == "1"
            || folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(program)") }
        return .enabled(if: isExpected, "\(program) is not installed")
    }
}
