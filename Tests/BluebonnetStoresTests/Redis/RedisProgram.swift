#if Redis
    import Foundation
    import Testing

    // Another test target has this file through a link.

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// A real server that a test starts, stops and kills, at a socket in a folder of its own.
    final class RedisProgram: Sendable {
        static let path = ["/usr/bin/redis-server", "/usr/local/bin/redis-server", "/usr/bin/valkey-server"]
            .first { FileManager.default.isExecutableFile(atPath: $0) }

        /// Whether the tests run: where a server has to be there, they fail without one.
        static let isWanted =
            path != nil || ProcessInfo.processInfo.environment["BLUEBONNET_INTEROP_REQUIRED"] != nil

        let folder: URL
        private let arguments: [String]
        private let process: Locked<Process?>

        /// The socket; its path may be 107 bytes at most.
        var socket: String { folder.appending(path: "s").path }

        private init(_ folder: URL, _ arguments: [String]) {
            (self.folder, self.arguments) = (folder, arguments)
            process = Locked(nil)
        }

        /// Runs the body with a server.
        static func run<Value>(
            _ arguments: [String] = [],
            _ body: (RedisProgram) async throws -> Value
        ) async throws -> Value {
            let folder = URL(filePath: "/tmp/bluebonnet-redis-\(UInt32.random(in: 0 ... .max))")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let program = RedisProgram(folder, arguments)
            try await program.start()
            defer { program.kill() }
            return try await body(program)
        }

        /// Starts the server, and waits until it answers.
        func start() async throws {
            let process = Process()
            process.executableURL = URL(filePath: try #require(Self.path, "no redis-server is installed"))
            process.arguments =
                ["--port", "0", "--unixsocket", socket, "--save", "", "--appendonly", "no"] + arguments
            process.currentDirectoryURL = folder
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            self.process.set(process)
            try await until("the server listens") { self.listens }
        }

        private var listens: Bool {
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            let bytes = Array(socket.utf8)
            unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
            let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(descriptor) }
            let size = socklen_t(MemoryLayout<sockaddr_un>.size)
            return unsafe withUnsafePointer(to: &address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe connect(descriptor, $0, size) == 0
                }
            }
        }

        /// Stops the server for as long as the body runs; it accepts connections and is silent.
        func suspended<Value>(_ body: () async throws -> Value) async throws -> Value {
            let number = try #require(process.value?.processIdentifier)
            Glibc.kill(number, SIGSTOP)
            defer { Glibc.kill(number, SIGCONT) }
            return try await body()
        }

        func kill() {
            guard let process = process.value, process.isRunning else { return }
            Glibc.kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            try? FileManager.default.removeItem(atPath: socket)
        }

        /// Gives a command to the server, by another client than the one of the library.
        @discardableResult
        func command(_ words: String...) throws -> String {
            let client = Process()
            let path = (Self.path ?? "").replacing("-server", with: "-cli")
            client.executableURL = URL(filePath: path)
            client.arguments = ["-s", socket] + words
            let output = Pipe()
            client.standardOutput = output
            client.standardError = FileHandle.nullDevice
            client.standardInput = FileHandle.nullDevice
            try client.run()
            let bytes = output.fileHandleForReading.readDataToEndOfFile()
            client.waitUntilExit()
            return String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        }

        /// All keys, or those that match.
        func keys(_ pattern: String = "*") throws -> [String] {
            try command("keys", pattern).split(separator: "\n").map(String.init).filter { !$0.isEmpty }
        }

        /// Waits until each right to fetch was given back, which no response waits for.
        func waitUntilNothingIsFetched() async throws {
            try await until("the right to fetch is given back") {
                guard let key = try? self.keys("*:lease:*").first else { return true }
                return (try? self.command("get", key)) == "+"
            }
        }
    }

    /// A value that several threads use.
    final class Locked<Value>: @unchecked Sendable {
        // The lock is held for each use of the value.
        private let lock = NSLock()
        private var stored: Value

        init(_ value: Value) { stored = value }

        var value: Value { lock.withLock { stored } }

        func set(_ value: Value) { lock.withLock { stored = value } }

        func change<Result>(_ body: (inout Value) -> Result) -> Result { lock.withLock { body(&stored) } }
    }
#endif
