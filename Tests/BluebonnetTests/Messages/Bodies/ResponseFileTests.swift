import Foundation
import LocalServer
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@testable import Bluebonnet

/// A body that is written to a file: the whole body is in the file, or nothing is left.
@Suite(.timeLimit(.minutes(5)))
struct ResponseFileTests {
    @Test func `a large download arrives in its file`() async throws {
        let count = 5_000_003
        let script: FaultServer.Script = [
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: \(count)\r\n\r\n"), .fill(7, count: count),
        ]
        try await FaultServer.run(script) { server in
            try await withSession { session in
                try await withDirectory { directory in
                    let file = directory.appending(path: "a file")
                    let response = try await session.open(Request(to: server.baseURL))
                    let written = try await response.body.write(to: file)
                    #expect(written == count)
                    let contents = try Data(contentsOf: file)
                    #expect(contents == Data(repeating: 7, count: count))
                    #expect(try names(in: directory) == ["a file"])
                }
            }
        }
    }

    @Test func `a download to a link is written to its target, and the link stays`() async throws {
        try await FaultServer.run([.readRequest, .respond(body: "new")]) { server in
            try await withSession { session in
                try await withDirectory { directory in
                    let file = directory.appending(path: "file")
                    let link = directory.appending(path: "link")
                    try Data("something old".utf8).write(to: file)
                    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
                    let response = try await session.open(Request(to: server.baseURL))
                    try await response.body.write(to: link)
                    #expect(try Data(contentsOf: file) == Data("new".utf8))
                    #expect(try names(in: directory) == ["file", "link"])
                    let target = try FileManager.default.destinationOfSymbolicLink(
                        atPath: link.path(percentEncoded: false)
                    )
                    #expect(target.hasSuffix("file"))
                }
            }
        }
    }

    @Test func `a path with a zero byte in it is no destination`() async throws {
        try await FaultServer.run([.readRequest, .respond(body: "new")]) { server in
            try await withSession { session in
                try await withDirectory { directory in
                    let file = directory.appending(path: "file\0.txt")
                    let response = try await session.open(Request(to: server.baseURL))
                    let error = try await networkingError { try await response.body.write(to: file) }
                    #expect(error.code == .outputFailed)
                    #expect(try names(in: directory).isEmpty)
                }
            }
        }
    }

    @Test func `a download replaces an existing file unless that is forbidden`() async throws {
        try await FaultServer.run(.requests { _ in [.respond(body: "new")] }) { server in
            try await withSession { session in
                try await withDirectory { directory in
                    let file = directory.appending(path: "file")
                    try Data("old".utf8).write(to: file)
                    let error = try await networkingError {
                        let response = try await session.open(Request(to: server.baseURL))
                        try await response.body.write(to: file, overwrites: false)
                    }
                    #expect(error.code == .outputFailed, "\(error)")
                    #expect(try Data(contentsOf: file) == Data("old".utf8))
                    let response = try await session.open(Request(to: server.baseURL))
                    let written = try await response.body.write(to: file)
                    #expect(written == 3)
                    #expect(try Data(contentsOf: file) == Data("new".utf8))
                    #expect(try names(in: directory) == ["file"])
                }
            }
        }
    }

    @Test(arguments: [false, true], ["n", "é"])
    func `the name of a downloaded file may have the maximum length`(overwrites: Bool, letter: String) async throws {
        try await withDirectory { directory in
            let name = "n" + String(repeating: letter, count: 254 / letter.utf8.count)
            #expect(name.utf8.count == 255)
            let file = directory.appending(path: name)
            _ = try await ResponseBody.data(Data("new".utf8)).write(to: file, overwrites: overwrites)
            #expect(try Data(contentsOf: file) == Data("new".utf8))
            var form = MultipartFormData()
            form.append("v", name: "n")
            if !overwrites { try FileManager.default.removeItem(at: file) }
            try await form.write(to: file, overwrites: overwrites)
            #expect(try names(in: directory) == [name])
        }
    }

