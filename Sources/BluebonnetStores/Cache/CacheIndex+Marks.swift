#if Stores
    import Bluebonnet
    import GRDB

    /// The numbers of changes in the index; see ``CacheMarks``.
    extension CacheIndex {
        static let markTable = """
            CREATE TABLE IF NOT EXISTS mark (bucket INTEGER PRIMARY KEY NOT NULL, number INTEGER NOT NULL) STRICT
            """

        /// The number of the keys of a bucket.
        static func mark(of bucket: Int, in database: Database) throws -> UInt64 {
            let statement = try database.cachedStatement(sql: "SELECT number FROM mark WHERE bucket = ?")
            return UInt64(clamping: try Int64.fetchOne(statement, arguments: [bucket]) ?? 0)
        }

        /// Notes a change for a key, in the transaction of the change.
        static func noteChange(of key: String, _ marks: CacheMarks, in database: Database) throws {
            let bucket = CacheMarks.bucket(of: key)
            let sql = """
                INSERT INTO mark (bucket, number) VALUES (?, 1)
                ON CONFLICT (bucket) DO UPDATE SET number = number + 1
                """
            try database.cachedStatement(sql: sql).execute(arguments: [bucket])
            try marks.write(mark(of: bucket, in: database), of: bucket)
        }

        /// Notes a change for all keys.
        static func noteChanges(_ marks: CacheMarks, in database: Database) throws {
            // Those without a number have never had a response.
            try database.execute(sql: "UPDATE mark SET number = number + 1")
            for row in try Row.fetchAll(database, sql: "SELECT bucket, number FROM mark") {
                let (bucket, number): (Int, Int64) = (try row.decode(atIndex: 0), try row.decode(atIndex: 1))
                guard 0..<CacheMarks.bucketCount ~= bucket else { continue }
                try marks.write(UInt64(clamping: number), of: bucket)
            }
        }
    }
#endif
