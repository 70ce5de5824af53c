import FoundationEssentials
import Synchronization

/// A cache of responses by the rules of HTTP (RFC 9111), for ``SessionConfiguration/cache``.
///
/// ```swift
/// var configuration = SessionConfiguration()
/// configuration.cache = HTTPCache()
/// let session = SessionManager(configuration: configuration)
/// ```
///
/// Responses to GET are stored as they are received, with their content coding, and used again
/// while they are fresh; the server is asked to confirm those that are not. ``CachePolicy`` of a
/// request says otherwise, and ``Response/cacheStatus`` what was done. A HEAD and a range of bytes
/// are answered from a stored GET too.
///
/// A cache is private by default: it also stores responses to requests with credentials, and its
/// key has nothing of them. Have one cache for each user, in memory or in a folder; several
/// sessions of one user may share it.
///
/// Tasks that want the same URL at the same time send one request, and those behind the first one
/// get what it has stored. No fault of the store fails a request.
///
/// Counterpart of `NSURLCache`, which AFNetworking uses through
/// `NSURLSessionConfiguration.URLCache`, and of `URLSessionConfiguration.urlCache` with Alamofire.
public final class HTTPCache: Sendable {
    /// The most responses that are stored for one URL: for requests with other header fields.
    public static let mostVariants = 16

    /// The most fields that a `Vary` may name; a response that names more is not stored.
    public static let mostVaryingFields = 32

    /// What came of a request that others wait for.
    enum FetchOutcome: Sendable {
        /// The response is stored.
        case stored
        /// It is not, and all who wait send their own request.
        case notStored
    }

    private struct State {
        /// Keys whose responses could not be stored, so that nobody waits for them.
        var unstored: Set<String> = []
        /// The marks at which nothing was stored for keys whose responses could not be.
        var passing: [CacheFingerprint: UInt64] = [:]
        var hasTold = false
    }

    /// The place of the responses.
    public let store: any CacheStore

    /// Whether the cache serves several users: it then stores no response that is `private` or to a
    /// request with credentials, unless these allow it (RFC 9111 §3.5), and `s-maxage` counts.
    public let isShared: Bool

    /// The store where it is the memory's, which needs no wait.
    let memory: MemoryCacheStore?
    /// The store where it tells of changes without a wait.
    let marked: (any MarkedCacheStore)?
    /// The store where each question is a way over the network.
    let remote: (any RemoteCacheStore)?
    /// The memory in front of such a store.
    let front: MemoryCacheStore?
    /// The requests that others wait for, by key.
    let fetches: CacheFetches
    /// The keys that unsafe requests have made outdated.
    let invalidations = Invalidations()
    private let whenStoreFails: (@Sendable (NetworkingError) -> Void)?
    private let now: @Sendable () -> Date
    private let state = Mutex(State())

    /// The most keys that are noted as not stored.
    private static let mostUnstored = 1024

    init(
        store: any CacheStore,
        isShared: Bool,
        whenStoreFails: (@Sendable (NetworkingError) -> Void)?,
        now: @escaping @Sendable () -> Date
    ) {
        self.store = store
        self.isShared = isShared
        self.whenStoreFails = whenStoreFails
        self.now = now
        memory = store as? MemoryCacheStore
        marked = store as? any MarkedCacheStore
        remote = store as? any RemoteCacheStore
        front = marked.flatMap { $0.memoryCapacity > 0 ? MemoryCacheStore(capacity: $0.memoryCapacity) : nil }
        fetches = CacheFetches(store)
    }

    /// Makes a cache.
    ///
    /// - Parameters:
    ///   - store: The place of the responses. Default: the memory of the process, 20 MiB.
    ///   - isShared: Whether it serves several users; see ``isShared``. Default: nil, what
    ///     ``CacheStore/isSharedByUsers`` of the store says, which is false for memory and disk.
    ///   - whenStoreFails: Called once, when the store fails for the first time: the disk is full,
    ///     or the database damaged. Requests go on without it. Default: nobody is told.
    public convenience init(
        store: any CacheStore = MemoryCacheStore(),
        isShared: Bool? = nil,
        whenStoreFails: (@Sendable (_ error: NetworkingError) -> Void)? = nil
    ) {
        self.init(store: store, isShared: isShared ?? store.isSharedByUsers, whenStoreFails: whenStoreFails) { Date() }
    }

    // MARK: What is stored

