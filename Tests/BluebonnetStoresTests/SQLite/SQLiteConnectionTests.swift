#if Stores
    import Bluebonnet
    import Foundation
    import Testing

    @testable import BluebonnetStores

    struct SQLiteConnectionTests {
        private struct Stop: Error {}

        private func withDatabase(_ body: (SQLiteConnection) throws -> Void) async throws {
            try await withDirectory { directory throws in
                try body(try SQLiteConnection(directory.appending(path: "a").path, patience: .zero))
            }
        }

        @Test func `values of every kind are read as they were written`() async throws {
            try await withDatabase { database in
                try database.run("CREATE TABLE a (a, b, c, d, e, f, g)")
                let (text, bytes) = ("ä\0\u{1F98A}", Data([0, 255, 0]))
                let absent: String? = nil
                for _ in 0..<2 {
                    try database.run(
                        "INSERT INTO a VALUES (?, ?, ?, ?, ?, ?, ?)",
                        [Int.min, Int64.max, true, -0.5, text, bytes, absent]
                    )
                }
                let rows = try database.rows("SELECT * FROM a")
                #expect(rows.count == 2)
                for row in rows {
                    #expect(try row.value(0) == Int.min)
                    #expect(try row.value(1) == Int64.max)
                    #expect(try row.value(2) == true)
                    #expect(try row.value(3) == -0.5)
                    #expect(try row.value(4) == text)
                    #expect(try row.value(5) == bytes)
                    #expect(try row.value(6, as: String?.self) == nil)
                    #expect(try row.value(4, as: String?.self) == text)
                }
            }
        }

        @Test func `empty texts and blobs are not null`() async throws {
            try await withDatabase { database in
                let row = try #require(try database.rows("SELECT ?, ?", ["", Data()]).first)
                #expect(try row.value(0) == "")
                #expect(try row.value(1) == Data())
            }
        }

        @Test func `a value of another kind is an error`() async throws {
            try await withDatabase { database in
                let row = try #require(try database.rows("SELECT 1, 'a', x'00', NULL, 1.5").first)
                #expect(throws: SQLiteError.self) { try row.value(0, as: String.self) }
                #expect(throws: SQLiteError.self) { try row.value(1, as: Data.self) }
                #expect(throws: SQLiteError.self) { try row.value(2, as: Int.self) }
                #expect(throws: SQLiteError.self) { try row.value(3, as: Bool.self) }
                #expect(throws: SQLiteError.self) { try row.value(4, as: Int64?.self) }
                #expect(throws: SQLiteError.self) { try row.value(0, as: Double.self) }
            }
        }

        @Test func `a value of no row is nil`() async throws {
            try await withDatabase { database in
                let number: Int? = try database.value("SELECT 1 WHERE 0")
                #expect(number == nil)
            }
        }

        @Test func `a parameter that is not given again is null the next time`() async throws {
            try await withDatabase { database in
                #expect(try database.value("SELECT ?", ["a"]) == "a")
                let row = try #require(try database.rows("SELECT ?").first)
                #expect(try row.value(0, as: String?.self) == nil)
            }
        }

        @Test func `a transaction that throws changes nothing, and the next one works`() async throws {
            try await withDatabase { database in
                try database.run("CREATE TABLE a (a UNIQUE)")
                #expect(throws: Stop.self) {
                    try database.transaction(.writing) { database in
                        try database.run("INSERT INTO a VALUES (1)")
                        throw Stop()
                    }
                }
                let error = #expect(throws: SQLiteError.self) {
                    try database.transaction(.writing) { database in
                        for _ in 0..<2 { try database.run("INSERT INTO a VALUES (2)") }
                    }
                }
                #expect(error?.message.contains("UNIQUE") ?? false)
                try database.transaction(.writing) { try $0.run("INSERT INTO a VALUES (3)") }
                #expect(try database.rows("SELECT a FROM a").map { try $0.value(0) } == [3])
            }
        }

        @Test func `a wrong statement is an error with the reason of SQLite`() async throws {
            try await withDatabase { database in
                for sql in ["SELECT", "SELECT a FROM nowhere", "SELECT ?2"] {
                    let error = #expect(throws: SQLiteError.self) { try database.run(sql, [1, 2, 3]) }
                    #expect(error?.message.isEmpty == false)
                    #expect(error?.isBusy == false)
                }
                let error = #expect(throws: SQLiteError.self) { try database.execute("SELECT 1; NONSENSE") }
                #expect(error?.message.contains("NONSENSE") ?? false)
            }
        }

        @Test func `a file that is not a database is damage, and a folder is not`() async throws {
            try await withDirectory { directory throws in
                let file = directory.appending(path: "text")
                try Data(repeating: 0x55, count: 4096).write(to: file)
                let error = #expect(throws: SQLiteError.self) {
                    try SQLiteConnection(file.path, patience: .zero).rows("SELECT * FROM sqlite_master")
                }
                #expect(error?.isDamage == true)
                let other = #expect(throws: SQLiteError.self) { try SQLiteConnection(directory.path, patience: .zero) }
                #expect(other?.isDamage == false)
            }
        }

        @Test func `who finds the lock of another writer is told so`() async throws {
            try await withDirectory { directory throws in
                let path = directory.appending(path: "a").path
                let (first, second) = (
                    try SQLiteConnection(path, patience: .zero), try SQLiteConnection(path, patience: .zero)
                )
                try first.run("BEGIN IMMEDIATE")
                let error = #expect(throws: SQLiteError.self) { try second.transaction(.writing) { _ in } }
                #expect(error?.isBusy == true)
                try first.run("ROLLBACK")
                try second.transaction(.writing) { _ in }
            }
        }
    }
#endif
