import Foundation
import LocalServer
import NIOCore
import Synchronization
import Testing

@testable import Bluebonnet

/// What a partial file says of itself, and downloads that continue it.
@Suite(.timeLimit(.minutes(5)))
struct DownloadRecordTests {
    private let bytes = RangeResponses.bytes(200_000)

    /// Runs the body with a partial file of 120,000 bytes, whose server will send the rest.
    private func withPartialFile(
        _ body: (_ api: HTTPSessionManager, _ file: URL, _ url: URL, _ resumeData: ResumeData, FaultServer) async throws
            -> Void
    ) async throws {
        let responses = Mutex(RangeResponses(bytes: bytes, cut: 120_000))
        try await FaultServer.run(.requests { request in responses.withLock { $0.steps(request) } }) { server in
            try await withAPI(at: server.baseURL) { api in
                try await withDirectory { directory in
                    let file = directory.appending(path: "a")
                    let error = try await networkingError { try await api.download("a?key=1", to: file) }
                    responses.withLock { $0.cut = nil }
                    let url = try #require(URL(string: server.baseURL + "/a?key=1"))
                    try await body(api, file, url, #require(error.resumeData), server)
                }
            }
        }
    }

    /// Changes the record of a partial file.
    private func change(_ path: URL, _ change: (inout DownloadRecord) -> Void) throws {
        let file = try SystemFile.exclusive(path.path(percentEncoded: false))
        var record = try #require(try DownloadRecord(of: file))
        change(&record)
        try file.setAttribute(DownloadRecord.attribute, to: record.encoded)
    }

    // MARK: Continuing without resume data

    @Test func `a partial file is continued without resume data`() async throws {
        try await withPartialFile { api, file, url, resumeData, server in
            let found = try #require(ResumeData(continuing: file, from: url))
            #expect(found == resumeData)
            try await api.download("a?key=1", to: file, resuming: found)
            #expect(try Data(contentsOf: file) == Data(bytes))
            #expect(server.requests.last?.value(of: "Range") == "bytes=120000-")
            #expect(ResumeData(continuing: file, from: url) == nil)
        }
    }

    @Test func `a partial file is continued only for its URL`() async throws {
        try await withPartialFile { _, file, url, _, _ in
            let text = url.absoluteString
            #expect(ResumeData(continuing: file, from: url) != nil)
            for other in [text + "2", text.replacing("/a?", with: "/b?"), text.replacing("http:", with: "https:")] {
                let other = try #require(URL(string: other))
                #expect(ResumeData(continuing: file, from: other) == nil)
            }
            for same in [text + "#part", text.replacing("http://", with: "http://user:secret@")] {
                let same = try #require(URL(string: same))
                #expect(ResumeData(continuing: file, from: same) != nil)
            }
            #expect(ResumeData(continuing: file.appending(path: "x"), from: url) == nil)
            #expect(ResumeData(continuing: url, from: url) == nil)
        }
    }

    @Test func `a partial file that another URL continued is found by that one after a crash`() async throws {
        let responses = Mutex(RangeResponses(bytes: bytes, cut: 50_000))
        try await FaultServer.run(.requests { request in responses.withLock { $0.steps(request) } }) { server in
            try await withAPI(at: server.baseURL) { api in
                try await withDirectory { directory in
                    let file = directory.appending(path: "a")
                    let urls = try ["1", "2", "3"].map { try #require(URL(string: "\(server.baseURL)/a?key=\($0)")) }
                    let first = try await networkingError { try await api.download("a?key=1", to: file) }
                    #expect(ResumeData(continuing: file, from: urls[0])?.byteCount == 50_000)
                    let second = try await networkingError {
                        try await api.download("a?key=2", to: file, resuming: first.resumeData)
                    }
                    #expect(ResumeData(continuing: file, from: urls[0]) == nil)
                    let found = ResumeData(continuing: file, from: urls[1])
                    #expect(found?.byteCount == 100_000 && found == second.resumeData)
                    // A URL whose server sends nothing of the file does not take it.
                    let refused = try await networkingError {
                        let none = try Request(to: "http://127.0.0.1:\(FaultServer.unusedPort)/a")
                        return try await api.session.download(none, to: file, resuming: found)
                    }
                    #expect(refused.resumeData?.byteCount == 100_000)
                    #expect(ResumeData(continuing: file, from: urls[1]) == found)
                    responses.withLock { $0.cut = nil }
                    try await api.download("a?key=3", to: file, resuming: refused.resumeData)
                    #expect(server.requests.last?.value(of: "Range") == "bytes=100000-")
                    #expect(try Data(contentsOf: file) == Data(bytes))
                }
            }
        }
    }

    @Test func `the record has no part of the URL that may be secret`() async throws {
        try await withPartialFile { _, _, _, resumeData, _ in
            let file = try SystemFile(reading: resumeData.partialFile.path(percentEncoded: false))
            let text = String(decoding: try file.attribute(DownloadRecord.attribute) ?? [], as: UTF8.self)
            #expect(text.contains("resource"))
            #expect(!text.contains("key"))
            #expect(!text.contains("127.0.0.1"))
        }
    }

    @Test(arguments: [50_000, 0])
    func `after a loss of power only what the disk has for certain is continued`(secured: Int) async throws {
        try await withPartialFile { api, file, url, resumeData, server in
            try change(resumeData.partialFile) { record in
                record.boot = "another"
                record.secured = secured
            }
            #expect(ResumeData(continuing: file, from: url)?.byteCount == (secured > 0 ? secured : nil))
            // What the system had not written is zeros.
            let handle = try FileHandle(forWritingTo: resumeData.partialFile)
            try handle.truncate(atOffset: UInt64(secured))
            try handle.truncate(atOffset: 120_000)
            try handle.close()
            // Nor is resume data trusted that was stored before.
            try await api.download("a?key=1", to: file, resuming: resumeData)
            #expect(server.requests.last?.value(of: "Range") == (secured > 0 ? "bytes=\(secured)-" : nil))
            #expect(try Data(contentsOf: file) == Data(bytes))
        }
    }

    @Test func `what was secured before the machine started again stays so`() async throws {
        try await withPartialFile { _, _, _, resumeData, _ in
            try change(resumeData.partialFile) { record in
                record.boot = "another"
                record.secured = 70_000
            }
            let partial = try #require(try PartialFile(continuing: resumeData))
            #expect(try partial.count() == 70_000)
            #expect(partial.record?.secured == 70_000)
            #expect(partial.record?.boot == SystemFile.currentBoot)
            #expect(try DownloadRecord(of: partial.file) == partial.record)
        }
    }

    @Test func `a download that failed is on the disk, and its record says so`() async throws {
        try await withPartialFile { _, _, _, resumeData, _ in
            let file = try SystemFile(reading: resumeData.partialFile.path(percentEncoded: false))
            #expect(try DownloadRecord(of: file)?.secured == 120_000)
        }
    }

    @Test func `what is written is secured from time to time`() async throws {
        try await withDirectory { directory in
            let target = try PartialFile.Target(DownloadTarget(directory.appending(path: "a")))
            let url = try #require(URL(string: "http://example.com/a"))
            let partial = try PartialFile(for: target, from: url)
            try partial.begin(DownloadRecord(url: url, length: nil, validator: .entityTag("\"a\""), fields: .init()))
            let writer = try PartialFileWriter(partial, at: 0, length: nil, interval: .zero)
            _ = try writer.write([.init(bytes: [1, 2, 3])])
            try await until("the bytes are secured") { (try? DownloadRecord(of: partial.file))?.secured == 3 }
            // What belongs to another beginning is not noted.
            let token = partial.record?.token
            try partial.begin(DownloadRecord(url: url, length: nil, validator: nil, fields: .init()))
            try partial.secure(.beginning(3), of: token)
            #expect(partial.record?.secured == 0)
            #expect(try partial.commit(to: target).hasSuffix("/a"))
        }
    }

    @Test(arguments: ["", "{}", "{\"version\":1}", "nothing"])
    func `a record that is not whole continues nothing`(text: String) async throws {
        try await withPartialFile { api, file, url, resumeData, server in
            let partial = try SystemFile.exclusive(resumeData.partialFile.path(percentEncoded: false))
            try partial.setAttribute(DownloadRecord.attribute, to: Array(text.utf8))
            partial.release()
            #expect(ResumeData(continuing: file, from: url) == nil)
            try await api.download("a?key=1", to: file, resuming: resumeData)
            #expect(server.requests.last?.value(of: "Range") == nil)
            #expect(try Data(contentsOf: file) == Data(bytes))
        }
    }

    @Test func `a record of another version of the format is not read`() async throws {
        try await withPartialFile { _, _, _, resumeData, _ in
            let file = try SystemFile.exclusive(resumeData.partialFile.path(percentEncoded: false))
            let record = try #require(try file.attribute(DownloadRecord.attribute))
            let newer = String(decoding: record, as: UTF8.self).replacing("\"version\":1", with: "\"version\":9")
            #expect(DownloadRecord(record) != nil)
            #expect(DownloadRecord(Array(newer.utf8)) == nil)
        }
    }

    // MARK: Two versions

    @Test func `resume data of an earlier download to the same file is refused`() async throws {
        // Servers may give the same tag to two files.
        let (first, second) = (RangeResponses.bytes(1_000, seed: 2), RangeResponses.bytes(1_000, seed: 3))
        let cut = Atomic(true)
        let script: FaultServer.Script = .requests { request in
            let bytes = request.target == "/first" ? first : second
            return RangeResponses(bytes: bytes, cut: cut.load(ordering: .relaxed) ? 600 : nil).steps(request)
        }
        try await FaultServer.run(script) { server in
            try await withAPI(at: server.baseURL) { api in
                try await withDirectory { directory in
                    let file = directory.appending(path: "a")
                    let stale = try await networkingError { try await api.download("first", to: file) }.resumeData
                    let other = try await networkingError { try await api.download("second", to: file) }.resumeData
                    #expect(stale?.partialFile == other?.partialFile)
                    cut.store(false, ordering: .relaxed)
                    try await api.download("first", to: file, resuming: stale)
                    #expect(try Data(contentsOf: file) == Data(first))
                    #expect(server.requests.last?.value(of: "Range") == nil)
                }
            }
        }
    }

    @Test func `the resume data of earlier versions of the library still continues`() async throws {
        try await withPartialFile { api, file, _, resumeData, server in
            let contents = try Data(contentsOf: resumeData.partialFile)
            try FileManager.default.removeItem(at: resumeData.partialFile)
            try contents.write(to: resumeData.partialFile)
            let old = ResumeData(
                url: resumeData.url,
                partialFile: resumeData.partialFile,
                byteCount: resumeData.byteCount,
                totalByteCount: resumeData.totalByteCount,
                validator: resumeData.validator
            )
            try await api.download("a?key=1", to: file, resuming: old)
            #expect(server.requests.last?.value(of: "Range") == "bytes=120000-")
            #expect(try Data(contentsOf: file) == Data(bytes))
        }
    }

    // MARK: Other files

    @Test func `a file of the user with the name of a partial file is left alone`() async throws {
        try await FaultServer.run(.requests { _ in [.respond(body: "new")] }) { server in
            try await withAPI(at: server.baseURL) { api in
                try await withDirectory { directory in
                    let (file, own) = (directory.appending(path: "a"), directory.appending(path: "a.bluebonnet"))
                    try Data("mine".utf8).write(to: own)
                    let error = try await networkingError { try await api.download("a", to: file) }
                    #expect(error.code == .outputFailed)
                    #expect(error.message.contains("was not made by a download"))
                    let url = try #require(URL(string: server.baseURL + "/a"))
                    #expect(ResumeData(continuing: file, from: url) == nil)
                    let saved = try await api.download("a", to: .file(file, options: .uniqueName))
                    #expect(saved == file)
                    #expect(try Data(contentsOf: own) == Data("mine".utf8))
                    #expect(try names(in: directory) == ["a", "a.bluebonnet"])
                    // What ended before the record was written is empty.
                    try Data().write(to: own)
                    try await api.download("a", to: file)
                    #expect(try names(in: directory) == ["a"])
                }
            }
        }
    }

    @Test func `a file that is complete has no record`() async throws {
        try await FaultServer.run(.requests { _ in [.respond(body: "new")] }) { server in
            try await withAPI(at: server.baseURL) { api in
                try await withDirectory { directory in
                    let file = directory.appending(path: "a")
                    try await api.download("a", to: file)
                    #expect(try SystemFile(reading: file.path).attribute(DownloadRecord.attribute) == nil)
                }
            }
        }
    }

    /// Whether attributes of files there may have as many bytes as the system allows.
    private static let memory: URL? = {
        let folder = URL(filePath: "/dev/shm", directoryHint: .isDirectory)
        let path = folder.appending(path: "bluebonnet-\(UUID().uuidString)").path(percentEncoded: false)
        guard let file = try? SystemFile(creating: path) else { return nil }
        defer { file.remove() }
        let value = [UInt8](repeating: 1, count: 65_536)
        return (try? file.setAttribute("user.test", to: value)) == nil ? nil : folder
    }()

    @Test(.enabled(if: memory != nil, "/dev/shm has no long attributes"))
    func `every record that the file system takes can be read again`() async throws {
        let folder = try #require(Self.memory).appending(path: "bluebonnet-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let tag = "\"\(String(repeating: "x", count: 60_000))\""
        let responses = Mutex(RangeResponses(bytes: bytes, tag: tag, cut: 120_000))
        try await FaultServer.run(.requests { request in responses.withLock { $0.steps(request) } }) { server in
            try await withAPI(at: server.baseURL) { api in
                let file = folder.appending(path: "a")
                let error = try await networkingError { try await api.download("a", to: file) }
                let resumeData = try #require(error.resumeData)
                #expect(ResumeData(continuing: file, from: resumeData.url) == resumeData)
                // A download that knows nothing of it is not stopped by it.
                responses.withLock { ($0.cut, $0.tag) = (nil, "\"v2\"") }
                try await api.download("a", to: file)
                #expect(try Data(contentsOf: file) == Data(bytes))
                #expect(try names(in: folder) == ["a"])
            }
        }
    }

    @Test func `an entity tag that is too long for the attribute continues with resume data only`() async throws {
        // In the record each slash becomes two characters: no file system takes as many.
        let tag = "\"\(String(repeating: "/", count: 40_000))\""
        var whole = RangeResponses(bytes: bytes, tag: tag, cut: 120_000)
        whole.headers = [("Content-Disposition", "attachment; filename=named.bin")]
        let responses = Mutex(whole)
        try await FaultServer.run(.requests { request in responses.withLock { $0.steps(request) } }) { server in
            try await withAPI(at: server.baseURL) { api in
                try await withDirectory { directory in
                    let file = directory.appending(path: "named.bin")
                    let error = try await networkingError { try await api.download("a", to: .folder(directory)) }
                    let url = try #require(error.resumeData).url
                    #expect(ResumeData(continuing: file, from: url) == nil)
                    // A response with a part need not have the name.
                    responses.withLock { ($0.cut, $0.headers) = (nil, []) }
                    let saved = try await api.download("a", to: .folder(directory), resuming: error.resumeData)
                    #expect(saved.lastPathComponent == "named.bin")
                    #expect(server.requests.last?.value(of: "Range") == "bytes=120000-")
                    #expect(try Data(contentsOf: file) == Data(bytes))
                }
            }
        }
    }
}
