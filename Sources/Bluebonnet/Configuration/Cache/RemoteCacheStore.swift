/// A store to which each question is a way over the network. With its answer to one it gives what
/// it believes is asked for next, so that most hits need one way.
package protocol RemoteCacheStore: CacheStore {
    /// The stored responses of a key, and the body of one of them where it is known already.
    ///
    /// - Parameter key: The ``CacheRecord/key``.
    /// - Returns: The responses, and a body with the identifier of its response.
    /// - Throws: Any error.
    func recordsWithBody(
        for key: String
    ) async throws -> (records: [CacheRecord], body: (identifier: UInt64, body: ResponseBody)?)
}
