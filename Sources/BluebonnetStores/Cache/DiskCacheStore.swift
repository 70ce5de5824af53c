#if Stores
    public import Bluebonnet
    import Crypto
    public import FoundationEssentials

    /// A store of responses on the disk, which outlive the process, and which any number of
    /// processes of one user share.
    ///
    /// ```
    /// let directory = URL(filePath: "/var/cache/example")
    /// var configuration = SessionConfiguration()
    /// configuration.cache = HTTPCache(store: try DiskCacheStore(directory: directory))
    /// ```
    ///
    /// It has a folder of its own in the directory, `bluebonnet-cache`, of mode 0700: an index in
    /// SQLite, and a file for each body. Nothing else is ever changed or removed, and no link is
    /// followed. A body gets its name when the disk has all of it, and is compared with its hash
    /// when it is read: a crash, a loss of power or another process never makes half a response of
    /// it.
    ///
    /// When the capacity is reached, the responses that were not used for the longest time make
    /// room; with an ``ageLimit`` those go that were not used for so long. A step that writes waits
    /// for another process no longer than a quarter of a second; then it fails, and the request
    /// goes on without the store. The writing steps of a process wait in one line; reading waits
    /// for no writer.
    ///
    /// What was read once is kept in memory, up to ``memoryCapacity`` for each ``HTTPCache``: heads
    /// with bodies of up to 64 KiB, of URLs with a single stored response. It is used for a minute,
    /// and only until any process changes something for its key.
    ///
    /// Counterpart of the disk of `NSURLCache`.
    public final class DiskCacheStore: CacheStore, MarkedCacheStore {
        /// The default of the capacity: 150 MiB.
        public static let defaultCapacity = 150 << 20
        /// The default of the memory in front of the disk: 4 MiB.
        public static let defaultMemoryCapacity = 4 << 20

        /// The bytes that the bodies and the index take at most, about.
        public let capacity: Int

        /// The bytes of memory that a cache takes at most for responses that are used again
        /// without the disk.
        public let memoryCapacity: Int

        /// The time after which a response that nobody has used is removed, whatever room there is;
        /// nil for no limit.
        public let ageLimit: Duration?

        /// The largest body: a quarter of the capacity.
        public var bodyLimit: Int { capacity / 4 }

        /// The folder with the index and the bodies.
        public var folder: URL { URL(filePath: files.path, directoryHint: .isDirectory) }

        let files: CacheFolder
        private let pool: SQLitePool
        private let marks: CacheMarks

        /// Up to this size a body is read as a whole, and compared with its hash before it is used.
        private static let wholeSize = 4 << 20
        /// The milliseconds after which a use of a response is noted again.
        private static let usePrecision = 60_000
        /// What an entry takes besides its body, about.
        private static let entryCost = 1024

        /// Opens the store, or makes it. Blocks for some milliseconds.
        ///
        /// - Parameters:
        ///   - directory: A file URL of the folder that gets the store's own; missing folders are
        ///     made.
        ///   - capacity: The bytes that the responses take at most. Default: 150 MiB.
        ///   - memoryCapacity: The bytes of memory for what was read before; see
        ///     ``memoryCapacity``. 0 for none. Default: 4 MiB.
        ///   - ageLimit: The time after which a response that nobody has used is removed: when the
        ///     store is opened, and when another one is stored. A use is noted once a minute.
        ///     Default: nil, none.
        /// - Throws: ``NetworkingError`` with `storeFailed` where the folder cannot be used: it is
        ///   a link, or another user's, the disk is full, or the index is damaged, another
        ///   program's, or of a newer version of the library.
        public init(
            directory: URL,
            capacity: Int = DiskCacheStore.defaultCapacity,
            memoryCapacity: Int = DiskCacheStore.defaultMemoryCapacity,
            ageLimit: Duration? = nil
        ) throws(NetworkingError) {
            self.capacity = max(0, capacity)
            self.memoryCapacity = max(0, memoryCapacity)
            self.ageLimit = ageLimit.map { max(.zero, $0) }
            let path = directory.path(percentEncoded: false)
            do {
                guard directory.isFileURL else { throw SystemFile.Unusable("it is not a file URL") }
                files = try CacheFolder(in: path)
                pool = try CacheIndex.open(files.database)
                marks = try CacheMarks(files.marks)
            } catch {
                throw NetworkingError(.storeFailed, "The cache in \(path) cannot be used: \(error)", underlying: error)
            }
            let (files, pool, marks, limits) = (files, pool, marks, limits)
            FileWork.begin {
                // Where another process writes, the next response that is stored does it.
                if limits.unusedSince != nil,
                    let removed = try? pool.write({ try CacheIndex.makeRoom(limits, marks, in: $0) })
                {
                    for identifier in removed { files.removeBody(identifier) }
                }
                files.sweep { identifier in
                    // One that cannot be looked up stays.
                    (try? pool.read { try CacheIndex.contains(identifier, in: $0) }) ?? true
                }
            }
        }

        /// The responses of a key.
        ///
        /// - Parameter key: The ``CacheRecord/key``.
        /// - Returns: The responses.
        /// - Throws: An error of the database.
        public func records(for key: String) async throws -> [CacheRecord] {
            try await pool.read { try CacheIndex.records(of: key, in: $0) }
        }

        /// The body of a response. A large one is read while it is used.
        ///
        /// - Parameters:
        ///   - record: The response.
        ///   - range: The part that is wanted; nil for all of it.
        /// - Returns: The body; nil where there is none any more, or it is damaged.
        /// - Throws: An error of the database or of the file.
        public func body(of record: CacheRecord, range: Range<Int>?) async throws -> ResponseBody? {
            let (files, identifier, now) = (files, record.identifier, Self.now)
            guard let entry = try await pool.read({ try CacheIndex.entry(identifier, in: $0) }) else { return nil }
            if now - entry.used >= Self.usePrecision {
                // Of no use to this request, which does not wait for the one that writes. Who
                // cannot write now notes it another time.
                pool.beginWriting { try CacheIndex.markUsed(identifier, at: now, in: $0) }
            }
            let whole = 0..<entry.count
            let wanted = (range ?? whole).clamped(to: whole)
            let found = try await FileWork.run { () throws -> (StoredBodyFile, Data?)? in
                guard let file = StoredBodyFile(files.body(identifier), count: entry.count) else { return nil }
                guard entry.count <= Self.wholeSize else { return (file, nil) }
                let data = try file.read(entry.count, at: 0)
                guard data.count == entry.count, Data(SHA256.hash(data: data)) == entry.hash else { return nil }
                return (file, data)
            }
            guard let (file, data) = found else { return nil }
            if let data {
                return range == nil ? .data(data, trailers: record.trailers) : .data(Data(data[wanted]))
            }
            let pieces = StoredBodyPieces(file: file, range: wanted, hash: wanted == whole ? entry.hash : nil) {
                [weak self] in self?.forget(identifier)
            }
            return range == nil ? .stream(pieces, trailers: record.trailers) : .stream(pieces)
        }

        /// Begins to store a response.
        ///
        /// - Parameter record: The response.
        /// - Returns: What takes the body.
        /// - Throws: An error of the file.
        public func writer(for record: CacheRecord) async throws -> any CacheBodyWriter {
            let path = files.part(record.identifier)
            return Writer(self, try await FileWork.run { try CacheBodyFile(path) })
        }

        /// Replaces a record.
        ///
        /// - Parameter record: The new record, of the same body.
        /// - Throws: An error of the database or of a file.
        public func update(_ record: CacheRecord) async throws {
            let data = try record.encoded
            let (limits, marks) = (limits, marks)
            try await remove { database in
                try CacheIndex.update(record.identifier, data, in: database)
                try CacheIndex.noteChange(of: record.key, marks, in: database)
                return try CacheIndex.makeRoom(limits, marks, in: database)
            }
        }

        /// Removes one response.
        ///
        /// - Parameter record: The response.
        /// - Throws: An error of the database.
        public func remove(_ record: CacheRecord) async throws {
            let marks = marks
            try await remove { database in
                try CacheIndex.noteChange(of: record.key, marks, in: database)
                return try CacheIndex.remove([record.identifier], in: database)
            }
        }

        /// Removes the responses of a key.
        ///
        /// - Parameter key: The ``CacheRecord/key``.
        /// - Throws: An error of the database.
        public func removeAll(for key: String) async throws {
            let marks = marks
            try await remove { database in
                let removed = try CacheIndex.removeAll(of: key, in: database)
                // Most requests that remove something find nothing.
                if !removed.isEmpty { try CacheIndex.noteChange(of: key, marks, in: database) }
                return removed
            }
        }

        /// Removes all responses, and no other file.
        ///
        /// - Throws: An error of the database.
        public func removeAll() async throws {
            let (files, marks) = (files, marks)
            let removed = try await pool.write { database in
                try CacheIndex.noteChanges(marks, in: database)
                return try CacheIndex.removeAll(in: database)
            }
            try await FileWork.run { for identifier in removed { files.removeBody(identifier) } }
        }

        /// All responses, those first that were used last.
        ///
        /// - Returns: The responses.
        /// - Throws: An error of the database.
        public func allRecords() async throws -> [CacheRecord] {
            try await pool.read { try CacheIndex.all(in: $0) }
        }

        /// The bytes that the responses take now, about.
        ///
        /// - Returns: The number.
        /// - Throws: An error of the database.
        public func byteCount() async throws -> Int {
            try await pool.read { try CacheIndex.total(in: $0) }
        }

        package func mark(of fingerprint: CacheFingerprint) -> UInt64? {
            marks.number(of: CacheMarks.bucket(of: fingerprint))
        }

        package func markedRecords(for key: String) async throws -> (records: [CacheRecord], mark: UInt64) {
            try await pool.read { database in
                let mark = try CacheIndex.mark(of: CacheMarks.bucket(of: key), in: database)
                return (try CacheIndex.records(of: key, in: database), mark)
            }
        }

        /// The time of a use, in milliseconds since 1970.
        private static var now: Int { Int(Date().timeIntervalSince1970 * 1000) }

        private var limits: CacheIndex.Limits {
            let milliseconds = ageLimit.map { Int(clamping: Int64(min($0 / .milliseconds(1), 1e15))) }
            return CacheIndex.Limits(capacity: capacity, unusedSince: milliseconds.map { Self.now - $0 })
        }

        private func remove(_ work: @escaping @Sendable (SQLiteConnection) throws -> [UInt64]) async throws {
            let removed = try await pool.write(work)
            let files = files
            try await FileWork.run { for identifier in removed { files.removeBody(identifier) } }
        }

        /// Removes a response that is damaged, without a wait.
        private func forget(_ identifier: UInt64) {
            let (files, pool) = (files, pool)
            FileWork.begin {
                _ = try? pool.write { try CacheIndex.remove([identifier], in: $0) }
                files.removeBody(identifier)
            }
        }

        private func commit(_ file: CacheBodyFile, _ record: CacheRecord) async throws {
            let (files, marks, limits, now, data) = (files, marks, limits, Self.now, try record.encoded)
            let (hash, count) = try await FileWork.run { try file.commit(to: files.body(record.identifier)) }
            do {
                guard count == record.byteCount else { throw SystemFile.Unusable("a body has another size") }
                let removed = try await pool.write { database -> [UInt64] in
                    var removed = try CacheIndex.removeReplaced(by: record, in: database)
                    let entry = CacheIndex.Entry(count: count, hash: hash, used: now)
                    try CacheIndex.insert(record, data, entry, cost: count + Self.entryCost, in: database)
                    try CacheIndex.noteChange(of: record.key, marks, in: database)
                    removed += try CacheIndex.makeRoom(limits, marks, in: database)
                    return removed
                }
                try await FileWork.run { for identifier in removed { files.removeBody(identifier) } }
            } catch {
                // Without an entry nobody finds it.
                try? await FileWork.run { files.removeBody(record.identifier) }
                throw error
            }
        }

        private final class Writer: CacheBodyWriter {
            private let store: DiskCacheStore
            private let file: CacheBodyFile

            init(_ store: DiskCacheStore, _ file: CacheBodyFile) {
                (self.store, self.file) = (store, file)
            }

            func write(_ piece: Data) async throws {
                let file = file
                try await FileWork.run { try file.write(piece) }
            }

            func finish(_ record: CacheRecord) async throws {
                try await store.commit(file, record)
            }

            func cancel() {
                let file = file
                FileWork.begin { file.discard() }
            }
        }
    }
#endif
