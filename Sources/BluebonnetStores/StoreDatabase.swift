#if Stores
    public import Bluebonnet
    public import FoundationEssentials
    import GRDB

    /// A folder with an SQLite database, in which the stores of one session are, and which one
    /// process uses at a time.
    ///
    /// ```
    /// let database = try StoreDatabase(identifier: "com.example.sync", directory: directory)
    /// var configuration = SessionConfiguration()
    /// configuration.transferJournal = try TransferJournal(database.transfers)
    /// ```
    ///
    /// `SessionConfiguration.persistent(identifier:directory:replacesDamaged:)` writes these lines.
    ///
    /// The folder has the name of the identifier, is of mode 0700, and its files are of mode 0600:
    /// `bluebonnet.sqlite`, the two files of its write-ahead log while it is in use, and `lock`.
    /// What is written is on the disk (`PRAGMA synchronous = FULL`): a crash or a loss of power at
    /// any moment leaves a change whole or not at all. What is removed is overwritten with zeros
    /// (`PRAGMA secure_delete`).
    ///
    /// The database is in use while this object or one of its stores is referenced, and the kernel
    /// gives the lock back when the process ends, however it ends. The folder has to be on a disk
    /// of this machine: SQLite's log does not work over a network.
    ///
    /// No counterpart in AFNetworking or Alamofire: the system keeps background sessions.
    public final class StoreDatabase: Sendable {
        /// The folder of the database.
        public let folder: URL

        let queue: DatabaseQueue
        private let lock: FolderLock

        /// Opens the database of a session, or makes it. Blocks for some milliseconds.
        ///
        /// - Parameters:
        ///   - identifier: The name of the session, and of its folder: at most 200 bytes, without
        ///     `/` and control characters, and not beginning with a point. A reversed domain name
        ///     is a good one.
        ///   - directory: A file URL of the folder in which the folder of the session is; missing
        ///     folders are made.
        ///   - replacesDamaged: Whether a damaged database is put aside, with its log, as
        ///     `bluebonnet.sqlite.damaged`, or with a number behind that, and an empty one takes
        ///     its place. Its transfers are lost then; partial files stay where they are. What was
        ///     put aside has all that was stored: remove it. Default: false, it is an error.
        /// - Throws: ``NetworkingError`` with `storeInUse` when another process has the database,
        ///   or this one; its message names the process. With `storeFailed` when the folder cannot
        ///   be written to, for a damaged database, one of another program, and one of a newer
        ///   version of the library; with `invalidRequest` for an identifier that is no name.
        public init(identifier: String, directory: URL, replacesDamaged: Bool = false) throws(NetworkingError) {
            let name = try StoreFolder.name(of: identifier)
            guard directory.isFileURL else {
                throw NetworkingError(.storeFailed, "The directory of the session \(identifier) is not a file URL.")
            }
            folder = directory.appending(path: name, directoryHint: .isDirectory)
            let path = folder.path(percentEncoded: false)
            do {
                try StoreFolder.make(path)
                lock = try FolderLock(path + "/lock", of: identifier)
                queue = try Self.open(path + "/bluebonnet.sqlite", replacesDamaged: replacesDamaged)
            } catch let error as NetworkingError {
                throw error
            } catch {
                let reason = (error as? DatabaseError)?.isDamage ?? false ? "is damaged" : "cannot be opened"
                throw NetworkingError(
                    .storeFailed,
                    "The database of the session \(identifier) in \(path) \(reason): \(error)",
                    underlying: error
                )
            }
        }

        deinit {
            // Before the lock is given back.
            try? queue.close()
        }

        /// The store of downloads and uploads, for a ``TransferJournal``.
        public var transfers: any TransferStore { DatabaseTransferStore(self) }

        // MARK: Opening

        /// What `PRAGMA application_id` says of a database of this library: "Blue".
        private static let applicationID = 0x426C_7565

        private static func open(_ path: String, replacesDamaged: Bool) throws -> DatabaseQueue {
            do {
                return try open(path)
            } catch {
                guard replacesDamaged, (error as? DatabaseError)?.isDamage ?? false else { throw error }
                try StoreFolder.putAside(path)
                return try open(path)
            }
        }

        private static func open(_ path: String) throws -> DatabaseQueue {
            try StoreFolder.makePrivateFile(path)
            var configuration = Configuration()
            configuration.label = "Bluebonnet"
            configuration.journalMode = .wal
            // Somebody may read it with another program.
            configuration.busyMode = .timeout(5)
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            try queue.writeWithoutTransaction { database in
                try database.execute(sql: "PRAGMA synchronous = FULL")
                try database.execute(sql: "PRAGMA secure_delete = ON")
            }
            try queue.read { database in try check(database, path) }
            try migrator.migrate(queue)
            try queue.read { database in
                // SQLite stores values of any type in any column.
                let sql = "SELECT count(*) FROM transfer WHERE typeof(data) <> 'blob'"
                guard try Int.fetchOne(database, sql: sql) == 0 else {
                    throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a transfer is not of bytes")
                }
            }
            return queue
        }

        private static func check(_ database: Database, _ path: String) throws {
            if let fault = try String.fetchOne(database, sql: "PRAGMA quick_check(1)"), fault != "ok" {
                throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: fault)
            }
            let number = try Int.fetchOne(database, sql: "PRAGMA application_id")
            // The first table is the migrator's, which may be there alone: it is made in a step of
            // its own, after which the process may have ended.
            let tables = try Int.fetchOne(
                database,
                sql: "SELECT count(*) FROM sqlite_master WHERE tbl_name <> 'grdb_migrations'"
            )
            guard number == applicationID || tables == 0 else {
                throw NetworkingError(.storeFailed, "\(path) is the database of another program.")
            }
            guard try !migrator.hasBeenSuperseded(database) else {
                throw NetworkingError(
                    .storeFailed,
                    "\(path) was written by a newer version of Bluebonnet: update the program, or remove the file"
                        + " with all transfers in it."
                )
            }
        }

        /// The steps from an empty database to that of this version. Never changed, only more of
        /// them.
        private static var migrator: DatabaseMigrator {
            var migrator = DatabaseMigrator()
            migrator.registerMigration("transfers") { database in
                try database.execute(sql: "PRAGMA application_id = \(applicationID)")
                try database.execute(
                    sql: "CREATE TABLE transfer (identifier INTEGER PRIMARY KEY NOT NULL, data BLOB NOT NULL)"
                )
            }
            return migrator
        }
    }

    extension DatabaseError {
        /// Whether the file is no database, or a broken one.
        fileprivate var isDamage: Bool { [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(resultCode) }
    }

    /// The transfers of a database.
    private struct DatabaseTransferStore: TransferStore {
        private let database: StoreDatabase

        init(_ database: StoreDatabase) {
            self.database = database
        }

        func transfers() throws -> [StoredTransfer] {
            try database.queue.read { database in
                try Row.fetchAll(database, sql: "SELECT identifier, data FROM transfer").map { row in
                    try StoredTransfer(identifier: row.decode(atIndex: 0), data: row.decode(atIndex: 1))
                }
            }
        }

        func update(storing transfers: [StoredTransfer], removing identifiers: Set<Int>) throws {
            try database.queue.write { database in
                let store = try database.cachedStatement(
                    sql: "INSERT OR REPLACE INTO transfer (identifier, data) VALUES (?, ?)"
                )
                for transfer in transfers { try store.execute(arguments: [transfer.identifier, transfer.data]) }
                let remove = try database.cachedStatement(sql: "DELETE FROM transfer WHERE identifier = ?")
                for identifier in identifiers { try remove.execute(arguments: [identifier]) }
            }
        }
    }
#endif
