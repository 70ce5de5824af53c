#if Stores
    import Bluebonnet
    import Foundation
    import Testing

    @testable import BluebonnetStores

    struct SQLitePoolTests {
        private func withPool(_ body: (SQLitePool) async throws -> Void) async throws {
            try await withDirectory { directory in
                let pool = try SQLitePool(directory.appending(path: "a").path, patience: .seconds(5))
                try pool.use { try $0.run("CREATE TABLE a (a INTEGER NOT NULL)") }
                try await body(pool)
            }
        }

        @Test func `many read and write at the same time, and nothing is lost`() async throws {
            try await withPool { pool in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 1...100 {
                        group.addTask { try await pool.write { try $0.run("INSERT INTO a VALUES (?)", [number]) } }
                        group.addTask { _ = try await pool.read { try $0.rows("SELECT a FROM a") } }
                    }
                    try await group.waitForAll()
                }
                let sum: Int? = try await pool.read { try $0.value("SELECT sum(a) FROM a") }
                #expect(sum == 5050)
            }
        }

        @Test func `one who reads sees one state, while another one writes`() async throws {
            try await withPool { pool in
                let counts = try await pool.read { database -> [Int?] in
                    let before: Int? = try database.value("SELECT count(*) FROM a")
                    try pool.write { try $0.run("INSERT INTO a VALUES (1)") }
                    return [before, try database.value("SELECT count(*) FROM a")]
                }
                #expect(counts == [0, 0])
                let after: Int? = try await pool.read { try $0.value("SELECT count(*) FROM a") }
                #expect(after == 1)
            }
        }

        @Test func `one who reads cannot write`() async throws {
            try await withPool { pool in
                await #expect(throws: SQLiteError.self) {
                    try await pool.read { try $0.run("INSERT INTO a VALUES (1)") }
                }
            }
        }
    }
#endif
