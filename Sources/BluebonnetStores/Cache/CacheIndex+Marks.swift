#if Stores
    import Bluebonnet

    /// The numbers of changes in the index; see ``CacheMarks``.
    extension CacheIndex {
        static let markTable = """
            CREATE TABLE IF NOT EXISTS mark (bucket INTEGER PRIMARY KEY NOT NULL, number INTEGER NOT NULL) STRICT
            """

        /// The number of the keys of a bucket.
        static func mark(of bucket: Int, in database: SQLiteConnection) throws -> UInt64 {
            let number: Int64? = try database.value("SELECT number FROM mark WHERE bucket = ?", [bucket])
            return UInt64(clamping: number ?? 0)
        }

        /// Notes a change for a key, in the transaction of the change.
        static func noteChange(of key: String, _ marks: CacheMarks, in database: SQLiteConnection) throws {
            let bucket = CacheMarks.bucket(of: key)
            let sql = """
                INSERT INTO mark (bucket, number) VALUES (?, 1)
                ON CONFLICT (bucket) DO UPDATE SET number = number + 1
                """
            try database.run(sql, [bucket])
            try marks.write(mark(of: bucket, in: database), of: bucket)
        }

        /// Notes a change for all keys.
        static func noteChanges(_ marks: CacheMarks, in database: SQLiteConnection) throws {
            // Those without a number have never had a response.
            try database.run("UPDATE mark SET number = number + 1")
            for row in try database.rows("SELECT bucket, number FROM mark") {
                let (bucket, number): (Int, Int64) = (try row.value(0), try row.value(1))
                guard 0..<CacheMarks.bucketCount ~= bucket else { continue }
                try marks.write(UInt64(clamping: number), of: bucket)
            }
        }
    }
#endif
