#if Stores
    import Bluebonnet
    import FoundationEssentials
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
        /// The longest wait for another process.
        private static let patience = Duration.milliseconds(250)

        /// Opens the index, or makes it. Where other processes do so at the same time, it tries
        /// again a few times.
        static func open(_ path: String) throws -> SQLitePool {
            var tries = 0
            while true {
                do {
                    return try openNow(path)
                } catch let error as SQLiteError where error.isBusy && tries < mostTries {
                    tries += 1
                    usleep(pause)
                }
            }
        }

        /// The most tries to open the index again, and the microseconds between two.
        private static let mostTries = 10
        private static let pause: UInt32 = 20_000

        private static func openNow(_ path: String) throws -> SQLitePool {
            try SQLiteFirstLook.take(at: path) {
                guard try isNew(path) else { return }
                // Not through the pool, whose log would have the identifier: a process that is
                // killed before the log comes into the file would leave one that looks like another
                // program's.
                try SQLiteQueue(path, patience: patience).use { try makeMissingTables(in: $0) }
            }
            let pool = try SQLitePool(path, patience: patience)
            try pool.use { database in
                // Where a process was killed while it made them.
                try makeMissingTables(in: database)
                // One that an earlier version has made has no numbers of changes.
                if try database.value("SELECT 1 FROM sqlite_master WHERE name = 'mark'") != 1 {
                    try database.run(markTable)
                }
                // A loss of power may cost the newest entries, and damages none.
                try database.run("PRAGMA synchronous = NORMAL")
            }
            return pool
        }

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

        private static func makeMissingTables(in database: SQLiteConnection) throws {
            guard try database.value("PRAGMA application_id") != applicationID else { return }
            // The identifier comes into the file with the tables, in one step. Another process may
            // have made them meanwhile.
            try database.transaction(.writing, makeTables)
        }

        private static func makeTables(in database: SQLiteConnection) throws {
            guard try database.value("PRAGMA application_id") != applicationID else { return }
            guard try database.value("SELECT count(*) FROM sqlite_master") == 0 else {
                throw SystemFile.Unusable("the index is the database of another program")
            }
            // The sum is kept by triggers, so that making room costs no look at all entries.
            try database.execute(
                """
                PRAGMA application_id = \(applicationID);
                PRAGMA user_version = \(format);
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

        static func contains(_ identifier: UInt64, in database: SQLiteConnection) throws -> Bool {
            try entry(identifier, in: database) != nil
        }

        static func records(of key: String, in database: SQLiteConnection) throws -> [CacheRecord] {
            // The newest first. Those of another version of the library are none.
            let sql = "SELECT data FROM entry WHERE key = ? ORDER BY used DESC LIMIT \(2 * HTTPCache.mostVariants)"
            return try database.rows(sql, [key]).compactMap { CacheRecord(encoded: try $0.value(0)) }
        }

        static func all(in database: SQLiteConnection) throws -> [CacheRecord] {
            try database.rows("SELECT data FROM entry ORDER BY used DESC, identifier")
                .compactMap { CacheRecord(encoded: try $0.value(0)) }
        }

        static func entry(_ identifier: UInt64, in database: SQLiteConnection) throws -> Entry? {
            let sql = "SELECT count, hash, used FROM entry WHERE identifier = ?"
            guard let row = try database.rows(sql, [Int64(clamping: identifier)]).first else { return nil }
            let entry = Entry(count: try row.value(0), hash: try row.value(1), used: try row.value(2))
            // Of a damaged index nothing is used.
            return entry.count >= 0 && 0...latest ~= entry.used ? entry : nil
        }

        static func total(in database: SQLiteConnection) throws -> Int {
            try database.value("SELECT cost FROM total") ?? 0
        }

        // MARK: Writing

        static func insert(
            _ record: CacheRecord,
            _ data: Data,
            _ entry: Entry,
            cost: Int,
            in database: SQLiteConnection
        ) throws {
            // The newest is used last, whatever the clock says. Of no entries the last is null.
            let found: Int?? = try database.value("SELECT max(used) FROM entry")
            let last = (found ?? nil) ?? 0
            try database.run(
                "INSERT INTO entry (identifier, key, data, count, hash, cost, used) VALUES (?, ?, ?, ?, ?, ?, ?)",
                [
                    Int64(clamping: record.identifier), record.key, data, entry.count, entry.hash, cost + data.count,
                    max(entry.used, min(max(0, last), latest - 1) + 1),
                ]
            )
        }

        static func update(_ identifier: UInt64, _ data: Data, in database: SQLiteConnection) throws {
            let sql = "UPDATE entry SET cost = cost - length(data) + ?, data = ? WHERE identifier = ?"
            try database.run(sql, [data.count, data, Int64(clamping: identifier)])
        }

        static func markUsed(_ identifier: UInt64, at now: Int, in database: SQLiteConnection) throws {
            try database.run("UPDATE entry SET used = ? WHERE identifier = ?", [now, Int64(clamping: identifier)])
        }

        @discardableResult
        static func remove(_ identifiers: [UInt64], in database: SQLiteConnection) throws -> [UInt64] {
            for identifier in identifiers {
                try database.run("DELETE FROM entry WHERE identifier = ?", [Int64(clamping: identifier)])
            }
            return identifiers
        }

        /// Removes the entries of a key, also those of another version of the library.
        static func removeAll(of key: String, in database: SQLiteConnection) throws -> [UInt64] {
            try remove(identifiers("SELECT identifier FROM entry WHERE key = ?", [key], in: database), in: database)
        }

        static func removeAll(in database: SQLiteConnection) throws -> [UInt64] {
            let all = try identifiers("SELECT identifier FROM entry", in: database)
            try database.run("DELETE FROM entry")
            return all
        }

        private static func identifiers(
            _ sql: String,
            _ values: [any SQLiteStorable] = [],
            in database: SQLiteConnection
        ) throws -> [UInt64] {
            try database.rows(sql, values).map { UInt64(clamping: try $0.value(0, as: Int64.self)) }
        }

        /// Removes the entries in whose place a new one comes, and of too many variants those that
        /// were not used for the longest time.
        static func removeReplaced(by record: CacheRecord, in database: SQLiteConnection) throws -> [UInt64] {
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
        static func makeRoom(_ limits: Limits, _ marks: CacheMarks, in database: SQLiteConnection) throws -> [UInt64] {
            guard try limits.unusedSince != nil || total(in: database) > limits.capacity else { return [] }
            var removed: [UInt64] = []
            while true {
                let oldest = try database.rows("SELECT identifier, key, used FROM entry ORDER BY used LIMIT 8")
                for row in oldest {
                    let (identifier, key): (Int64, String) = (try row.value(0), try row.value(1))
                    let isOld = try limits.unusedSince.map { try row.value(2, as: Int.self) < $0 } ?? false
                    guard try isOld || total(in: database) > limits.capacity else { return removed }
                    try noteChange(of: key, marks, in: database)
                    removed += try remove([UInt64(clamping: identifier)], in: database)
                }
                if oldest.isEmpty { return removed }
            }
        }
    }
#endif
