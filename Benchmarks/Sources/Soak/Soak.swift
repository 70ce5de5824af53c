import Bluebonnet
import Foundation
import HTTPTypes
import Synchronization

/// Sends many requests of all kinds to `bluebonnet serve`, and makes and drops many sessions, while
/// it reads how much memory the process has resident and how many files it has open. Both must
/// stay. `scripts/soak` runs it.
///
/// Arguments: the URL of the server, the number of requests, the number of sessions.
@main
enum Soak {
    /// The memory that may be added after the warm-up, in bytes.
    private static let allowed = 2 << 20
    /// How many requests are under way at the same time.
    private static let atOnce = 32

    static func main() async throws {
        let words = CommandLine.arguments
        guard words.count == 4, let requests = Int(words[2]), let sessions = Int(words[3]), requests >= 100,
            sessions >= 100
        else {
            print("usage: soak URL REQUESTS SESSIONS, at least 100 of each")
            exit(2)
        }
        exit(try await isFlat(words[1] + "/", requests, sessions) ? 0 : 1)
    }

    private static func isFlat(_ server: String, _ requests: Int, _ sessions: Int) async throws -> Bool {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "soak-\(ProcessInfo.processInfo.processIdentifier)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let work = Work(folder: folder)
        let isFlat = try await withSession(configuration: work.configuration) { session in
            let api = HTTPSessionManager(baseURL: server, session: session)
            return try await measure("requests through one session", requests) { try await work.one($0, api) }
        }
        let isFree = try await measure("sessions made and dropped", sessions) { number in
            try await work.one(number, HTTPSessionManager(baseURL: server, configuration: work.configuration))
        }
        return isFlat && isFree
    }

    /// Does the work so many times after a warm-up of a fifth, and prints what it found in ten
    /// steps.
    private static func measure(
        _ what: String,
        _ count: Int,
        _ work: @escaping @Sendable (Int) async throws -> Void
    ) async throws -> Bool {
        let idle = try Usage.openFiles()
        try await repeatWork(0..<count / 5, work)
        try await Usage.waitUntilClosed(idle + atOnce)
        let (start, files) = (try Usage.resident(), try Usage.openFiles())
        print("\(what): \(count), after \(count / 5) for the warm-up")
        print("           0: \(start.text), \(files) files")
        var most = start
        for step in 0..<10 {
            try await repeatWork(count * step / 10..<count * (step + 1) / 10, work)
            let now = try Usage.resident()
            most = max(most, now)
            print(
                "  \(String(count * (step + 1) / 10).leftPadded(to: 10)): \(now.text), \(try Usage.openFiles()) files"
            )
        }
        // Connections of the last sessions may be closing, and those of one session are kept.
        try await Usage.waitUntilClosed(idle + atOnce)
        let more = try Usage.openFiles() - files
        let isFlat = most - start <= allowed && more <= atOnce
        print("  at most \((most - start).text) more, \(more) files more: \(isFlat ? "flat" : "NOT FLAT")")
        return isFlat
    }

    private static func repeatWork(
        _ numbers: Range<Int>,
        _ work: @escaping @Sendable (Int) async throws -> Void
    ) async throws {
        let next = Numbers(numbers)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<atOnce {
                group.addTask {
                    while let number = next.take() { try await work(number) }
                }
            }
            try await group.waitForAll()
        }
    }
}

/// Numbers, each of which is taken once.
private final class Numbers: Sendable {
    private let rest: Mutex<Range<Int>>

    init(_ numbers: Range<Int>) {
        rest = Mutex(numbers)
    }

    func take() -> Int? {
        rest.withLock { rest in
            guard let first = rest.first else { return nil }
            rest = rest.dropFirst()
            return first
        }
    }
}

/// The requests: small and large, with bodies, redirected, refused, cancelled, to files, with
/// progress.
private struct Work: Sendable {
    struct Wrong: Error { let number: Int }

    let folder: URL

    var configuration: SessionConfiguration {
        var configuration = SessionConfiguration()
        configuration.maximumConnectionsPerHost = 32
        return configuration
    }

    func one(_ number: Int, _ api: HTTPSessionManager) async throws {
        switch number % 10 {
        case 0, 1, 2:
            let body: Data = try await api.get("bytes/100")
            guard body.count == 100 else { throw Wrong(number: number) }
        case 3:
            let value = try await api.get("json", as: .json)
            guard value["slideshow"] != nil else { throw Wrong(number: number) }
        case 4:
            let value = try await api.post("post", parameters: ["number": number, "text": "ü"], as: .json)
            guard value["form"] != nil else { throw Wrong(number: number) }
        case 5:
            let body: Data = try await api.get("redirect/2")
            guard !body.isEmpty else { throw Wrong(number: number) }
        case 6:
            do {
                let _: Data = try await api.get("status/404")
                throw Wrong(number: number)
            } catch let error as NetworkingError {
                guard error.code == .unacceptableStatusCode else { throw error }
            }
        case 7:
            let file = folder.appending(path: "\(number % 64)-\(number)")
            try await api.download("bytes/100000", to: file) { _ in }
            try FileManager.default.removeItem(at: file)
        case 8:
            // Its second half comes later than the task lives.
            let task = try api.dataTask(.get, "drip?numbytes=10&duration=60&delay=0", as: .data)
            task.onProgress { [weak task] progress in
                if progress.download.completed > 0 { task?.cancel() }
            }
            let queue = TaskQueue(maximumConcurrentTasks: 1)
            let other = try api.dataTask(.get, "bytes/10", as: .data)
            let dropped = try api.dataTask(.get, "bytes/10", as: .data)
            dropped.onProgress { _ in }
            try queue.add(other, after: [task])
            let batch = queue.add([task, other])
            batch.whenComplete { _ in }
            await batch.finish()
            guard case .failure(let error) = await task.result, error.code == .cancelled,
                batch.currentProgress.failed == 1
            else { throw Wrong(number: number) }
        default:
            var count = 0
            for try await piece in api.stream("bytes/50000") { count += piece.count }
            guard count == 50_000 else { throw Wrong(number: number) }
        }
    }
}

/// What the process uses now.
private enum Usage {
    struct Unreadable: Error {}

    /// The resident memory in bytes. `scripts/soak` tells the allocator to give back what is free.
    static func resident() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmRSS:") }),
            let kilobytes = line.split(whereSeparator: { !$0.isNumber }).first.flatMap({ Int($0) })
        else { throw Unreadable() }
        return kilobytes * 1024
    }

    static func openFiles() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    }

    /// Waits at most five seconds until no more files than these are open.
    static func waitUntilClosed(_ count: Int) async throws {
        for _ in 0..<50 where try openFiles() > count { try await Task.sleep(for: .milliseconds(100)) }
    }
}

extension Int {
    fileprivate var text: String { String(format: "%.1f MB", Double(self) / 1_048_576) }
}

extension String {
    fileprivate func leftPadded(to width: Int) -> String {
        String(repeating: " ", count: Swift.max(0, width - count)) + self
    }
}
