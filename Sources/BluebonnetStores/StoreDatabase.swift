#if Stores
    public import Bluebonnet
    public import FoundationEssentials

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

        let queue: SQLiteQueue

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
                let lock = try FolderLock(path + "/lock", of: identifier)
                queue = try Self.open(path + "/bluebonnet.sqlite", lock, replacesDamaged: replacesDamaged)
            } catch let error as NetworkingError {
                throw error
            } catch {
                let reason = (error as? SQLiteError)?.isDamage ?? false ? "is damaged" : "cannot be opened"
                throw NetworkingError(
                    .storeFailed,
                    "The database of the session \(identifier) in \(path) \(reason): \(error)",
                    underlying: error
                )
            }
        }

        /// The store of downloads and uploads, for a ``TransferJournal``.
        public var transfers: any TransferStore { DatabaseTransferStore(self) }

        // MARK: Opening

        /// What `PRAGMA application_id` says of a database of this library: "Blue".
        private static let applicationID = 0x426C_7565
        /// What `PRAGMA user_version` says of this version.
        private static let format = 1

        private static func open(
            _ path: String,
            _ lock: FolderLock,
            replacesDamaged: Bool
        ) throws -> SQLiteQueue {
            do {
                return try open(path, lock)
            } catch {
                guard replacesDamaged, (error as? SQLiteError)?.isDamage ?? false else { throw error }
                try StoreFolder.putAside(path)
                return try open(path, lock)
            }
        }

        private static func open(_ path: String, _ lock: FolderLock) throws -> SQLiteQueue {
            try StoreFolder.makePrivateFile(path)
            // Somebody may read it with another program.
            let queue = try SQLiteQueue(path, patience: .seconds(5), lock: lock)
            try queue.use { database in
                try database.useLog()
                try database.run("PRAGMA synchronous = FULL")
                try database.run("PRAGMA secure_delete = ON")
            }
            try queue.write { database in
                try check(database, path)
                try makeTable(in: database)
                // SQLite stores values of any type in any column.
                let sql = "SELECT count(*) FROM transfer WHERE typeof(data) <> 'blob'"
                guard try database.value(sql) == 0 else {
                    throw SQLiteError.damage("a transfer is not of bytes")
                }
            }
            return queue
        }

        private static func check(_ database: SQLiteConnection, _ path: String) throws {
            if let fault: String = try database.value("PRAGMA quick_check(1)"), fault != "ok" {
                throw SQLiteError.damage(fault)
            }
            let isOurs = try database.value("PRAGMA application_id") == applicationID
            guard try isOurs || database.value("SELECT count(*) FROM sqlite_master") == 0 else {
                throw NetworkingError(.storeFailed, "\(path) is the database of another program.")
            }
            guard let version: Int = try database.value("PRAGMA user_version"), version <= format else {
                throw NetworkingError(
                    .storeFailed,
                    "\(path) was written by a newer version of Bluebonnet: update the program, or remove the file"
                        + " with all transfers in it."
                )
            }
        }

        private static func makeTable(in database: SQLiteConnection) throws {
            guard try database.value("PRAGMA application_id") != applicationID else { return }
            try database.execute(
                """
                PRAGMA application_id = \(applicationID);
                PRAGMA user_version = \(format);
                CREATE TABLE transfer (identifier INTEGER PRIMARY KEY NOT NULL, data BLOB NOT NULL)
                """
            )
        }
    }

    /// The transfers of a database.
    private struct DatabaseTransferStore: TransferStore {
        private let database: StoreDatabase

        init(_ database: StoreDatabase) {
            self.database = database
        }

        func transfers() throws -> [StoredTransfer] {
            try database.queue.read { database in
                try database.rows("SELECT identifier, data FROM transfer").map { row in
                    try StoredTransfer(identifier: row.value(0), data: row.value(1))
                }
            }
        }

        func update(storing transfers: [StoredTransfer], removing identifiers: Set<Int>) throws {
            try database.queue.write { database in
                for transfer in transfers {
                    try database.run(
                        "INSERT OR REPLACE INTO transfer (identifier, data) VALUES (?, ?)",
                        [transfer.identifier, transfer.data]
                    )
                }
                for identifier in identifiers {
                    try database.run("DELETE FROM transfer WHERE identifier = ?", [identifier])
                }
            }
        }
    }
#endif