    @Test func `the name of a downloaded file may begin with a combining accent`() async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "in", directoryHint: .isDirectory)
            try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
            // The accent combines with the slash; the part must be inside the folder all the same.
            let path = file.path(percentEncoded: false) + "\u{301}accent"
            let part = try AtomicFile(for: path).part
            #expect(part.path.utf8.starts(with: file.path(percentEncoded: false).utf8))
            part.remove()
        }
    }

    @Test func `of many downloads to one name without replacing, exactly one succeeds`() async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "file")
            let codes = await withTaskGroup(of: (Int, NetworkingError?).self) { group in
                for number in 0..<20 {
                    group.addTask {
                        do {
                            let body = ResponseBody.data(Data(repeating: UInt8(number), count: 50_000))
                            _ = try await body.write(to: file, overwrites: false)
                            return (number, nil)
                        } catch {
                            return (number, error as? NetworkingError)
                        }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            let winners = codes.filter { $0.1 == nil }.map(\.0)
            #expect(winners.count == 1)
            #expect(codes.allSatisfy { $0.1 == nil || $0.1?.code == .outputFailed })
            let contents = try Data(contentsOf: file)
            #expect(contents == Data(repeating: UInt8(winners.first ?? 0), count: 50_000))
            #expect(try names(in: directory) == ["file"])
        }
    }

    @Test func `a download into a missing directory is an error and closes its connection`() async throws {
        let script: FaultServer.Script = [.readRequest, .send("HTTP/1.1 200 OK\r\n\r\n"), .fill(7, count: .max)]
        try await FaultServer.run(script) { server in
            try await withSession { session in
                try await withDirectory { directory in
                    let file = directory.appending(path: "missing").appending(path: "file")
                    let error = try await networkingError {
                        let response = try await session.open(Request(to: server.baseURL))
                        try await response.body.write(to: file)
                    }
                    #expect(error.code == .outputFailed, "\(error)")
                    try await server.waitUntilClosed(connection: 0)
                    #expect(try names(in: directory).isEmpty)
                }
            }
        }
    }

    @Test func `a download to a directory is an error and leaves no partial file`() async throws {
        try await FaultServer.run([.readRequest, .respond(body: "new")]) { server in
            try await withSession { session in
                try await withDirectory { directory in
                    let file = directory.appending(path: "file")
                    try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
                    let error = try await networkingError {
                        let response = try await session.open(Request(to: server.baseURL))
                        try await response.body.write(to: file)
                    }
                    #expect(error.code == .outputFailed, "\(error)")
                    #expect(try names(in: directory) == ["file"])
                }
            }
        }
    }

    @Test func `a truncated download leaves no file`() async throws {
        let gate = FaultGate()
        let script: FaultServer.Script = [
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"), .hold(gate), .close,
        ]
        try await FaultServer.run(script) { server in
            try await withSession { session in
                try await withDirectory { directory in
                    let response = try await session.open(Request(to: server.baseURL))
                    gate.open()
                    let error = try await networkingError {
                        try await response.body.write(to: directory.appending(path: "file"))
                    }
                    #expect(error.code == .truncatedResponse, "\(error)")
                    #expect(try names(in: directory).isEmpty)
                }
            }
        }
    }

    // MARK: Cancelling

    @Test func `a cancelled download fails with the library's error and leaves no file`() async throws {
        try await FaultServer.run([.readRequest, .respond(body: "new")]) { server in
            try await withSession { session in
                try await withDirectory { directory in
                    let response = try await session.open(Request(to: server.baseURL))
                    let task = Task {
                        // Waits for the cancellation, so that it ends the writing and not the body.
                        while !Task.isCancelled { await Task.yield() }
                        _ = try await response.body.write(to: directory.appending(path: "file"))
                    }
                    task.cancel()
                    let error = try await networkingError { try await task.value }
                    #expect(error.code == .cancelled, "\(error)")
                    #expect(try names(in: directory).isEmpty)
                }
            }
        }
    }

    // MARK: Pipes and devices

    private func pipe(_ name: String, in directory: URL) throws -> URL {
        let pipe = directory.appending(path: name)
        try #require(unsafe mkfifo(pipe.path(percentEncoded: false), 0o600) == 0)
        return pipe
    }

    private static func server(sending count: Int) -> FaultServer.Script {
        .requests { _ in [.send("HTTP/1.1 200 OK\r\nContent-Length: \(count)\r\n\r\n"), .fill(7, count: count)] }
    }

    @Test func `a download to a pipe is written once the pipe has a reader`() async throws {
        let count = 3_000_001
        try await FaultServer.run(Self.server(sending: count)) { server in
            try await withSession { session in
                try await withDirectory { directory in
                    let pipe = try pipe("pipe", in: directory)
                    let response = try await session.open(Request(to: server.baseURL))
                    async let written = response.body.write(to: pipe)
                    let read = try await BlockingThreads(limit: 1).run {
                        try FileHandle(forReadingFrom: pipe).readToEnd()
                    }
                    #expect(read == Data(repeating: 7, count: count))
                    #expect(try await written == count)
                    #expect(try names(in: directory) == ["pipe"])
                }
            }
        }
    }

    /// There are more pipes than threads for files. Each download waits for its pipe, and a file is
    /// written meanwhile.
    @Test(arguments: [false, true])
    func `downloads to pipes that are not read delay no other download, and end with their tasks`(isOpened: Bool)
        async throws
    {
        let many = SessionConfiguration { $0.maximumConnectionsPerHost = 30 }
        try await FaultServer.run(Self.server(sending: 300_000)) { server in
            try await withSession(many) { session in
                try await withDirectory { directory in
                    var readers: [CInt] = []
                    defer { for reader in readers { close(reader) } }
                    var tasks: [Task<Void, any Error>] = []
                    for number in 0..<20 {
                        let pipe = try pipe("pipe\(number)", in: directory)
                        if isOpened {
                            readers.append(unsafe open(pipe.path(percentEncoded: false), O_RDONLY | O_NONBLOCK))
                        }
                        let response = try await session.open(Request(to: server.baseURL))
                        tasks.append(Task { _ = try await response.body.write(to: pipe) })
                    }
                    try await until("twenty wait") { BlockingThreads.pipes.count >= 20 }
                    let response = try await session.open(Request(to: server.baseURL))
                    let written = try await response.body.write(to: directory.appending(path: "file"))
                    #expect(written == 300_000)
                    for task in tasks { task.cancel() }
                    for task in tasks {
                        let error = try await networkingError { try await task.value }
                        #expect(error.code == .cancelled, "\(error)")
                    }
                }
            }
        }
    }

    @Test func `a download to a pipe whose reader closes is an error`() async throws {
        try await FaultServer.run(Self.server(sending: 3_000_000)) { server in
            try await withSession { session in
                try await withDirectory { directory in
                    let pipe = try pipe("pipe", in: directory)
                    let reader = unsafe open(pipe.path(percentEncoded: false), O_RDONLY | O_NONBLOCK)
                    let response = try await session.open(Request(to: server.baseURL))
                    async let end = networkingError { _ = try await response.body.write(to: pipe) }
                    try await until("the first byte is in the pipe") {
                        var byte: UInt8 = 0
                        return unsafe read(reader, &byte, 1) == 1
                    }
                    close(reader)
                    let error = try await end
                    #expect(error.code == .outputFailed, "\(error)")
                }
            }
        }
    }

    @Test func `a download to a device is written, and a full device is an error`() async throws {
        try await FaultServer.run(Self.server(sending: 300_000)) { server in
            try await withSession { session in
                let response = try await session.open(Request(to: server.baseURL))
                let written = try await response.body.write(to: URL(filePath: "/dev/null"))
                #expect(written == 300_000)
                let error = try await networkingError {
                    let response = try await session.open(Request(to: server.baseURL))
                    _ = try await response.body.write(to: URL(filePath: "/dev/full"))
                }
                #expect(error.code == .outputFailed, "\(error)")
            }
        }
    }
}
