import Foundation
import HTTPTypes
import LocalServer
import Synchronization
import Testing

@testable import Bluebonnet

/// Downloads to disks that are full, or that have no attributes.
@Suite(.timeLimit(.minutes(5)), .enabled(if: MountedFolder.isPossible, "users may not mount here"))
struct DownloadDiskTests {
    @Test func `a disk without room for all of a file is known before its bytes come`() async throws {
        let script: FaultServer.Script = [
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 40000000\r\nETag: \"a\"\r\n\r\n"), .stall,
        ]
        let disk = try MountedFolder("tmpfs", options: "size=30m")
        try await FaultServer.run(script) { server in
            try await withAPI(at: server.baseURL) { api in
                let error = try await networkingError {
                    try await api.download("a", to: disk.url.appending(path: "a"))
                }
                #expect(error.code == .outputFailed)
                #expect(error.message.contains("No space left on device"), "\(error)")
                #expect(try names(in: disk.url).isEmpty)
            }
        }
    }

    @Test func `so is a disk without room for all parts of a file`() async throws {
        let script: FaultServer.Script = .requests { request in
            guard request.value(of: "Range") == "bytes=0-\(SegmentServer.piece - 1)" else { return [.stall] }
            return [.send(SegmentServer.head(of: 0..<SegmentServer.piece, 40_000_000)), .stall]
        }
        let disk = try MountedFolder("tmpfs", options: "size=30m")
        try await FaultServer.run(script) { server in
            try await withAPI(at: server.baseURL) { api in
                let error = try await networkingError {
                    try await api.download("a", options: [.downloadSegments(4)], to: disk.url.appending(path: "a"))
                }
                #expect(error.code == .outputFailed)
                #expect(error.message.contains("No space left on device"), "\(error)")
                #expect(try names(in: disk.url).isEmpty)
                #expect(server.requests.count == 1)
            }
        }
    }

    @Test func `a disk that becomes full keeps what was received, and it is continued when there is room`() async throws
    {
        let bytes = RangeResponses.bytes(3_000_000)
        let disk = try MountedFolder("tmpfs", options: "size=4m")
        let (file, other) = (disk.url.appending(path: "a"), disk.url.appending(path: "other"))
        let gate = FaultGate()
        let isFirst = Atomic(true)
        // A length that is not known reserves nothing.
        let script: FaultServer.Script = .requests { request in
            guard isFirst.exchange(false, ordering: .relaxed) else {
                return RangeResponses(bytes: bytes).steps(request)
            }
            let head = "HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nConnection: close\r\n\r\n"
            return [
                .send(Array(head.utf8) + bytes[..<1_000_000]), .hold(gate), .send(Array(bytes[1_000_000...])), .close,
            ]
        }
        try await FaultServer.run(script) { server in
            try await withAPI(at: server.baseURL) { api in
                let task = try api.downloadTask(.get, "a", to: file)
                task.resume()
                try await until("a part is in the file") {
                    (try? SystemFile.size(of: file.path + ".bluebonnet")) == 1_000_000
                }
                try Data(repeating: 1, count: 2_000_000).write(to: other)
                gate.open()
                let error = try await networkingError { try await task.value }
                #expect(error.message.contains("No space left on device"), "\(error)")
                let resumeData = try #require(error.resumeData)
                #expect(resumeData.byteCount >= 1_000_000)
                #expect(try names(in: disk.url) == ["a.bluebonnet", "other"])
                try FileManager.default.removeItem(at: other)
                try await api.download("a", to: file, resuming: resumeData)
                #expect(try Data(contentsOf: file) == Data(bytes))
                #expect(server.requests.last?.value(of: "Range") == "bytes=\(resumeData.byteCount)-")
            }
        }
    }

    /// Whether there is a file system without attributes here.
    private static let lacksAttributes: Bool = {
        guard let disk = try? MountedFolder("ramfs"),
            let file = try? SystemFile.exclusive(disk.url.appending(path: "probe").path)
        else { return false }
        defer { file.remove() }
        return (try? file.setAttribute("user.probe", to: [1])) == nil
    }()

    @Test(.enabled(if: lacksAttributes, "ramfs has attributes here"))
    func `a file system without attributes continues with resume data only`() async throws {
        let disk = try MountedFolder("ramfs")
        let bytes = RangeResponses.bytes(200_000)
        let responses = Mutex(RangeResponses(bytes: bytes, cut: 120_000))
        try await FaultServer.run(.requests { request in responses.withLock { $0.steps(request) } }) { server in
            try await withAPI(at: server.baseURL) { api in
                let file = disk.url.appending(path: "a")
                let error = try await networkingError { try await api.download("a", to: file) }
                let resumeData = try #require(error.resumeData)
                #expect(resumeData.token == nil)
                #expect(ResumeData(continuing: file, from: resumeData.url) == nil)
                responses.withLock { $0.cut = nil }
                try await api.download("a", to: file, resuming: resumeData)
                #expect(server.requests.last?.value(of: "Range") == "bytes=120000-")
                #expect(try Data(contentsOf: file) == Data(bytes))
                // Nobody can tell whose file this is, and it is emptied as before.
                try Data("left".utf8).write(to: disk.url.appending(path: "a.bluebonnet"))
                try await api.download("a", to: file)
                #expect(try names(in: disk.url) == ["a"])
            }
        }
    }

    @Test func `a length that a server only promises takes little room`() async throws {
        let script: FaultServer.Script = [
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\nETag: \"a\"\r\n\r\nfew"), .stall,
        ]
        try await FaultServer.run(script) { server in
            try await withAPI(at: server.baseURL) { api in
                try await withDirectory { directory in
                    let file = directory.appending(path: "a")
                    let partial = directory.appending(path: "a.bluebonnet").path
                    let task = try api.downloadTask(.get, "a", to: file)
                    task.resume()
                    try await until("bytes are in the file") { (try? SystemFile.size(of: partial)) == 3 }
                    #expect(try Self.room(of: partial) <= 20_000_000)
                    #expect(await task.cancelProducingResumeData()?.byteCount == 3)
                    #expect(try Self.room(of: partial) <= 65_536)
                }
            }
        }
    }

    /// The bytes that a file takes on the disk.
    private static func room(of path: String) throws -> Int {
        // Several modules have the members of `struct stat`, and which one counts changes.
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["stat", "--format", "%b", path]
        process.standardOutput = output
        try process.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        return try #require(Int(text.trimmingCharacters(in: .whitespacesAndNewlines))) * 512
    }
}
