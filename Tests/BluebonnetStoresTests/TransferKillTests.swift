#if Stores
    import Foundation
    import LocalServer
    import Synchronization
    import Testing

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// A program with a persistent session that is killed at random moments, and started again
    /// until all of its transfers are over.
    @Suite(.timeLimit(.minutes(60)), .serialized)
    struct TransferKillTests {
        /// The number of kills; scripts/transfer-kills sets a larger one.
        private static let kills =
            ProcessInfo.processInfo.environment["BLUEBONNET_TRANSFER_KILLS"].flatMap { Int($0) } ?? 12

        /// What the program is to do, the same in every process.
        private struct Plan {
            struct Item {
                var name: String
                var seed: UInt64
                var size: Int
                /// Whether the server names the file, in a folder where the name is taken.
                var isNamedByServer: Bool
                var isUpload: Bool

                var bytes: [UInt8] { RangeResponses.bytes(size, seed: seed) }
                /// The name of the file in the end.
                var file: String { isNamedByServer ? "\(name) 2" : name }
            }

            let items: [Item]

            init(seed: UInt64) {
                var generator = SeededGenerator(seed: seed)
                items = (0..<16).map { number in
                    let isUpload = number % 4 == 3
                    return Item(
                        name: isUpload ? "up\(number)" : "down\(number)",
                        seed: generator.next(),
                        size: isUpload ? 50_000 : Int.random(in: 1...900_000, using: &generator),
                        isNamedByServer: number % 4 == 2,
                        isUpload: isUpload
                    )
                }
            }
        }

        /// The program: ends when all is over, or is killed.
        private static func run(_ folder: URL, _ baseURL: String, _ choices: [Int]) async throws {
            let kill = try #require(TransferProgram.Kill(rawValue: choices[1]))
            let items = Plan(seed: UInt64(choices[0])).items.map { item in
                TransferProgram.Item(name: item.name, isNamedByServer: item.isNamedByServer, isUpload: item.isUpload)
            }
            try await TransferProgram(folder: folder, baseURL: baseURL, items: items, kill: (kill, choices[2])).run()
            try Data().write(to: folder.appending(path: "done"))
            Glibc.kill(getpid(), SIGKILL)
        }

        // MARK: The server

        /// Where each response began, since the process was started.
        private final class Server: Sendable {
            let items: [String: Plan.Item]
            let starts = Mutex<[String: Int]>([:])
            let uploads = Mutex<[String: Int]>([:])
            /// What was asked for since the process was started.
            let requested = Mutex<Set<String>>([])

            init(_ plan: Plan) {
                items = Dictionary(uniqueKeysWithValues: plan.items.map { ($0.name, $0) })
            }

            func takeStarts() -> [String: Int] {
                starts.withLock { starts in
                    defer { starts = [:] }
                    return starts
                }
            }

            func takeRequested() -> Set<String> {
                requested.withLock { requested in
                    defer { requested = [] }
                    return requested
                }
            }

            func steps(_ request: FaultServer.Request) -> [FaultStep] {
                let name = String(request.target.dropFirst())
                guard let item = items[name] else { return [.respond(404)] }
                requested.withLock { _ = $0.insert(name) }
                if item.isUpload {
                    let isRight = request.body == item.bytes
                    uploads.withLock { $0[name, default: 0] += 1 }
                    return [.respond(isRight ? 200 : 400, body: isRight ? "right" : "wrong")]
                }
                let range = request.value(of: "Range").flatMap { Int($0.dropFirst(6).dropLast()) }
                starts.withLock { $0[name] = $0[name] ?? range ?? 0 }
                let start = range ?? 0
                guard start < item.size else {
                    return [.respond(416, headers: [("Content-Range", "bytes */\(item.size)"), ("ETag", "\"1\"")])]
                }
                var head = "HTTP/1.1 \(range == nil ? 200 : 206) Scripted\r\nETag: \"1\"\r\n"
                head += "Content-Length: \(item.size - start)\r\n"
                head += "Content-Disposition: attachment; filename=\"\(name)\"\r\n"
                if range != nil { head += "Content-Range: bytes \(start)-\(item.size - 1)/\(item.size)\r\n" }
                // About 16 MB/s.
                return [
                    .send(head + "\r\n"), .drip(Array(item.bytes[start...]), pieces: 16_384, every: .milliseconds(1)),
                ]
            }
        }

        // MARK: The test

        private struct Figures {
            var kills = 0
            var starts = 0
            var rounds = 0
            var bytes = 0
            var fetchedTwice = 0
            var reportedTwice = 0
            var uploadedTwice = 0
        }

        @Test func `a program that is killed at random moments has every file in the end, byte for byte`() async throws
        {
            let seed = UInt64.random(in: 0...UInt64(UInt32.max))
            var generator = SeededGenerator(seed: seed)
            var figures = Figures()
            while figures.kills < Self.kills {
                try await round(generator.next(), &generator, &figures)
            }
            print(
                "transfer-kills: \(figures.kills) kills, \(figures.rounds) rounds, \(figures.bytes) bytes,"
                    + " \(figures.fetchedTwice) fetched twice, \(figures.reportedTwice) results reported twice,"
                    + " \(figures.uploadedTwice) uploads sent twice, seed \(seed)"
            )
            #expect(figures.fetchedTwice * 20 < figures.bytes, "seed \(seed)")
        }

        private func round(
            _ seed: UInt64,
            _ generator: inout SeededGenerator,
            _ figures: inout Figures
        ) async throws {
            let plan = Plan(seed: seed >> 1)
            let server = Server(plan)
            let fault = try await FaultServer.start(.requests { server.steps($0) })
            let folder = FileManager.default.temporaryDirectory.appending(path: "bluebonnet-\(UUID().uuidString)")
            let files = folder.appending(path: "files")
            try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
            for item in plan.items {
                if item.isUpload { try Data(item.bytes).write(to: folder.appending(path: item.name)) }
                if item.isNamedByServer { try Data("old".utf8).write(to: files.appending(path: item.name)) }
            }
            var sizes: [String: Int] = [:]
            var starts = 0
            while !FileManager.default.fileExists(atPath: folder.path + "/done") {
                let reportedBefore = Set(TransferProgram.results(in: folder).map { String($0.prefix { $0 != " " }) })
                let kills = TransferProgram.Kill.allCases
                let kill = kills[figures.starts % kills.count]
                let number = Int.random(in: 0...150_000, using: &generator)
                let (path, url) = (folder.path, fault.baseURL)
                let choices = [Int(seed >> 1), kill.rawValue, number]
                // An error in the program is the end of the test, not one more kill.
                try await #require(processExitsWith: .signal(SIGKILL)) {
                    [path = path as String, url = url as String, choices = choices as [Int]] in
                    try await TransferKillTests.run(URL(filePath: path), url, choices)
                }
                starts += 1
                figures.starts += 1
                // The last one ended by itself.
                if !FileManager.default.fileExists(atPath: folder.path + "/done") { figures.kills += 1 }
                // What was stored before it was reported needs no request.
                #expect(server.takeRequested().isDisjoint(with: reportedBefore), "seed \(seed)")
                for (name, start) in server.takeStarts() {
                    figures.fetchedTwice += max(0, sizes[name, default: 0] - start)
                }
                for item in plan.items where !item.isUpload {
                    let partial = files.appending(path: item.name + ".bluebonnet")
                    let sizeOfPartial = try? partial.resourceValues(forKeys: [.fileSizeKey]).fileSize
                    let isThere = FileManager.default.fileExists(atPath: files.path + "/" + item.file)
                    sizes[item.name] = isThere ? item.size : sizeOfPartial ?? 0
                }
            }
            let reports = TransferProgram.results(in: folder)
            for item in plan.items {
                let own = reports.filter { $0.hasPrefix(item.name + " ") }
                #expect(!own.isEmpty && own.allSatisfy { !$0.contains(" error ") }, "\(own), seed \(seed)")
                figures.reportedTwice += max(0, own.count - 1)
                // Each process reports a result once, and sends a body once.
                #expect(own.count <= starts, "\(own), seed \(seed)")
                if item.isUpload {
                    let count = server.uploads.withLock { $0[item.name, default: 0] }
                    #expect(count <= starts, "\(item.name), seed \(seed)")
                    figures.uploadedTwice += count - 1
                } else {
                    let contents = try Data(contentsOf: files.appending(path: item.file))
                    #expect(contents == Data(item.bytes), "\(item.name), seed \(seed)")
                    figures.bytes += item.size
                }
            }
            let expected = plan.items.flatMap { item -> [String] in
                item.isUpload ? [] : item.isNamedByServer ? [item.name, item.file] : [item.name]
            }
            #expect(try names(in: files) == expected.sorted(), "seed \(seed)")
            figures.rounds += 1
            await fault.shutdown()
            try FileManager.default.removeItem(at: folder)
        }
    }
#endif
