/// A store to which each question is a way over the network. With its answer to one it gives what
/// it believes is asked for next, so that most hits need one way.
package protocol RemoteCacheStore: CacheStore {
    /// The stored responses of a key, and the body of one of them where it is known already.
    ///
    /// - Parameter key: The ``CacheRecord/key``.
    /// - Returns: The responses.
    /// - Throws: Any error.
    func recordsWithBody(for key: String) async throws -> RecordsWithBody
}

/// The stored responses of a key, and the body of one of them.
package struct RecordsWithBody: Sendable {
    package var records: [CacheRecord]
    /// The body of the response with this identifier.
    package var body: (identifier: UInt64, body: ResponseBody)?

    package init(records: [CacheRecord], body: (identifier: UInt64, body: ResponseBody)? = nil) {
        (self.records, self.body) = (records, body)
    }
}
