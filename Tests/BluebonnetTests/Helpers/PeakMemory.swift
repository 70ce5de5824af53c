import Foundation
import Testing

// Other test targets have this file through a link.

/// The largest resident memory that this process has had, in bytes.
func peakMemory() throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
    return try #require(line.split { !$0.isNumber }.first.flatMap { Int($0) }) * 1024
}
