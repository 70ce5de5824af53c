#if Stores
    public import Bluebonnet
    public import FoundationEssentials
    import Synchronization

    /// Cookies in an SQLite database, which any number of processes use at the same time.
    ///
    /// ```
    /// let file = URL(filePath: "/var/lib/example/cookies.sqlite")
    /// let jar = try CookieJar(store: CookieDatabase(file: file))
    /// ```
    ///
    /// Unlike a ``CookieFile`` it keeps all of a cookie, also `SameSite` and the times, and a
    /// change writes some pages in place of the whole file.
    ///
    /// The file is of mode 0600. A change is on the disk or it is not, also after a crash or a loss
    /// of power. What is removed is overwritten with zeros (`PRAGMA secure_delete`). The database
    /// of another program is not changed: it is an error. The file has to be on a disk of this
    /// machine, since the locks of SQLite are not reliable over a network.
    ///
    /// No counterpart in AFNetworking or Alamofire.
    public final class CookieDatabase: CookieStore {
        private let path: String
        private let queue: SQLiteQueue
        /// What `PRAGMA data_version` said last: another number says that another connection has
        /// changed the file.
        private let version = Mutex<Int?>(nil)

        /// Opens the database, or makes it. Blocks for some milliseconds; up to five seconds while
        /// another process writes.
        ///
        /// - Parameter file: A file URL. Its folder must be there.
        /// - Throws: ``NetworkingError`` with `storeFailed` for a file that cannot be opened, is
        ///   damaged, is the file of another program, or was written by a newer version of the
        ///   library; with `storeInUse` where another process keeps its lock.
        public init(file: URL) throws(NetworkingError) {
            let path = file.path(percentEncoded: false)
            self.path = path
            do {
                guard file.isFileURL else { throw SystemFile.Unusable("it is not a file URL") }
                queue = try Self.open(path)
            } catch {
                throw Self.failure(path, error)
            }
        }

        /// The cookies of the database.
        ///
        /// - Returns: The cookies, also those whose time is over.
        /// - Throws: ``NetworkingError`` with `storeFailed` where they cannot be read, and with
        ///   `storeInUse` where another process keeps the lock.
        public func cookies() throws -> [Cookie] {
            do {
                return try queue.use { database in
                    noted(try database.transaction(.reading, Self.all))
                }
            } catch {
                throw Self.failure(path, error)
            }
        }

        /// Makes the changes of one process.
        ///
        /// - Parameters:
        ///   - changes: What the process has changed since the last call. May be empty.
        ///   - now: The present.
        /// - Returns: All cookies, where another process has changed some since the last call.
        /// - Throws: ``NetworkingError`` with `storeFailed` where they cannot be read or written,
        ///   and with `storeInUse` where another process keeps the lock.
        public func update(_ changes: CookieStoreChanges, at now: Date) throws -> [Cookie]? {
            do {
                return try queue.use { database in
                    let found = try database.transaction(changes.isEmpty ? .reading : .writing) { database in
                        let isForeign = try Self.version(of: database) != version.withLock { $0 }
                        if !changes.isEmpty { try Self.make(changes, at: now, in: database) }
                        return isForeign ? try Self.all(database) : nil
                    }
                    return found.map(noted)
                }
            } catch {
                throw Self.failure(path, error)
            }
        }

        // MARK: Rows

        /// The cookies, and what the database says of its version.
        private typealias Found = (cookies: [Cookie], version: Int?)

        /// The cookies that were found, whose version is noted: behind the end of the transaction,
        /// since those of one that failed are lost.
        private func noted(_ found: Found) -> [Cookie] {
            version.withLock { $0 = found.version }
            return found.cookies
        }

        private static func all(_ database: SQLiteConnection) throws -> Found {
            let number = try version(of: database)
            let sql = """
                SELECT name, value, domain, hostOnly, path, secure, httpOnly, sameSite, expires, created, lastUsed
                FROM cookie ORDER BY created, domain, path, name
                """
            return (try database.rows(sql).map(cookie), number)
        }

        private static func version(of database: SQLiteConnection) throws -> Int? {
            try database.value("PRAGMA data_version")
        }

        private static func cookie(_ row: SQLiteRow) throws -> Cookie {
            let sameSite: String? = try row.value(7)
            let expires: Double? = try row.value(8)
            var cookie = Cookie(
                name: try row.value(0),
                value: try row.value(1),
                domain: try row.value(2),
                isHostOnly: try row.value(3),
                path: try row.value(4),
                isSecure: try row.value(5),
                isHTTPOnly: try row.value(6),
                sameSite: sameSite.flatMap(Cookie.SameSite.init),
                expires: expires.map { Date(timeIntervalSinceReferenceDate: $0) },
                created: Date(timeIntervalSinceReferenceDate: try row.value(9))
            )
            cookie.lastUsed = Date(timeIntervalSinceReferenceDate: try row.value(10))
            return cookie
        }

        private static func make(_ changes: CookieStoreChanges, at now: Date, in database: SQLiteConnection) throws {
            if changes.removesAll { try database.run("DELETE FROM cookie") }
            let isOne = "domain = ? AND path = ? AND name = ? AND hostOnly = ?"
            for identity in changes.removed {
                try database.run("DELETE FROM cookie WHERE \(isOne)", values(identity))
            }
            for (identity, cookie) in changes.evicted {
                try database.run(
                    "DELETE FROM cookie WHERE \(isOne) AND value = ? AND expires IS ?",
                    values(identity) + [cookie.value, cookie.expires?.timeIntervalSinceReferenceDate]
                )
            }
            let store = """
                INSERT OR REPLACE INTO cookie
                (domain, path, name, hostOnly, value, secure, httpOnly, sameSite, expires, created, lastUsed)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
            for (identity, cookie) in changes.stored {
                let others: [any SQLiteStorable] = [
                    cookie.value, cookie.isSecure, cookie.isHTTPOnly, cookie.sameSite?.rawValue,
                    cookie.expires?.timeIntervalSinceReferenceDate, cookie.created.timeIntervalSinceReferenceDate,
                    cookie.lastUsed.timeIntervalSinceReferenceDate,
                ]
                try database.run(store, values(identity) + others)
            }
            // By the end that the database has: another process may have moved it.
            try database.run("DELETE FROM cookie WHERE expires <= ?", [now.timeIntervalSinceReferenceDate])
        }

        private static func values(_ identity: Cookie.Identity) -> [any SQLiteStorable] {
            [identity.domain, identity.path, identity.name, identity.isHostOnly]
        }

        // MARK: Opening

        /// What `PRAGMA application_id` says of a database of this class: "BluC".
        private static let applicationID = 0x426C_7543
        /// What `PRAGMA user_version` says of this version.
        private static let format = 1

        private static func open(_ path: String) throws -> SQLiteQueue {
            // The file is read before SQLite has it, which would roll back, or write, what is
            // another program's.
            try SQLiteFirstLook.take(at: path) {
                if let header = try DatabaseHeader(path) {
                    guard header.applicationID == applicationID else {
                        throw SystemFile.Unusable("it is the file of another program")
                    }
                    try check(version: header.userVersion)
                }
                try StoreFolder.makePrivateFile(path)
            }
            // The writers of all processes take turns. The journal of the default mode needs no
            // change of the file when it is opened, which two processes cannot make at once.
            let queue = try SQLiteQueue(path, patience: .seconds(5))
            try queue.use { database in
                try database.run("PRAGMA secure_delete = ON")
                if try database.value("PRAGMA application_id") != applicationID {
                    // Another process may have made it meanwhile.
                    try database.transaction(.writing, makeTable)
                }
                try check(version: database.value("PRAGMA user_version"))
            }
            return queue
        }

        private static func check(version: Int?) throws {
            guard let version, version <= format else {
                throw SystemFile.Unusable("it was written by a newer version of Bluebonnet")
            }
        }

        private static func makeTable(in database: SQLiteConnection) throws {
            guard try database.value("PRAGMA application_id") != applicationID else { return }
            guard try database.value("SELECT count(*) FROM sqlite_master") == 0 else {
                throw SystemFile.Unusable("it is the database of another program")
            }
            // The times are seconds since 2001, as Foundation counts.
            try database.execute(
                """
                PRAGMA application_id = \(applicationID);
                PRAGMA user_version = \(format);
                CREATE TABLE cookie (
                    domain TEXT NOT NULL, path TEXT NOT NULL, name TEXT NOT NULL, hostOnly INTEGER NOT NULL,
                    value TEXT NOT NULL, secure INTEGER NOT NULL, httpOnly INTEGER NOT NULL, sameSite TEXT,
                    expires REAL, created REAL NOT NULL, lastUsed REAL NOT NULL,
                    PRIMARY KEY (domain, path, name, hostOnly)
                ) STRICT, WITHOUT ROWID
                """
            )
        }

        private static func failure(_ path: String, _ error: any Error) -> NetworkingError {
            if let error = error as? NetworkingError { return error }
            let failure = error as? SQLiteError
            if failure?.isBusy ?? false {
                return NetworkingError(
                    .storeInUse,
                    "Another process keeps the lock on the cookies in \(path).",
                    underlying: error
                )
            }
            let isDamaged = failure?.isDamage ?? false
            return NetworkingError(
                .storeFailed,
                "The cookies in \(path) \(isDamaged ? "are damaged" : "cannot be used"): \(error)",
                underlying: error
            )
        }
    }
#endif
