/// The jobs that a client of the benchmarks is given.
public enum Workload: String, Sendable, CaseIterable {
    /// Tiny GETs, one after the other.
    case sequential
    /// Tiny GETs, one after the other, from a task that runs on the event loop.
    case sequentialOnLoop = "sequential-on-loop"
    /// Tiny GETs from 64 tasks at once.
    case concurrent64 = "concurrent-64"
    /// Tiny GETs from 64 tasks at once that run on the event loop.
    case concurrent64OnLoop = "concurrent-64-on-loop"
    /// A large body streamed and thrown away.
    case downloadNull = "download-null"
    /// A large body streamed to a file.
    case downloadFile = "download-file"
    /// A large file sent as a request body.
    case uploadFile = "upload-file"
    /// A JSON document of about 100 KB decoded into `Codable` values.
    case json100k = "json-100k"
}
