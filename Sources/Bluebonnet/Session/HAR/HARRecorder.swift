public import FoundationEssentials
import Synchronization

/// Records the tasks of a session, and exports them as an HTTP archive (HAR 1.2), which the network
/// panel of a browser's developer tools imports.
///
/// ```swift
/// let recorder = HARRecorder()
/// var configuration = SessionConfiguration()
/// configuration.observers = [recorder]
/// let session = SessionManager(configuration: configuration)
/// // … requests …
/// try recorder.log.write(to: URL(filePath: "session.har"))
/// ```
///
/// Each request that was sent is an entry, redirects and retries included, when its task is over.
/// Secrets are left out by default; see ``HAROptions``.
///
/// No counterpart in AFNetworking and Alamofire.
public final class HARRecorder: TaskObserver {
    private struct State {
        /// From `first` on; what is before it has been forgotten, and is nil.
        var tasks: [HARTask?] = []
        var first = 0
        var entryCount = 0
        var byteCount = 0

        mutating func forgetFirst() {
            guard let task = tasks[first] else { return }
            entryCount -= task.entryCount
            byteCount -= task.byteCount
            tasks[first] = nil
            first += 1
        }
    }

    /// What is recorded.
    public let options: HAROptions
    private let state = Mutex(State())

    /// Makes a recorder of nothing.
    ///
    /// - Parameter options: What is recorded. Default: ``HAROptions/init()``.
    public init(options: HAROptions = HAROptions()) {
        self.options = options
    }

    /// Records a task that is over.
    public func taskDidEnd(_ report: TaskReport) {
        // What a data task became has its requests, and records them.
        if let code = report.error?.code, code == .becameDownload || code == .becameStream { return }
        let task = HARTask(report, bodyLimit: options.bodyLimit)
        guard task.entryCount > 0 else { return }
        state.withLock { state in
            state.tasks.append(task)
            state.entryCount += task.entryCount
            state.byteCount += task.byteCount
            while state.entryCount > options.entryLimit || state.byteCount > options.byteLimit,
                state.first < state.tasks.count - 1
            {
                state.forgetFirst()
            }
            // Rarely, because it moves all that stay.
            if state.first > state.tasks.count / 2 {
                state.tasks.removeFirst(state.first)
                state.first = 0
            }
        }
    }

    /// What was recorded so far.
    public var log: HARLog {
        let tasks = state.withLock { $0.tasks[$0.first...] }
        return HARLog(tasks.lazy.compactMap(\.self), options)
    }

    /// Forgets what was recorded.
    public func removeAll() {
        state.withLock { $0 = State() }
    }
}

/// What a ``HARRecorder`` records.
///
/// No counterpart in AFNetworking and Alamofire.
public struct HAROptions: Sendable, Hashable {
    /// The largest body in bytes that is recorded; of a larger one only the size is. 0 records
    /// none. Default: 1 MiB. Bodies of downloads and streams, and what is read from a file or a
    /// stream while it is sent, are never recorded.
    public var bodyLimit = 1 << 20

    /// The most entries that are kept: of more, the oldest tasks are forgotten, but never the last
    /// one. Default: 10,000.
    public var entryLimit = 10_000

    /// The most bytes that are kept, of bodies and heads: of more, the oldest tasks are forgotten,
    /// but never the last one. Default: 64 MiB.
    public var byteLimit = 64 << 20

    /// Whether secrets are left out: the values of header fields, of parameters of URLs, wherever
    /// these are, of fields and parts of forms, and of members of JSON in requests and responses
    /// whose names are those of secrets, such as `Authorization`, `X-Api-Key` and `password`; all
    /// cookies; and user and password of URLs. "REDACTED" takes their place. Default: true.
    ///
    /// A body is not recorded where its type says that it may hold secrets and they cannot be
    /// found: one that is compressed, JSON that is not well-formed, a multipart body that was not
    /// made of a ``MultipartFormData``. A secret under another name, in plain text or in a path is
    /// not recognized; with a ``bodyLimit`` of 0 no body is recorded.
    public var redactsSecrets = true

    /// More names of header fields, parameters, form fields and JSON members whose values are left
    /// out, in any case. They count also where ``redactsSecrets`` is false. Default: none.
    public var redactedNames: Set<String> = []

    /// Makes the default options.
    public init() {}
}

/// An HTTP archive (HAR 1.2): what a ``HARRecorder`` has recorded.
///
/// No counterpart in AFNetworking and Alamofire.
public struct HARLog: Sendable {
    /// The archive. Its only member is `log`.
    public let json: JSONValue

    init(_ tasks: some Sequence<HARTask>, _ options: HAROptions) {
        let entries = tasks.flatMap { $0.entries(options) }.sorted { $0.startedAt < $1.startedAt }
        json = [
            "log": [
                "version": "1.2",
                "creator": ["name": "Bluebonnet", "version": JSONValue(HARLog.creatorVersion)],
                "pages": [],
                "entries": JSONValue(entries.map(\.json)),
            ]
        ]
    }

    private static let creatorVersion = "0.1"

    /// The number of entries: requests that were sent.
    public var entryCount: Int { json["log"]?["entries"]?.array?.count ?? 0 }

    /// The archive as a file has it.
    ///
    /// - Returns: JSON.
    public func data() -> Data {
        // It has neither numbers that JSON has not nor a depth that is refused.
        (try? json.data()) ?? Data()
    }

    /// Writes the archive to a file, in place of one that is there. The file has its name when it
    /// is complete.
    ///
    /// - Parameter file: The file.
    /// - Throws: The error of the file system.
    public func write(to file: URL) throws {
        try data().write(to: file, options: .atomic)
    }
}

extension HARLog: CustomStringConvertible {
    /// The number of entries: `HAR 1.2, 3 entries`.
    public var description: String { "HAR 1.2, \(entryCount == 1 ? "1 entry" : "\(entryCount) entries")" }
}
