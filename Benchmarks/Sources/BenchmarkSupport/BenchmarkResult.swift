/// The measurements of one run of one client; printed as one line of JSON.
struct BenchmarkResult: Codable, Sendable {
    /// The name of the client.
    var client: String
    /// The name of the workload.
    var workload: String
    /// The number of measured requests.
    var count: Int
    /// The sum of the results of all requests: body bytes, or records for `json-100k`.
    var amount: Int
    /// The number of requests that failed or had a wrong result.
    var errors: Int
    /// The time from the first request to the end of the last response, in seconds.
    var wallSeconds: Double
    /// Processor time of the program in that span, in seconds.
    var userSeconds: Double
    /// Processor time of the kernel for it, in seconds.
    var systemSeconds: Double
    /// Voluntary context switches in that span.
    var contextSwitches: Int
    /// The most memory the process had resident, in bytes, its start included.
    var peakBytes: Int
}
