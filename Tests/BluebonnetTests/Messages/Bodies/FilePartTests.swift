import Foundation
import HTTPTypes
import LocalServer
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import Bluebonnet

/// On connections without TLS a file is sent from the page cache to the socket.
@Suite(.timeLimit(.minutes(5)))
struct FilePartTests {
    /// More than the socket buffers of both ends take, in parts of which the last one is short.
    private static let length = 24 * 1_048_576 + 12_345
    private static let contents = Data((0..<length).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 11) })

    private func withFile(_ work: (URL, RequestBody) async throws -> Void) async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "large")
            try Self.contents.write(to: file)
            try await work(file, RequestBody.file(file))
        }
    }

    private static func change(_ file: URL, toLength length: Int) throws {
        let handle = try FileHandle(forUpdating: file)
        try handle.truncate(atOffset: UInt64(length))
        try handle.close()
    }

    /// Runs with a server that reads the head, and the body only when the gate opens.
    private func withSlowServer(
        _ work: (FaultServer, FaultGate) async throws -> Void
    ) async throws {
        let gate = FaultGate()
        let script: FaultServer.Script = [
            .readHead, .stopReading, .hold(gate), .startReading, .readRequest, .respond(body: "ok"),
        ]
        try await FaultServer.run(script, options: .init(receiveBuffer: 65_536)) { server in
            try await work(server, gate)
        }
    }

    // MARK: Over connections

    @Test func `a file upload to a server that pauses arrives byte for byte`() async throws {
        try await withFile { _, body in
            try await withSlowServer { server, gate in
                try await withSession { session in
                    let task = try session.dataTask(for: Request(.put, to: server.baseURL, body: body))
                    task.resume()
                    try await until("something was sent") { task.currentProgress.upload.completed > 0 }
                    let sent = try await settled { task.currentProgress.upload.completed }
                    #expect(sent < Self.length)
                    gate.open()
                    #expect(try await task.value == Data("ok".utf8))
                    #expect(server.requests.first.map { Data($0.body) == Self.contents } == true)
                    #expect(task.currentProgress.upload.completed == Self.length)
                }
            }
        }
    }

    /// The bytes that the thread of an event loop has read, `sendfile` from files included;
    /// proc(5).
    private static func bytesRead(by eventLoop: any EventLoop) async throws -> Int {
        try await eventLoop.submit { () -> Int in
            let text = try String(contentsOfFile: "/proc/thread-self/io", encoding: .utf8)
            let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("rchar: ") })
            return try #require(Int(line.dropFirst(7)))
        }.get()
    }

    private static let isCounted = FileManager.default.isReadableFile(atPath: "/proc/thread-self/io")

    @Test(.enabled(if: isCounted, "the kernel does not count what a thread reads"), arguments: [false, true])
    func `the event loop sends a file by sendfile without TLS, and does not read it with TLS`(isSecure: Bool)
        async throws
    {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let certificates = try TestCertificates.shared()
        var configuration = SessionConfiguration(trusting: certificates.authority)
        configuration.eventLoopGroup = group
        let options = FaultServer.Options(tls: isSecure ? ServerTLS(certificates.localhost) : nil)
        try await withFile { _, body in
            try await FaultServer.run([.readRequest, .respond(body: "ok")], options: options) { server in
                try await withSession(configuration) { session in
                    let before = try await Self.bytesRead(by: group.next())
                    let url = "\(isSecure ? "https" : "http")://127.0.0.1:\(server.port)/"
                    _ = try await session.data(for: Request(.put, to: url, body: body))
                    let count = try await Self.bytesRead(by: group.next()) - before
                    #expect(server.requests.first?.body.count == Self.length)
                    #expect(isSecure ? count < 100_000 : count > Self.length / 2, "\(count)")
                }
            }
        }
        try await group.shutdownGracefully()
    }

    @Test func `one connection uploads one file after the other`() async throws {
        try await withFile { file, body in
            try await FaultServer.run(.requests { _ in [.respond(body: "ok")] }) { server in
                try await withSession { session in
                    let empty = file.deletingLastPathComponent().appending(path: "empty")
                    try Data().write(to: empty)
                    for body in [body, try .file(empty), body] {
                        _ = try await session.data(for: Request(.post, to: server.baseURL, body: body))
                    }
                    #expect(server.requests.map(\.body.count) == [Self.length, 0, Self.length])
                    #expect(server.requests.last.map { Data($0.body) == Self.contents } == true)
                    #expect(server.connections.count == 1)
                }
            }
        }
    }

    @Test func `a file is uploaded over a Unix-domain socket`() async throws {
        let path = FileManager.default.temporaryDirectory.path + "/bb-\(UInt32.random(in: .min ... .max)).sock"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let host = try #require(path.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        try await withFile { _, body in
            let script = FaultServer.Script.requests { _ in [.respond(body: "ok")] }
            try await FaultServer.run(script, options: .init(socketPath: path)) { server in
                try await withSession { session in
                    _ = try await session.data(for: Request(.put, to: "http+unix://\(host)/", body: body))
                    #expect(server.requests.first.map { Data($0.body) == Self.contents } == true)
                }
            }
        }
    }

    @Test func `a redirected file upload sends the whole file again`() async throws {
        try await withFile { _, body in
            let script = FaultServer.Script.requests { request in
                request.target == "/" ? [.respond(307, headers: [("Location", "/next")])] : [.respond(body: "ok")]
            }
            try await FaultServer.run(script) { server in
                try await withSession { session in
                    _ = try await session.data(for: Request(.put, to: server.baseURL, body: body))
                    #expect(server.requests.map(\.body.count) == [Self.length, Self.length])
                    #expect(server.requests.last.map { Data($0.body) == Self.contents } == true)
                }
            }
        }
    }

    @Test func `a form with large files between other parts arrives byte for byte`() async throws {
        try await withFile { file, _ in
            let small = file.deletingLastPathComponent().appending(path: "small")
            try Data("small".utf8).write(to: small)
            var form = MultipartFormData()
            form.append("one", name: "first")
            try form.append(fileURL: file, name: "large")
            try form.append(fileURL: small, name: "small")
            try form.append(fileURL: file, name: "large again")
            let whole = try await form.makeBody().collect()
            try await FaultServer.run(.requests { _ in [.respond(body: "ok")] }) { server in
                try await withSession { session in
                    for _ in 0..<2 {
                        let request = try Request(.post, to: server.baseURL, body: form.makeBody())
                        _ = try await session.data(for: request)
                    }
                    #expect(server.requests.map { Data($0.body) == whole } == [true, true])
                    #expect(server.connections.count == 1)
                }
            }
        }
    }

    @Test func `a form in chunked transfer coding has its files in chunks`() async throws {
        try await withFile { file, _ in
            var form = MultipartFormData()
            try form.append(fileURL: file, name: "large")
            form.append(name: "open end") { AsyncStream<[UInt8]> { $0.finish() } }
            let whole = try await form.makeBody().collect()
            try await FaultServer.run([.readRequest, .respond(body: "ok")]) { server in
                try await withSession { session in
                    let request = try Request(.post, to: server.baseURL, body: form.makeBody())
                    _ = try await session.data(for: request)
                    #expect(server.requests.first?.values(of: "transfer-encoding") == ["chunked"])
                    #expect(server.requests.map { Data($0.body) == whole } == [true])
                }
            }
        }
    }

    // MARK: Ends

    @Test func `an early response ends a file upload and is delivered`() async throws {
        try await withFile { _, body in
            try await FaultServer.run([.readHead, .respond(413, body: "too big")]) { server in
                try await withEngine { session, engine in
                    let request = try Request(.put, to: server.baseURL, body: body)
                    let response = try await session.data(for: request)
                    #expect(response.status.code == 413)
                    try await until("the pool has removed the connection") { engine.openConnections == 0 }
                }
            }
        }
    }

    @Test func `cancelling ends a file upload while the socket is full`() async throws {
        try await withFile { _, body in
            try await FaultServer.run([.readHead, .stopReading]) { server in
                try await withEngine { session, engine in
                    let task = try session.dataTask(for: Request(.put, to: server.baseURL, body: body))
                    task.resume()
                    try await until("something was sent") { task.currentProgress.upload.completed > 0 }
                    _ = try await settled { task.currentProgress.upload.completed }
                    task.cancel()
                    let error = try await networkingError { _ = try await task.value }
                    #expect(error.code == .cancelled, "\(error)")
                    try await until("the pool has removed the connection") { engine.openConnections == 0 }
                }
            }
        }
    }

    @Test(arguments: [FaultStep.close, .reset])
    func `a server that closes in the middle ends a file upload`(end: FaultStep) async throws {
        try await withFile { _, body in
            try await FaultServer.run([.readBytes(200_000), end]) { server in
                try await withEngine { session, engine in
                    let request = try Request(.put, to: server.baseURL, body: body)
                    let error = try await networkingError { _ = try await session.data(for: request) }
                    #expect(error.code == .connectionLost, "\(error)")
                    try await until("the pool has removed the connection") { engine.openConnections == 0 }
                }
            }
        }
    }

    @Test func `a file upload to a server that stops reading ends with the between-bytes timeout`() async throws {
        try await withFile { _, body in
            try await FaultServer.run([.readHead, .stopReading]) { server in
                try await withSession { session in
                    let request = try Request(
                        .put,
                        to: server.baseURL,
                        body: body,
                        timeouts: Timeouts(betweenBytes: .milliseconds(300))
                    )
                    let error = try await networkingError { _ = try await session.data(for: request) }
                    #expect(error.code == .betweenBytesTimeout, "\(error)")
                }
            }
        }
    }

    @Test(arguments: [100, length + 1])
    func `a file that changes its length while it is sent fails the request`(length: Int) async throws {
        try await withFile { file, body in
            try await withSlowServer { server, gate in
                try await withEngine { session, engine in
                    let task = try session.dataTask(for: Request(.put, to: server.baseURL, body: body))
                    task.resume()
                    try await until("something was sent") { task.currentProgress.upload.completed > 0 }
                    _ = try await settled { task.currentProgress.upload.completed }
                    try Self.change(file, toLength: length)
                    gate.open()
                    let error = try await networkingError { _ = try await task.value }
                    #expect(error.code == .requestBodyLengthMismatch, "\(error)")
                    #expect(error.description.contains("\(Self.length) bytes"), "\(error)")
                    try await until("the pool has removed the connection") { engine.openConnections == 0 }
                    #expect(server.requests.isEmpty)
                }
            }
        }
    }

    @Test func `the error of a form file that became shorter names its part`() async throws {
        try await withFile { file, _ in
            var form = MultipartFormData()
            try form.append(fileURL: file, name: "avatar")
            try await withSlowServer { server, gate in
                try await withSession { session in
                    let request = try Request(.put, to: server.baseURL, body: form.makeBody())
                    let task = session.dataTask(for: request)
                    task.resume()
                    try await until("something was sent") { task.currentProgress.upload.completed > 0 }
                    _ = try await settled { task.currentProgress.upload.completed }
                    try Self.change(file, toLength: 100)
                    gate.open()
                    let error = try await networkingError { _ = try await task.value }
                    #expect(error.code == .requestBodyLengthMismatch, "\(error)")
                    #expect(error.description.contains("form part “avatar” was declared as \(Self.length)"), "\(error)")
                }
            }
        }
    }

    // MARK: As values

    private func parts(of file: URL, length: Int) async throws -> [FilePart] {
        let parts = Mutex<[FilePart]>([])
        #expect(
            try await FilePart.produce(from: file.path, length: length) { part in parts.withLock { $0.append(part) } }
        )
        return parts.withLock { $0 }
    }

    @Test func `a file in the page cache is sent in large parts`() async throws {
        try await withFile { file, _ in
            let large = Array(repeating: FilePart.largeSize, count: 3) + [12_345]
            let small = Array(repeating: FilePart.smallSize, count: 6) + [12_345]
            // The system may take single pages out of the cache for a moment, at any time.
            func counts() async throws -> [Int] {
                let counts = try await parts(of: file, length: Self.length).map(\.count)
                #expect(counts.reduce(0, +) == Self.length && counts.allSatisfy { (large + small).contains($0) })
                return counts
            }
            var found = try await counts()
            for _ in 0..<100 where found != large { found = try await counts() }
            #expect(found == large)
        }
    }

    /// Removes a file from the page cache. Some file systems need it there, and some keep a part of
    /// it.
    private static func evict(_ file: SystemFile, length: Int) -> Bool {
        fsync(file.descriptor) == 0 && posix_fadvise(file.descriptor, 0, 0, POSIX_FADV_DONTNEED) == 0
            && file.isInPageCache(0..<length) == false
    }

    /// Whether temporary files can be removed from the page cache.
    private static let canEvict: Bool = {
        let path = FileManager.default.temporaryDirectory.appending(path: "evict-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        guard FileManager.default.createFile(atPath: path, contents: contents),
            let file = try? SystemFile(reading: path)
        else { return false }
        return evict(file, length: length)
    }()

    @Test(.enabled(if: canEvict, "the file system of temporary files keeps them in the page cache"))
    func `a file that is not in the page cache is loaded before it is sent`() async throws {
        try await withFile { file, _ in
            let system = try SystemFile(reading: file.path)
            // Other processes of the machine may load it again at once.
            var isOut = false
            for _ in 0..<100 where !isOut { isOut = Self.evict(system, length: Self.length) }
            try #require(isOut)
            let counts = try await parts(of: file, length: Self.length).map(\.count)
            #expect(counts.contains(FilePart.smallSize), "\(counts)")
            try await until("all of it is in the page cache") {
                system.isInPageCache(0..<Self.length) == true
            }
        }
    }

    @Test(arguments: [length - 1, length + 1, 0])
    func `a file of another length than declared is not sent by sendfile`(declared: Int) async throws {
        try await withFile { file, _ in
            await #expect(throws: RequestBodyLengthMismatch.self) {
                _ = try await parts(of: file, length: declared)
            }
        }
    }

    /// A file of the kernel that has a size and no pages.
    private static let unmappable = "/sys/kernel/uevent_seqnum"

    @Test(.enabled(if: FileManager.default.isReadableFile(atPath: unmappable), "\(unmappable) is not there"))
    func `a file that cannot be mapped is not sent by sendfile`() async throws {
        let path = Self.unmappable
        let size = try SystemFile(reading: path).size()
        #expect(
            try await FilePart.produce(from: path, length: size) { _ in Issue.record("a part was produced") } == false
        )
    }

    @Test func `the type of a file's file system is that of its mount`() {
        let status = "pos:\t0\nflags:\t0100000\nmnt_id:\t36\nino:\t3\n"
        let mounts = """
            3 1 98:0 / / rw - ext4 /dev/root rw
            36 35 0:52 /mnt1 /a\\040-\\040b rw,noatime master:1 shared:2 - nfs4 server:/export rw,errors=continue
            37 35 98:0 / /b rw - xfs /dev/b rw

            """
        #expect(SystemFile.fileSystem(ofDescriptor: status, mounts: mounts) == "nfs4")
        #expect(SystemFile.fileSystem(ofDescriptor: "mnt_id:\t37\n", mounts: mounts) == "xfs")
        for (status, mounts) in [("mnt_id:\t3", "3 1 98:0"), ("mnt_id:\t9", mounts), ("pos:\t36", mounts), ("", "")] {
            #expect(SystemFile.fileSystem(ofDescriptor: status, mounts: mounts) == nil)
        }
    }

    /// Files of the kernel in `/proc` and, where there is one, in `/sys`.
    private static let kernelFiles = ["/proc/self/status", unmappable].filter(FileManager.default.isReadableFile)

    @Test(arguments: kernelFiles) func `a file of the kernel is not on a disk of this machine`(path: String) throws {
        #expect(try !SystemFile(reading: path).isLocal)
    }

    @Test func `file parts are written in blocks where sendfile cannot write`() async throws {
        try await withFile { file, _ in
            var contents = Data()
            for var part in try await parts(of: file, length: Self.length) {
                while part.count > 0 {
                    let count = part.count
                    // There is no such descriptor.
                    #expect(try part.send(to: -1) == false)
                    let block = try part.readBlock(upTo: 3_000_000)
                    #expect(block.readableBytes == min(3_000_000, count))
                    #expect(part.count == count - block.readableBytes)
                    contents.append(contentsOf: block.readableBytesView)
                }
            }
            #expect(contents == Self.contents)
        }
    }

    @Test func `a part of a file that changed its length is neither sent nor read`() async throws {
        try await withFile { file, _ in
            var part = try #require(try await parts(of: file, length: Self.length).last)
            try Self.change(file, toLength: 10)
            #expect(throws: RequestBodyLengthMismatch.self) { try part.send(to: -1) }
            #expect(throws: RequestBodyLengthMismatch.self) { try part.readBlock(upTo: 100) }
        }
    }
}