    /// All stored responses, those first that were used last.
    ///
    /// - Returns: The responses without their bodies.
    /// - Throws: ``NetworkingError/Code/storeFailed``.
    public func records() async throws(NetworkingError) -> [CacheRecord] {
        do { return try await store.allRecords() } catch { throw Self.failure(error) }
    }

    /// The responses that are stored for the URL of a request, for whatever header fields.
    ///
    /// - Parameter request: The request; only its URL and its `Host` count.
    /// - Returns: The responses without their bodies.
    /// - Throws: ``NetworkingError/Code/storeFailed``, and ``NetworkingError/Code/invalidURL``.
    public func records(for request: Request) async throws(NetworkingError) -> [CacheRecord] {
        let key = try request.cacheKey
        do { return try await store.records(for: key) } catch { throw Self.failure(error) }
    }

    /// Removes all responses. Those that are being received are stored afterwards.
    ///
    /// - Throws: ``NetworkingError/Code/storeFailed``.
    public func removeAll() async throws(NetworkingError) {
        do { try await store.removeAll() } catch { throw Self.failure(error) }
    }

    /// Removes the responses for the URL of a request.
    ///
    /// - Parameter request: The request; only its URL and its `Host` count.
    /// - Throws: ``NetworkingError/Code/storeFailed``, and ``NetworkingError/Code/invalidURL``.
    public func remove(for request: Request) async throws(NetworkingError) {
        let key = try request.cacheKey
        do { try await store.removeAll(for: key) } catch { throw Self.failure(error) }
    }

    private static func failure(_ error: any Error) -> NetworkingError {
        if let error = error as? NetworkingError { return error }
        return NetworkingError(.storeFailed, "The store of the cache failed: \(error)", underlying: error)
    }

    // MARK: For the steps of a request

    /// The time in seconds since 1970.
    var time: Int { Int(max(0, min(now().timeIntervalSince1970, 1e11))) }

    /// Notes that the store failed, which is told once.
    func note(_ error: any Error) {
        // A task that was stopped tells nothing of the store, nor does a body without room.
        if error is CancellationError { return }
        if let code = (error as? NetworkingError)?.code, code == .cancelled || code == .bodyTooLarge { return }
        let isFirst = state.withLock { state in
            defer { state.hasTold = true }
            return !state.hasTold
        }
        if isFirst { whenStoreFails?(Self.failure(error)) }
    }

    /// Notes whether the responses of a key can be stored.
    func note(_ key: String, isStored: Bool) {
        state.withLock { state in
            guard !isStored else {
                if !state.unstored.isEmpty { state.unstored.remove(key) }
                return
            }
            // Any of them: one that is wanted again is noted again.
            if state.unstored.count >= Self.mostUnstored, let some = state.unstored.first {
                state.unstored.remove(some)
            }
            state.unstored.insert(key)
        }
    }

    /// Notes that nothing was stored for a key at a mark, and that its response could not be.
    func notePassing(_ fingerprint: CacheFingerprint, mark: UInt64) {
        state.withLock { state in
            if state.passing.count >= Self.mostUnstored, let some = state.passing.first {
                state.passing[some.key] = nil
            }
            state.passing[fingerprint] = mark
        }
    }

    /// Notes that a response of a key may be stored.
    func forgetPassing(_ fingerprint: CacheFingerprint) {
        state.withLock { $0.passing[fingerprint] = nil }
    }

    /// Whether a key was noted at a mark.
    func isPassing(_ fingerprint: CacheFingerprint, _ mark: UInt64) -> Bool {
        state.withLock { !$0.passing.isEmpty && $0.passing[fingerprint] == mark }
    }

    /// Whether it is worth waiting for the response of another task.
    func isWorthWaiting(_ key: String) -> Bool {
        state.withLock { $0.unstored.isEmpty || !$0.unstored.contains(key) }
    }

    /// The stored responses of a key; none where the store fails.
    func found(_ key: String) async -> [CacheRecord] {
        if let memory { return memory.records(for: key) }
        do {
            return Array(try await store.records(for: key).prefix(Self.mostVariants))
        } catch {
            note(error)
            return []
        }
    }

    /// The body of a stored response; nil where there is none any more.
    func body(of record: CacheRecord, _ range: Range<Int>? = nil) async -> ResponseBody? {
        if let memory { return memory.body(of: record, range: range) }
        do {
            return try await store.body(of: record, range: range)
        } catch {
            note(error)
            return nil
        }
    }

    /// Does something that the request does not depend on.
    func attempt(_ work: (any CacheStore) async throws -> Void) async {
        do { try await work(store) } catch { note(error) }
    }
}
