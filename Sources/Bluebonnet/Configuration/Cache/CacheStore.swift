public import FoundationEssentials

/// The place where an ``HTTPCache`` keeps responses. It decides nothing about HTTP: it finds the
/// responses of a key, and makes room for new ones.
///
/// What a store throws fails no request: the request goes on as without a cache, and
/// ``HTTPCache/init(store:isShared:whenStoreFails:)`` tells of it. A store must never wait for
/// long: it may be asked for each request.
///
/// A response of which only a part came is a record of its own, with ``CacheRecord/part``: a store
/// keeps several of one key, as it does with the responses for other header fields.
///
/// ``MemoryCacheStore`` is one, and `DiskCacheStore` and `RedisCacheStore` of the product
/// `BluebonnetStores` are others.
///
/// Counterpart of `NSURLCache` as a class to be derived from, and of Alamofire's
/// `CachedResponseHandler`, which has no store.
public protocol CacheStore: Sendable {
    /// The largest body that is stored, in bytes; larger ones are not, whatever their directives.
    var bodyLimit: Int { get }

    /// Whether the store serves several users, so that a cache in it is a shared one (RFC 9111 §3)
    /// where ``HTTPCache/init(store:isShared:whenStoreFails:)`` says nothing else. Default: false.
    var isSharedByUsers: Bool { get }

    /// The stored responses of a key, in any order: several, where they are for requests with other
    /// header fields. At most ``HTTPCache/mostVariants`` are looked at.
    ///
    /// - Parameter key: The ``CacheRecord/key``.
    /// - Returns: The responses.
    /// - Throws: Any error.
    func records(for key: String) async throws -> [CacheRecord]

    /// The body of a stored response, which is then the one that was used last.
    ///
    /// - Parameters:
    ///   - record: The response.
    ///   - range: The part that is wanted; nil for all of it.
    /// - Returns: The body; nil where it is not stored any more.
    /// - Throws: Any error.
    func body(of record: CacheRecord, range: Range<Int>?) async throws -> ResponseBody?

    /// Begins to store a response. Nothing of it is found before the writer has finished.
    ///
    /// - Parameter record: The response; of its body nothing is known yet.
    /// - Returns: What takes the body.
    /// - Throws: Any error.
    func writer(for record: CacheRecord) async throws -> any CacheBodyWriter

    /// Puts a record in place of that with the same identifier; does nothing where there is none.
    ///
    /// - Parameter record: The new record, of the same body.
    /// - Throws: Any error.
    func update(_ record: CacheRecord) async throws

    /// Removes one response.
    ///
    /// - Parameter record: The response.
    /// - Throws: Any error.
    func remove(_ record: CacheRecord) async throws

    /// Removes all responses of a key.
    ///
    /// - Parameter key: The ``CacheRecord/key``.
    /// - Throws: Any error.
    func removeAll(for key: String) async throws

    /// Removes all responses.
    ///
    /// - Throws: Any error.
    func removeAll() async throws

    /// All stored responses, those first that were used last: for lists that people read.
    ///
    /// - Returns: The responses.
    /// - Throws: Any error.
    func allRecords() async throws -> [CacheRecord]
}

extension CacheStore {
    /// False: the store of one user.
    public var isSharedByUsers: Bool { false }
}

/// Takes the body of a response that is being stored. Used by one Swift task at a time.
///
/// No counterpart in AFNetworking or Alamofire.
public protocol CacheBodyWriter: Sendable {
    /// Takes the next piece.
    ///
    /// - Parameter piece: The bytes.
    /// - Throws: Any error; the response is not stored then.
    func write(_ piece: Data) async throws

    /// Stores the response: the body is complete.
    ///
    /// Stored responses of the same key give way where ``CacheRecord/isReplaced(by:)`` says so.
    ///
    /// - Parameter record: The response, with the size of its body.
    /// - Throws: Any error; the response is not stored then.
    func finish(_ record: CacheRecord) async throws

    /// Drops what was written. Called in place of ``finish(_:)``; it must not wait.
    func cancel()
}

extension CacheRecord {
    /// Whether another response takes the place of this one.
    ///
    /// Of one response several parts are stored beside each other (RFC 9111 §3.4). A part takes the
    /// place of those within it, and of everything of another version of the response.
    ///
    /// - Parameter other: The new response.
    /// - Returns: Whether both are for the same requests, and this one is not needed beside it.
    public func isReplaced(by other: CacheRecord) -> Bool {
        guard key == other.key, varying == other.varying else { return false }
        guard let newer = other.part, isSameVersion(as: other) else { return true }
        return part.map { newer.contains($0) } ?? false
    }
}
