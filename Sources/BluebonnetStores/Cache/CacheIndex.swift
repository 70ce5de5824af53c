#if Stores
    import Bluebonnet
    import FoundationEssentials
    import GRDB
    import Synchronization

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #else
        import Darwin
    #endif

    /// The index of a ``DiskCacheStore``: the table of its entries, and their sum.
    enum CacheIndex {
        /// The things that an entry says of its body.
        struct Entry: Sendable {
            var count: Int
            var hash: Data
            /// The time of its last use, in milliseconds since 1970.
            var used: Int
        }

        /// What `PRAGMA application_id` says of an index: "BluH".
        private static let applicationID = 0x426C_7548
        /// What `PRAGMA user_version` says of this version.
        private static let format = 1
        /// The longest wait for another process, in seconds.
        private static let patience = 0.25

        /// Opens the index, or makes it. Where other processes do so at the same time, it tries
        /// again a few times.
        static func open(_ path: String) throws -> DatabasePool {
            var tries = 0
            while true {
                do {
                    return try openNow(path)
                } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY && tries < mostTries {
                    tries += 1
                    usleep(pause)
                }
            }
        }

        /// The most tries to open the index again, and the microseconds between two.
        private static let mostTries = 10
        private static let pause: UInt32 = 20_000

        private static func openNow(_ path: String) throws -> DatabasePool {
            // Once in a process: closing a file gives up all locks that the process has on it, also
            // those of SQLite (<https://www.sqlite.org/howtocorrupt.html>, §2.2).
            if !opened.withLock({ $0.contains(path) }), try isNew(path) { try make(path) }
            var configuration = Configuration()
            configuration.label = "Bluebonnet cache"
            configuration.busyMode = .timeout(patience)
            let pool = try DatabasePool(path: path, configuration: configuration)
            opened.withLock { _ = $0.insert(path) }
            try pool.writeWithoutTransaction { database in
                // Where a process was killed while it made them.
                try makeMissingTables(in: database)
                // One that an earlier version has made has no numbers of changes.
                if try !database.tableExists("mark") { try database.execute(sql: markTable) }
                // Readers and the one writer do not wait for each other: the pool has set WAL, and
                // gives each reader a connection of its own.
                // A loss of power may cost the newest entries, and damages none.
                try database.execute(sql: "PRAGMA synchronous = NORMAL")
            }
            return pool
        }

        /// The paths of the indexes that this process has opened.
        private static let opened = Mutex<Set<String>>([])

        /// Checks a file before SQLite has it, which would write what is another program's, and
        /// makes one where there is none.
        ///
        /// - Returns: Whether it has no tables yet.
        private static func isNew(_ path: String) throws -> Bool {
            let header = try DatabaseHeader(path)
            if let header {
                guard header.applicationID == applicationID else {
                    throw SystemFile.Unusable("\(path) is the file of another program")
                }
                guard header.userVersion <= format else {
                    throw SystemFile.Unusable("\(path) was written by a newer version of Bluebonnet")
                }
            }
            try StoreFolder.makePrivateFile(path)
            return header == nil
        }

        /// Makes the tables. Not through the pool, whose log would have the identifier: a process
        /// that is killed before the log comes into the file would leave one that looks like
        /// another program's.
        private static func make(_ path: String) throws {
            var configuration = Configuration()
            configuration.label = "Bluebonnet cache"
            configuration.busyMode = .timeout(patience)
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            try queue.writeWithoutTransaction { try makeMissingTables(in: $0) }
            try queue.close()
        }

        private static func makeMissingTables(in database: Database) throws {
            guard try Int.fetchOne(database, sql: "PRAGMA application_id") != applicationID else { return }
            // The identifier comes into the file with the tables, in one step.
            try database.inTransaction(.immediate) {
                // Another process may have made them meanwhile.
                if try Int.fetchOne(database, sql: "PRAGMA application_id") != applicationID {
                    try makeTables(in: database)
                }
                return .commit
            }
        }

        private static func makeTables(in database: Database) throws {
            guard try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_master") == 0 else {
                throw SystemFile.Unusable("the index is the database of another program")
            }
            try database.execute(sql: "PRAGMA application_id = \(applicationID)")
            try database.execute(sql: "PRAGMA user_version = \(format)")
            // The sum is kept by triggers, so that making room costs no look at all entries.
            try database.execute(
                sql: """
                    CREATE TABLE entry (
                        identifier INTEGER PRIMARY KEY NOT NULL, key TEXT NOT NULL, data BLOB NOT NULL,
                        count INTEGER NOT NULL, hash BLOB NOT NULL, cost INTEGER NOT NULL, used INTEGER NOT NULL
                    ) STRICT;
                    CREATE INDEX entryKey ON entry (key);
                    CREATE INDEX entryUse ON entry (used);
                    CREATE TABLE total (cost INTEGER NOT NULL) STRICT;
                    INSERT INTO total VALUES (0);
                    CREATE TRIGGER entryAdded AFTER INSERT ON entry
                    BEGIN UPDATE total SET cost = cost + new.cost; END;
                    CREATE TRIGGER entryRemoved AFTER DELETE ON entry
                    BEGIN UPDATE total SET cost = cost - old.cost; END;
                    CREATE TRIGGER entryChanged AFTER UPDATE OF cost ON entry
                    BEGIN UPDATE total SET cost = cost - old.cost + new.cost; END;
                    """
            )
        }

        // MARK: Reading

        /// The latest time of a use.
        private static let latest = 1 << 53

        static func contains(_ identifier: UInt64, in database: Database) throws -> Bool {
            try entry(identifier, in: database) != nil
        }

        static func records(of key: String, in database: Database) throws -> [CacheRecord] {
            // The newest first. Those of another version of the library are none.
            let sql = "SELECT data FROM entry WHERE key = ? ORDER BY used DESC LIMIT \(2 * HTTPCache.mostVariants)"
            let rows = try Data.fetchAll(try database.cachedStatement(sql: sql), arguments: [key])
            return rows.compactMap { CacheRecord(encoded: $0) }
        }

        static func all(in database: Database) throws -> [CacheRecord] {
            try Data.fetchAll(database, sql: "SELECT data FROM entry ORDER BY used DESC, identifier")
                .compactMap { CacheRecord(encoded: $0) }
        }

        static func entry(_ identifier: UInt64, in database: Database) throws -> Entry? {
            let statement = try database.cachedStatement(
                sql: "SELECT count, hash, used FROM entry WHERE identifier = ?"
            )
            guard let row = try Row.fetchOne(statement, arguments: [Int64(clamping: identifier)]) else { return nil }
            let entry = Entry(
                count: try row.decode(atIndex: 0),
                hash: try row.decode(atIndex: 1),
                used: try row.decode(atIndex: 2)
            )
            // Of a damaged index nothing is used.
            return entry.count >= 0 && 0...latest ~= entry.used ? entry : nil
        }

        static func total(in database: Database) throws -> Int {
            try Int.fetchOne(database, sql: "SELECT cost FROM total") ?? 0
        }

        // MARK: Writing

        static func insert(
            _ record: CacheRecord,
            _ data: Data,
            _ entry: Entry,
            cost: Int,
            in database: Database
        ) throws {
            // The newest is used last, whatever the clock says.
            let last = try Int.fetchOne(try database.cachedStatement(sql: "SELECT max(used) FROM entry")) ?? 0
            let statement = try database.cachedStatement(
                sql: "INSERT INTO entry (identifier, key, data, count, hash, cost, used) VALUES (?, ?, ?, ?, ?, ?, ?)"
            )
            try statement.execute(
                arguments: [
                    Int64(clamping: record.identifier), record.key, data, entry.count, entry.hash, cost + data.count,
                    max(entry.used, min(max(0, last), latest - 1) + 1),
                ]
            )
        }

        static func update(_ identifier: UInt64, _ data: Data, in database: Database) throws {
            let sql = "UPDATE entry SET cost = cost - length(data) + ?, data = ? WHERE identifier = ?"
            try database.cachedStatement(sql: sql).execute(arguments: [data.count, data, Int64(clamping: identifier)])
        }

        static func markUsed(_ identifier: UInt64, at now: Int, in database: Database) throws {
            try database.cachedStatement(sql: "UPDATE entry SET used = ? WHERE identifier = ?")
                .execute(arguments: [now, Int64(clamping: identifier)])
        }

        @discardableResult
        static func remove(_ identifiers: [UInt64], in database: Database) throws -> [UInt64] {
            let statement = try database.cachedStatement(sql: "DELETE FROM entry WHERE identifier = ?")
            for identifier in identifiers { try statement.execute(arguments: [Int64(clamping: identifier)]) }
            return identifiers
        }

        /// Removes the entries of a key, also those of another version of the library.
        static func removeAll(of key: String, in database: Database) throws -> [UInt64] {
            let statement = try database.cachedStatement(sql: "SELECT identifier FROM entry WHERE key = ?")
            let all = try Int64.fetchAll(statement, arguments: [key]).map { UInt64(clamping: $0) }
            return try remove(all, in: database)
        }

        static func removeAll(in database: Database) throws -> [UInt64] {
            let all = try Int64.fetchAll(database, sql: "SELECT identifier FROM entry").map { UInt64(clamping: $0) }
            try database.execute(sql: "DELETE FROM entry")
            return all
        }

        /// Removes the entries in whose place a new one comes, and of too many variants those that
        /// were not used for the longest time.
        static func removeReplaced(by record: CacheRecord, in database: Database) throws -> [UInt64] {
            let known = try records(of: record.key, in: database)
            let replaced = known.filter { $0.isReplaced(by: record) }.map(\.identifier)
            let kept = known.filter { !$0.isReplaced(by: record) }.map(\.identifier)
            return try remove(replaced + kept.dropFirst(HTTPCache.mostVariants - 1), in: database)
        }

        /// What a store keeps.
        struct Limits: Sendable {
            /// The bytes that the entries take at most.
            var capacity: Int
            /// Entries that were used last before this time are removed, in milliseconds since
            /// 1970.
            var unusedSince: Int?
        }

        /// Removes the entries that were not used for the longest time, until the others have room
        /// and were used late enough. These are changes of their keys too: a later removal finds
        /// nothing of them to note.
        static func makeRoom(_ limits: Limits, _ marks: CacheMarks, in database: Database) throws -> [UInt64] {
            guard try limits.unusedSince != nil || total(in: database) > limits.capacity else { return [] }
            var removed: [UInt64] = []
            let statement = try database.cachedStatement(
                sql: "SELECT identifier, key, used FROM entry ORDER BY used LIMIT 8"
            )
            while true {
                let oldest = try Row.fetchAll(statement)
                for row in oldest {
                    let (identifier, key): (Int64, String) = (try row.decode(atIndex: 0), try row.decode(atIndex: 1))
                    let isOld = try limits.unusedSince.map { try row.decode(Int.self, atIndex: 2) < $0 } ?? false
                    guard try isOld || total(in: database) > limits.capacity else { return removed }
                    try noteChange(of: key, marks, in: database)
                    removed += try remove([UInt64(clamping: identifier)], in: database)
                }
                if oldest.isEmpty { return removed }
            }
        }
    }
#endif
