#if Stores
    import Bluebonnet
    import Dispatch
    import Synchronization

    /// A connection to an SQLite database that threads use one after the other.
    final class SQLiteQueue: Sendable {
        private let connection: Mutex<SQLiteConnection>

        /// Opens a database; see ``SQLiteConnection/init(_:patience:makesFile:lock:)``.
        init(_ path: String, patience: Duration, makesFile: Bool = true, lock: FolderLock? = nil) throws {
            connection = Mutex(try SQLiteConnection(path, patience: patience, makesFile: makesFile, lock: lock))
        }

        /// Does work without a transaction around it.
        func use<Value: Sendable>(_ work: @Sendable (SQLiteConnection) throws -> Value) throws -> Value {
            try connection.withLock { try work($0) }
        }

        /// Reads one state of the database.
        func read<Value: Sendable>(_ work: @Sendable (SQLiteConnection) throws -> Value) throws -> Value {
            try connection.withLock { try $0.transaction(.reading, work) }
        }

        /// Makes all of a change, or none of it.
        func write<Value: Sendable>(_ work: @Sendable (SQLiteConnection) throws -> Value) throws -> Value {
            try connection.withLock { try $0.transaction(.writing, work) }
        }
    }

    /// An SQLite database with a write-ahead log: one connection writes, and others read at the
    /// same time.
    final class SQLitePool: Sendable {
        private let path: String
        private let writer: SQLiteQueue
        /// The connections that read, while nobody uses them. There are never more than threads for
        /// files, on which they are used.
        private let readers = Mutex<[SQLiteQueue]>([])
        /// The changes wait here, and not on the threads for files, on which others read.
        private let changes = DispatchQueue(label: "Bluebonnet cache")

        /// The longest wait of one who reads: only while the log is made anew after a crash, or
        /// removed (<https://www.sqlite.org/wal.html>, §6.1).
        private static let readersPatience = Duration.seconds(10)

        /// Opens a database, or makes an empty one.
        ///
        /// - Parameters:
        ///   - path: The path of the file.
        ///   - patience: The longest wait for another process that writes.
        /// - Throws: ``SQLiteError``.
        init(_ path: String, patience: Duration) throws {
            self.path = path
            writer = try SQLiteQueue(path, patience: patience)
            try writer.use { try $0.useLog() }
        }

        /// Uses the connection that writes, without a transaction around it. Blocks.
        func use<Value: Sendable>(_ work: @Sendable (SQLiteConnection) throws -> Value) throws -> Value {
            try writer.use(work)
        }

        /// Reads one state of the database. Blocks.
        func read<Value: Sendable>(_ work: @Sendable (SQLiteConnection) throws -> Value) throws -> Value {
            let reader = try readers.withLock { $0.popLast() } ?? makeReader()
            defer { readers.withLock { $0.append(reader) } }
            return try reader.read(work)
        }

        /// Reads one state of the database.
        func read<Value: Sendable>(
            _ work: @escaping @Sendable (SQLiteConnection) throws -> Value
        ) async throws -> Value {
            try await FileWork.run { try self.read(work) }
        }

        /// Makes all of a change, or none of it. Blocks.
        func write<Value: Sendable>(_ work: @Sendable (SQLiteConnection) throws -> Value) throws -> Value {
            try writer.write(work)
        }

        /// Makes all of a change, or none of it.
        func write<Value: Sendable>(
            _ work: @escaping @Sendable (SQLiteConnection) throws -> Value
        ) async throws -> Value {
            try await withCheckedThrowingContinuation { continuation in
                changes.async { continuation.resume(with: Result { try self.writer.write(work) }) }
            }
        }

        /// Makes a change for which nobody waits, and which may fail.
        func beginWriting(_ work: @escaping @Sendable (SQLiteConnection) throws -> Void) {
            changes.async { try? self.writer.write(work) }
        }

        private func makeReader() throws -> SQLiteQueue {
            // Where the file was removed, another one must not take its place.
            let reader = try SQLiteQueue(path, patience: Self.readersPatience, makesFile: false)
            try reader.use { try $0.run("PRAGMA query_only = ON") }
            return reader
        }
    }
#endif
