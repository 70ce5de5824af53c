/// A store that tells without a wait whether something has changed for a key, so that what was
/// found before can be used again from memory.
package protocol MarkedCacheStore: CacheStore {
    /// The bytes of memory for responses that are used again without the store. 0 for none.
    var memoryCapacity: Int { get }

    /// The number of changes that were made for the keys of a fingerprint, by any process; nil
    /// where it cannot be read. Other keys may share it. It does not block for longer than a call
    /// of the system.
    func mark(of fingerprint: CacheFingerprint) -> UInt64?

    /// The stored responses of a key, with the mark that they were found at.
    ///
    /// As long as ``mark(of:)`` is the same, none was added, updated or removed, also not to make
    /// room for others.
    func markedRecords(for key: String) async throws -> (records: [CacheRecord], mark: UInt64)
}
