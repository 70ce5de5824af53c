#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The command line of a benchmark client.
///
/// ```
/// CLIENT WORKLOAD --url URL [--requests N] [--concurrency C] [--warm-up N] [--expect N]
///     [--connections N] [--on-loop] [--adapter] [--trust PATH] [--file PATH] [--chunk BYTES]
///     [--on-pool] [--segments N] [--observed] [--unseen] [--unverified] [--cache PLACE]
/// ```
public struct BenchmarkOptions: Sendable {
    /// A mistake in a command line.
    public struct Invalid: Error, CustomStringConvertible {
        /// The sentence to print.
        public let description: String
    }

    /// The workload to run.
    public var workload: Workload

    /// The URL of every request.
    public var url = ""

    /// The number of measured requests, 1 by default.
    public var requests = 1

    /// The number of tasks that make these requests, 1 by default.
    public var concurrency = 1

    /// The number of requests made before the measurement starts, 1 by default.
    public var warmUp = 1

    /// The expected result of each request (the number of body bytes, or of records in a JSON
    /// document), or nil for any.
    public var expected: Int?

    /// The connections allowed per host, or nil for the default of the library.
    public var connections: Int?

    /// Whether the requesting tasks run on the event loop of the library.
    public var onLoop = false

    /// Whether an adapter adds a header field to each request, where the library has adapters.
    public var hasAdapter = false

    /// Whether logs, measurements and traces are made of each request, where the library can.
    public var isObserved = false

    /// Whether the certificates of each connection are verified anew, with pins, where the library
    /// remembers those that it has seen.
    public var isUnseen = false

    /// Whether the certificates of servers are not verified, where the client can leave that out.
    public var isUnverified = false

    /// The place of a cache, `memory` or the path of a folder, or nil for no cache, where the
    /// library has one.
    public var cache: String?

    /// The PEM file with the certificate authority to trust, or nil for those of the system.
    public var trust: String?

    /// The file to send, to write or to parse.
    public var file = ""

    /// The size of the pieces in which AsyncHTTPClient sends a file, in bytes, 1 MiB by default.
    public var chunk = 1 << 20

    /// Whether a thread pool reads these pieces, and not the task that sends them.
    public var onPool = false

    /// The connections of one download into a file, as a task that could be continued, or nil for
    /// a body that is streamed into the file, where the library has both.
    public var segments: Int?

    /// Reads the command line of this process. If there is a mistake in it, prints the mistake and
    /// exits with status 2.
    public static func fromCommandLine() -> BenchmarkOptions {
        do {
            return try BenchmarkOptions(Array(CommandLine.arguments.dropFirst()))
        } catch {
            OutputFile.printError("\(error)\n")
            exit(2)
        }
    }

    /// Reads a command line.
    ///
    /// - Parameter arguments: The arguments without the program's name.
    /// - Throws: ``Invalid`` for an unknown word, a missing value, or a number below 1.
    public init(_ arguments: [String]) throws {
        guard let name = arguments.first, let workload = Workload(rawValue: name) else {
            let names = Workload.allCases.map(\.rawValue).joined(separator: ", ")
            throw Invalid(description: "the first argument must be one of \(names)")
        }
        self.workload = workload
        var rest = arguments.dropFirst()
        while let option = rest.popFirst() {
            switch option {
            case "--on-loop": onLoop = true
            case "--on-pool": onPool = true
            case "--adapter": hasAdapter = true
            case "--observed": isObserved = true
            case "--unseen": isUnseen = true
            case "--unverified": isUnverified = true
            default:
                guard let value = rest.popFirst() else { throw Invalid(description: "\(option) needs a value") }
                try set(option, to: value)
            }
        }
        if workload.readsFile, file.isEmpty { throw Invalid(description: "--file is missing") }
        if !workload.isLocal, url.isEmpty { throw Invalid(description: "--url is missing") }
    }

    private mutating func set(_ option: String, to value: String) throws {
        switch option {
        case "--url": url = value
        case "--file": file = value
        case "--trust": trust = value
        case "--cache": cache = value
        case "--requests": requests = try Self.count(option, value)
        case "--concurrency": concurrency = try Self.count(option, value)
        case "--warm-up": warmUp = try Self.count(option, value)
        case "--expect": expected = try Self.count(option, value)
        case "--connections": connections = try Self.count(option, value)
        case "--segments": segments = try Self.count(option, value)
        case "--chunk": chunk = try Self.count(option, value)
        default: throw Invalid(description: "unknown option \(option)")
        }
    }

    private static func count(_ option: String, _ value: String) throws -> Int {
        guard let number = Int(value), number > 0 else {
            throw Invalid(description: "\(option) needs a whole number above 0, not \(value)")
        }
        return number
    }
}
