#if Stores
    import Bluebonnet
    import BluebonnetStores
    import Foundation
    import HTTPTypes
    import Synchronization
    import Testing

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// A program with a persistent session: it goes on with what earlier processes have left, makes
    /// the transfers that are neither stored nor reported, and returns when all are over.
    struct TransferProgram: Sendable {
        /// A transfer, the same in every process.
        struct Item: Sendable {
            var name: String
            /// Whether the server names the file, in a folder where the name is taken.
            var isNamedByServer: Bool
            var isUpload: Bool
        }

        /// When the program is killed.
        enum Kill: Int, CaseIterable, Sendable {
            /// So many microseconds after it began to open its session.
            case time
            /// So many microseconds after the database began with its n-th step.
            case write
            /// When so many bytes were received.
            case bytes
        }

        /// Where the database, the files that are sent, the folder `files` of the downloads, and
        /// what the program has noted are.
        let folder: URL
        let baseURL: String
        let items: [Item]
        /// Default: not at all.
        var kill: (when: Kill, number: Int)?

        /// Runs the program.
        func run() async throws {
            let number = kill?.number ?? 0
            if kill?.when == .time { Self.kill(after: UInt32(number)) }
            let database = try StoreDatabase(identifier: "kills", directory: folder)
            var configuration = SessionConfiguration()
            configuration.transferJournal = try TransferJournal(
                kill?.when == .write
                    ? KillingStore(database.transfers, step: 1 + number % 12, delay: UInt32(number % 1999))
                    : database.transfers
            )
            let session = SessionManager(configuration: configuration)
            let restored = session.restoredTasks
            for task in restored { Self.note(task.taskDescription ?? "?", in: folder, "restored") }
            let reported = Set(Self.results(in: folder).compactMap { $0.split(separator: " ").first.map(String.init) })
            let known = reported.union(restored.compactMap(\.taskDescription))
            let received = Atomic(0)
            func begin<Task: ValueTask>(_ task: Task) {
                task.onProgress { progress in
                    guard kill?.when == .bytes, progress.download.completed > 0 else { return }
                    if received.add(1, ordering: .relaxed).newValue >= 1 + number % 20 { Glibc.kill(getpid(), SIGKILL) }
                }
                let name = task.taskDescription ?? "?"
                task.whenComplete { result in
                    switch result {
                    case .success(let response): Self.note("\(name) \(response.value)", in: folder, "results")
                    case .failure(let error): Self.note("\(name) error \(error)", in: folder, "results")
                    }
                }
                task.resume()
            }
            for task in restored {
                if let task = task as? DownloadTask { begin(task) }
                if let task = task as? UploadTask<Data> { begin(task) }
            }
            for item in items where !known.contains(item.name) {
                var request = Request(url: try #require(URL(string: "\(baseURL)/\(item.name)")))
                request.taskDescription = item.name
                if item.isUpload {
                    request.method = .post
                    request.body = try .file(folder.appending(path: item.name))
                    begin(session.uploadTask(for: request))
                } else if item.isNamedByServer {
                    begin(session.downloadTask(for: request, to: .folder(folder.appending(path: "files"))))
                } else {
                    begin(session.downloadTask(for: request, to: folder.appending(path: "files/\(item.name)")))
                }
            }
            await session.finishTransfers()
            await session.synchronizeTransfers()
        }

        // MARK: Its notes

        /// Adds a line to a file: of a result, before the session forgets the transfer.
        private static func note(_ line: String, in folder: URL, _ file: String) {
            let bytes = Array((line + "\n").utf8)
            let descriptor = unsafe open(folder.path + "/" + file, O_WRONLY | O_CREAT | O_APPEND, 0o600)
            _ = unsafe write(descriptor, bytes, bytes.count)
            close(descriptor)
        }

        /// The results that were reported so far: a name and a text.
        static func results(in folder: URL) -> [String] {
            let text = (try? String(contentsOf: folder.appending(path: "results"), encoding: .utf8)) ?? ""
            return text.split(separator: "\n").map(String.init)
        }

        // MARK: Its kill

        /// Kills the process in the middle of a step of the database.
        private struct KillingStore: TransferStore {
            let store: any TransferStore
            let step: Int
            let delay: UInt32
            private final class Count: Sendable {
                let value = Atomic(0)
            }
            private let count = Count()

            init(_ store: any TransferStore, step: Int, delay: UInt32) {
                (self.store, self.step, self.delay) = (store, step, delay)
            }

            func transfers() throws -> [StoredTransfer] { try store.transfers() }

            func update(storing transfers: [StoredTransfer], removing identifiers: Set<Int>) throws {
                if count.value.add(1, ordering: .relaxed).newValue == step { TransferProgram.kill(after: delay) }
                try store.update(storing: transfers, removing: identifiers)
            }
        }

        private static func kill(after delay: UInt32) {
            Thread.detachNewThread {
                usleep(delay)
                Glibc.kill(getpid(), SIGKILL)
            }
        }
    }
#endif
