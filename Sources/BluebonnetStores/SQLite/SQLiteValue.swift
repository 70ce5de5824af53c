#if Stores
    import CSQLite
    import FoundationEssentials

    /// A value of SQLite (<https://www.sqlite.org/datatype3.html>, §2).
    enum SQLiteValue {
        case null
        case integer(Int64)
        case real(Double)
        case text(String)
        case blob(Data)
    }

    /// A type whose values are in the database as one of SQLite's.
    protocol SQLiteStorable: Sendable {
        var stored: SQLiteValue { get }

        /// Nil for a value of another kind: SQLite stores any kind in a column that is not strict.
        init?(stored: SQLiteValue)
    }

    extension Int64: SQLiteStorable {
        var stored: SQLiteValue { .integer(self) }

        init?(stored: SQLiteValue) {
            guard case .integer(let value) = stored else { return nil }
            self = value
        }
    }

    extension Int: SQLiteStorable {
        var stored: SQLiteValue { .integer(Int64(self)) }

        init?(stored: SQLiteValue) {
            guard case .integer(let value) = stored else { return nil }
            self.init(exactly: value)
        }
    }

    extension Bool: SQLiteStorable {
        var stored: SQLiteValue { .integer(self ? 1 : 0) }

        init?(stored: SQLiteValue) {
            guard case .integer(let value) = stored else { return nil }
            self = value != 0
        }
    }

    extension Double: SQLiteStorable {
        var stored: SQLiteValue { .real(self) }

        init?(stored: SQLiteValue) {
            guard case .real(let value) = stored else { return nil }
            self = value
        }
    }

    extension String: SQLiteStorable {
        var stored: SQLiteValue { .text(self) }

        init?(stored: SQLiteValue) {
            guard case .text(let value) = stored else { return nil }
            self = value
        }
    }

    extension Data: SQLiteStorable {
        var stored: SQLiteValue { .blob(self) }

        init?(stored: SQLiteValue) {
            guard case .blob(let value) = stored else { return nil }
            self = value
        }
    }

    extension Optional: SQLiteStorable where Wrapped: SQLiteStorable {
        var stored: SQLiteValue { self?.stored ?? .null }

        init?(stored: SQLiteValue) {
            if case .null = stored {
                self = .none
            } else if let value = Wrapped(stored: stored) {
                self = value
            } else {
                return nil
            }
        }
    }

    /// The values of one row.
    struct SQLiteRow {
        let values: [SQLiteValue]

        /// The value of a column.
        ///
        /// - Throws: ``SQLiteError`` where the value is of another kind.
        func value<Value: SQLiteStorable>(_ index: Int, as type: Value.Type = Value.self) throws -> Value {
            guard let value = Value(stored: values[index]) else {
                throw SQLiteError(SQLITE_MISMATCH, "a value of column \(index) is of another kind")
            }
            return value
        }
    }

    /// A failure that SQLite reports.
    struct SQLiteError: Error, CustomStringConvertible {
        /// The primary result code (<https://www.sqlite.org/rescode.html>, §2).
        let code: CInt
        let message: String

        init(_ code: CInt, _ message: String) {
            // An extended result code has the primary one in its last byte.
            self.code = code & 0xFF
            self.message = message
        }

        /// What SQLite does not find itself.
        static func damage(_ message: String) -> Self { Self(SQLITE_CORRUPT, message) }

        /// Whether another connection kept its lock for too long.
        var isBusy: Bool { code == SQLITE_BUSY }
        /// Whether the file is not a database, or a broken one.
        var isDamage: Bool { code == SQLITE_CORRUPT || code == SQLITE_NOTADB }

        var description: String { "SQLite error \(code): \(message)" }
    }
#endif
