#if Stores
    import CSQLite
    import FoundationEssentials

    /// A connection to an SQLite database, for one thread at a time; ``SQLiteQueue`` shares one.
    ///
    /// Statements are compiled once and kept: their texts are constants, and few.
    ///
    /// Safe to use, because the handles of the library are private, live as long as the object, and
    /// only see buffers that are valid for the length of a call, or that the library copies.
    @safe final class SQLiteConnection {
        enum TransactionKind: String {
            /// Sees one state of the database, and keeps no writer waiting that has a log.
            case reading = "DEFERRED"
            /// Takes the one lock for writers at once, so that it does not fail halfway.
            case writing = "IMMEDIATE"
        }

        private let handle: OpaquePointer
        private var statements: [String: OpaquePointer] = unsafe [:]
        /// The lock on the folder of the database, where it has one. Given back when the connection
        /// is closed: the properties of an object live until `deinit` has ended.
        private let lock: FolderLock?

        /// Opens a database, or makes an empty one.
        ///
        /// - Parameters:
        ///   - path: The path of the file.
        ///   - patience: The longest wait for the lock of another connection.
        ///   - makesFile: Whether a file that is missing is made. Default: true.
        ///   - lock: A lock to keep until the connection is closed.
        /// - Throws: ``SQLiteError``.
        init(_ path: String, patience: Duration, makesFile: Bool = true, lock: FolderLock? = nil) throws {
            var handle: OpaquePointer?
            // The threads take turns already.
            let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | (makesFile ? SQLITE_OPEN_CREATE : 0)
            let code = unsafe sqlite3_open_v2(path, &handle, flags, nil)
            guard let handle = unsafe handle else { throw SQLiteError(code, "there is no memory for it") }
            unsafe self.handle = handle
            self.lock = lock
            // From here on the object is whole, and its end closes the handle.
            guard code == SQLITE_OK else { throw failure(code) }
            unsafe sqlite3_busy_timeout(handle, CInt(patience / .milliseconds(1)))
        }

        deinit {
            unsafe statements.values.forEach { unsafe sqlite3_finalize($0) }
            unsafe sqlite3_close_v2(handle)
        }

        /// Executes statements without parameters, of which it forgets the rows.
        ///
        /// - Throws: ``SQLiteError``.
        func execute(_ script: String) throws {
            let code = unsafe sqlite3_exec(handle, script, nil, nil, nil)
            guard code == SQLITE_OK else { throw failure(code) }
        }

        /// Executes one statement.
        ///
        /// - Parameters:
        ///   - sql: The statement.
        ///   - values: The values of its parameters, each a `?`.
        /// - Throws: ``SQLiteError``.
        func run(_ sql: String, _ values: [any SQLiteStorable] = []) throws {
            _ = try rows(sql, values)
        }

        /// The rows of one statement.
        ///
        /// - Parameters:
        ///   - sql: The statement.
        ///   - values: The values of its parameters, each a `?`.
        /// - Returns: The rows.
        /// - Throws: ``SQLiteError``.
        func rows(_ sql: String, _ values: [any SQLiteStorable] = []) throws -> [SQLiteRow] {
            let statement = unsafe try prepared(sql)
            defer {
                unsafe sqlite3_reset(statement)
                unsafe sqlite3_clear_bindings(statement)
            }
            for (index, value) in values.enumerated() {
                let code = unsafe Self.bind(value.stored, at: CInt(index + 1), of: statement)
                guard code == SQLITE_OK else { throw failure(code) }
            }
            var rows: [SQLiteRow] = []
            while true {
                let code = unsafe sqlite3_step(statement)
                switch code {
                case SQLITE_ROW: unsafe rows.append(Self.row(of: statement))
                case SQLITE_DONE: return rows
                default: throw failure(code)
                }
            }
        }

        /// The first column of the first row; nil where there is no row.
        ///
        /// - Throws: ``SQLiteError``.
        func value<Value: SQLiteStorable>(_ sql: String, _ values: [any SQLiteStorable] = []) throws -> Value? {
            try rows(sql, values).first?.value(0)
        }

        /// Does all of some work or, where it throws, none of it.
        ///
        /// - Throws: What the work throws, and ``SQLiteError``.
        func transaction<Value>(
            _ kind: TransactionKind,
            _ work: (SQLiteConnection) throws -> Value
        ) throws -> Value {
            try run("BEGIN \(kind.rawValue)")
            do {
                let value = try work(self)
                try run("COMMIT")
                return value
            } catch {
                // After some failures SQLite has ended it already. The first failure is the one
                // that counts.
                if unsafe sqlite3_get_autocommit(handle) == 0 { try? run("ROLLBACK") }
                throw error
            }
        }

        /// Gives the database a write-ahead log (<https://www.sqlite.org/wal.html>): those who read
        /// and the one who writes do not wait for each other.
        ///
        /// - Throws: ``SQLiteError``, also for a file system on which it does not work.
        func useLog() throws {
            let mode: String? = try value("PRAGMA journal_mode = WAL")
            guard mode == "wal" else { throw SQLiteError(SQLITE_CANTOPEN, "the database cannot have a log here") }
        }

        // MARK: Statements

        private func prepared(_ sql: String) throws -> OpaquePointer {
            if let statement = unsafe statements[sql] { return unsafe statement }
            var statement: OpaquePointer?
            let code = unsafe sqlite3_prepare_v3(
                handle,
                sql,
                -1,
                CUnsignedInt(SQLITE_PREPARE_PERSISTENT),
                &statement,
                nil
            )
            guard let statement = unsafe statement, code == SQLITE_OK else { throw failure(code) }
            unsafe statements[sql] = statement
            return unsafe statement
        }

        /// What `SQLITE_TRANSIENT` is in C, a cast that Swift does not import: SQLite copies the
        /// bytes before the call returns. It is a number in the place of a pointer, and nobody
        /// calls it.
        private static var copies: sqlite3_destructor_type? {
            unsafe unsafeBitCast(-1, to: sqlite3_destructor_type?.self)
        }

        private static func bind(_ value: SQLiteValue, at index: CInt, of statement: OpaquePointer) -> CInt {
            switch value {
            case .null: unsafe sqlite3_bind_null(statement, index)
            case .integer(let number): unsafe sqlite3_bind_int64(statement, index, number)
            case .real(let number): unsafe sqlite3_bind_double(statement, index, number)
            case .text(var text):
                text.withUTF8 { bytes in
                    unsafe bytes.withMemoryRebound(to: CChar.self) { bytes in
                        unsafe sqlite3_bind_text64(
                            statement,
                            index,
                            bytes.baseAddress,
                            sqlite3_uint64(bytes.count),
                            copies,
                            UInt8(SQLITE_UTF8)
                        )
                    }
                }
            case .blob(let data):
                unsafe data.withUnsafeBytes { bytes in
                    // Without an address it would be null.
                    let count = bytes.count
                    guard let address = bytes.baseAddress else {
                        return unsafe sqlite3_bind_zeroblob(statement, index, CInt(count))
                    }
                    return unsafe sqlite3_bind_blob64(statement, index, address, sqlite3_uint64(count), copies)
                }
            }
        }

        private static func row(of statement: OpaquePointer) -> SQLiteRow {
            let count = unsafe sqlite3_column_count(statement)
            return SQLiteRow(
                values: (0..<count).map { index in
                    switch unsafe sqlite3_column_type(statement, index) {
                    case SQLITE_INTEGER: .integer(unsafe sqlite3_column_int64(statement, index))
                    case SQLITE_FLOAT: .real(unsafe sqlite3_column_double(statement, index))
                    case SQLITE_TEXT: .text(unsafe String(decoding: bytes(of: statement, index), as: UTF8.self))
                    case SQLITE_BLOB: .blob(unsafe Data(bytes(of: statement, index)))
                    default: .null
                    }
                }
            )
        }

        /// The bytes of a text or a blob, until the next step.
        private static func bytes(of statement: OpaquePointer, _ index: CInt) -> UnsafeRawBufferPointer {
            // In this order: the second call could otherwise convert what the first has returned.
            let start = unsafe sqlite3_column_blob(statement, index)
            return unsafe UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, index)))
        }

        private func failure(_ code: CInt) -> SQLiteError {
            SQLiteError(code, unsafe String(cString: sqlite3_errmsg(handle)))
        }
    }
#endif
