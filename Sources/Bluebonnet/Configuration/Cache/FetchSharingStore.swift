public import FoundationEssentials

/// A ``CacheStore`` of several processes, of which one fetches a response that all of them miss.
///
/// Before a task sends a request for which nothing is stored, and for which no other task of the
/// process waits, the cache asks the store for its turn. What the store throws fails no request.
///
/// No counterpart in AFNetworking or Alamofire.
public protocol FetchSharingStore: CacheStore {
    /// Takes the right to fetch the response of a key, or waits for the process that has it.
    ///
    /// Cancelling the Swift task ends the wait. The right ends by itself after a time, so that
    /// others go on when a process has crashed.
    ///
    /// - Parameters:
    ///   - key: The ``CacheRecord/key``.
    ///   - patience: The longest wait for another process.
    /// - Returns: What the task does next.
    /// - Throws: Any error; the request is then sent.
    func turn(toFetch key: String, patience: Duration) async throws -> CacheFetchTurn

    /// Gives the right back. It must not wait.
    ///
    /// - Parameters:
    ///   - lease: The right, of ``CacheFetchTurn/lease(_:)``.
    ///   - key: The ``CacheRecord/key``.
    ///   - isStored: Whether the response is stored now; nil where the task has given up, so that
    ///     another one takes its place.
    func endFetch(_ lease: Data, of key: String, isStored: Bool?)

    /// Returns when the rights that were given back are at the store: called at the end of a
    /// session, after which the process may end. Default: returns at once.
    func waitForEndedFetches() async
}

extension FetchSharingStore {
    /// Returns at once.
    public func waitForEndedFetches() async {}
}

/// What a task does that has found nothing in a store of several processes.
///
/// No counterpart in AFNetworking or Alamofire.
public enum CacheFetchTurn: Sendable, Hashable {
    /// Send the request: others wait. The bytes name the right.
    case lease(Data)
    /// Send the request; nobody waits, or the wait was long enough.
    case free
    /// Look again: another process has stored its response.
    case stored
    /// Send the request: the response of another process could not be stored.
    case notStored
}
