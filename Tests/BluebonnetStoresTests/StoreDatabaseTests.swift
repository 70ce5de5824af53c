#if Stores
    import Bluebonnet
    import Foundation
    import Testing

    @testable import BluebonnetStores

    struct StoreDatabaseTests {
        private static let identifier = "com.example.sync"
        private static let some = StoredTransfer(identifier: 3, data: Data([0, 1, 255]))

        private func file(in directory: URL) -> URL {
            directory.appending(path: "\(Self.identifier)/bluebonnet.sqlite")
        }

        private func open(in directory: URL, replacesDamaged: Bool = false) throws -> StoreDatabase {
            try StoreDatabase(identifier: Self.identifier, directory: directory, replacesDamaged: replacesDamaged)
        }

        /// Has a database with one transfer made, and closed.
        private func fill(_ directory: URL) throws {
            try open(in: directory).transfers.update(storing: [Self.some], removing: [])
        }

        private func mode(_ url: URL) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
        }

        @Test func `what was stored is there when the database is opened again`() async throws {
            try await withDirectory { directory in
                try fill(directory)
                let store = try open(in: directory).transfers
                #expect(try store.transfers() == [Self.some])
                let other = StoredTransfer(identifier: 3, data: Data("other".utf8))
                let last = StoredTransfer(identifier: .max, data: Data())
                try store.update(storing: [other, last], removing: [7])
                #expect(Set(try store.transfers()) == [other, last])
                try store.update(storing: [], removing: [3, .max])
                #expect(try store.transfers() == [])
            }
        }

        @Test func `nobody else may read the files`() async throws {
            try await withDirectory { directory in
                let folder = directory.appending(path: Self.identifier)
                try FileManager.default.createDirectory(
                    at: folder,
                    withIntermediateDirectories: true,
                    attributes: [.posixPermissions: 0o755]
                )
                let database = try open(in: directory)
                try database.transfers.update(storing: [Self.some], removing: [])
                #expect(try mode(folder) == 0o700)
                let names = try names(in: folder)
                #expect(names == ["bluebonnet.sqlite", "bluebonnet.sqlite-shm", "bluebonnet.sqlite-wal", "lock"])
                for name in names { #expect(try mode(folder.appending(path: name)) == 0o600, "\(name)") }
            }
        }

        @Test func `every step is on the disk, and what is removed is overwritten`() async throws {
            try await withDirectory { directory in
                let database = try open(in: directory)
                func setting<Value: SQLiteStorable>(_ name: String) throws -> Value? {
                    try database.queue.use { try $0.value("PRAGMA \(name)") }
                }
                #expect(try setting("journal_mode") == "wal")
                // 2 is FULL.
                #expect(try setting("synchronous") == 2)
                #expect(try setting("secure_delete") == 1)
            }
        }

        // MARK: One owner

        @Test func `a second owner in the same process gets an error that says so`() async throws {
            try await withDirectory { directory in
                let first = try open(in: directory)
                let error = #expect(throws: NetworkingError(.storeInUse, "")) { try open(in: directory) }
                #expect(error?.message.contains("in use by this process") ?? false)
                withExtendedLifetime(first) {}
            }
        }

        @Test func `another process gets an error that names this one`() async throws {
            try await withDirectory { directory in
                let database = try open(in: directory)
                let (path, number) = (directory.path, Int(ProcessInfo.processInfo.processIdentifier))
                await #expect(processExitsWith: .success) { [path = path as String, number = number as Int] in
                    let error = #expect(throws: NetworkingError(.storeInUse, "")) {
                        try SessionConfiguration.persistent(
                            identifier: "com.example.sync",
                            directory: URL(filePath: path)
                        )
                    }
                    #expect(error?.message.contains("in use by process \(number):") ?? false)
                }
                withExtendedLifetime(database) {}
            }
        }

        @Test(arguments: ["", ".", "..", ".hidden", "a/b", "a\nb", String(repeating: "a", count: 201)])
        func `an identifier that could lead elsewhere is refused`(identifier: String) async throws {
            try await withDirectory { directory throws in
                #expect(throws: NetworkingError(.invalidRequest, "")) {
                    try StoreDatabase(identifier: identifier, directory: directory)
                }
                #expect(try names(in: directory) == [])
            }
        }

        // MARK: What can be wrong

        @Test(arguments: [false, true])
        func `a damaged database is an error, or put aside`(isWhole: Bool) async throws {
            try await withDirectory { directory in
                try fill(directory)
                var bytes = try Data(contentsOf: file(in: directory))
                // The page of the table, or the beginning of the file.
                let place = isWhole ? 0..<bytes.count : bytes.count - 4096..<bytes.count
                bytes.replaceSubrange(place, with: [UInt8](repeating: 0x55, count: place.count))
                try bytes.write(to: file(in: directory))
                let error = #expect(throws: NetworkingError(.storeFailed, "")) { try open(in: directory) }
                #expect(error?.message.contains("is damaged") ?? false, "\(error?.message ?? "")")
                let database = try open(in: directory, replacesDamaged: true)
                #expect(try database.transfers.transfers() == [])
                let aside = file(in: directory).path + ".damaged"
                #expect(FileManager.default.fileExists(atPath: aside))
            }
        }

        @Test func `what is put aside keeps its log, and what was put aside before`() async throws {
            try await withDirectory { directory throws in
                let folder = directory.appending(path: Self.identifier)
                for text in ["first", "second"] {
                    try StoreFolder.make(folder.path)
                    let path = folder.path + "/bluebonnet.sqlite"
                    for name in [path, path + "-wal", path + "-shm"] {
                        try Data(text.utf8).write(to: URL(filePath: name))
                    }
                    try StoreFolder.putAside(path)
                }
                let expected = ["damaged", "damaged-2"].flatMap {
                    ["bluebonnet.sqlite.\($0)", "bluebonnet.sqlite.\($0)-wal"]
                }
                #expect(try names(in: folder) == expected.sorted())
                for name in expected {
                    let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
                    #expect(text == (name.contains("-2") ? "second" : "first"))
                }
            }
        }

        @Test func `a transfer that is not of bytes is damage, not a crash`() async throws {
            try await withDirectory { directory in
                try fill(directory)
                let path = file(in: directory).path
                let insert = "INSERT INTO transfer VALUES (9, 7)"
                try SQLiteConnection(path, patience: .zero).run(insert)
                let error = #expect(throws: NetworkingError(.storeFailed, "")) { try open(in: directory) }
                #expect(error?.message.contains("is damaged") ?? false, "\(error?.message ?? "")")
                let database = try open(in: directory, replacesDamaged: true)
                try database.queue.write { try $0.run(insert) }
                #expect(throws: (any Error).self) { try database.transfers.transfers() }
            }
        }

        @Test func `an empty file is a new database`() async throws {
            try await withDirectory { directory in
                try fill(directory)
                try Data().write(to: file(in: directory))
                #expect(try open(in: directory).transfers.transfers() == [])
            }
        }

        @Test func `a database whose making was interrupted is made`() async throws {
            try await withDirectory { directory in
                try fill(directory)
                // A log has begun, and there is no table.
                let path = file(in: directory).path
                try SQLiteConnection(path, patience: .zero).execute("DROP TABLE transfer; PRAGMA application_id = 0")
                let stored = try open(in: directory).transfers.transfers()
                #expect(stored == [])
                try fill(directory)
            }
        }

        @Test func `a database of a newer version, and of another program, is left as it is`() async throws {
            try await withDirectory { directory in
                try fill(directory)
                let path = file(in: directory).path
                try SQLiteConnection(path, patience: .zero).run("PRAGMA user_version = 2")
                let newer = #expect(throws: NetworkingError(.storeFailed, "")) {
                    try open(in: directory, replacesDamaged: true)
                }
                #expect(newer?.message.contains("newer version") ?? false)
                try SQLiteConnection(path, patience: .zero).run("PRAGMA application_id = 7")
                let foreign = #expect(throws: NetworkingError(.storeFailed, "")) {
                    try open(in: directory, replacesDamaged: true)
                }
                #expect(foreign?.message.contains("another program") ?? false)
                let other = try SQLiteConnection(path, patience: .zero)
                #expect(try other.value("SELECT count(*) FROM transfer") == 1)
            }
        }

        @Test func `a folder that cannot be made is an error with its reason`() async throws {
            try await withDirectory { directory in
                let file = directory.appending(path: "file")
                try Data().write(to: file)
                let error = #expect(throws: NetworkingError(.storeFailed, "")) { try open(in: file) }
                #expect(error?.message.contains(Self.identifier) ?? false)
            }
        }

        @Test(.enabled(if: MountedFolder.isPossible))
        func `a disk that may not be written to is an error`() async throws {
            let folder = try MountedFolder("tmpfs", options: "ro")
            #expect(throws: NetworkingError(.storeFailed, "")) { try open(in: folder.url) }
        }

        @Test func `a step for which there is no room changes nothing`() async throws {
            try await withDirectory { directory in
                let database = try open(in: directory)
                let store = database.transfers
                try store.update(storing: [Self.some], removing: [])
                // SQLite says the same of a full disk.
                try database.queue.use { try $0.run("PRAGMA max_page_count = 10") }
                let large = StoredTransfer(identifier: 4, data: Data(repeating: 1, count: 1 << 20))
                let error = #expect(throws: SQLiteError.self) { try store.update(storing: [large], removing: [3]) }
                #expect(error?.message == "database or disk is full")
                let stored = try store.transfers()
                #expect(stored == [Self.some])
                // There is room for something small.
                try store.update(storing: [StoredTransfer(identifier: 5, data: Data([1]))], removing: [3])
                let identifiers = try store.transfers().map(\.identifier)
                #expect(identifiers == [5])
            }
        }
    }
#endif
