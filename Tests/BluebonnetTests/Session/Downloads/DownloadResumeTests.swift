import Foundation
import HTTPTypes
import LocalServer
import Synchronization
import Testing

@testable import Bluebonnet

/// Downloads that are continued.
@Suite(.timeLimit(.minutes(5)))
struct DownloadResumeTests {
    private let bytes = RangeResponses.bytes(200_000)

    /// Runs the body with a manager, a folder and a server that responds by what the box holds.
    private func withServer(
        _ responses: RangeResponses,
        _ body: (HTTPSessionManager, URL, Mutable, FaultServer) async throws -> Void
    ) async throws {
        let box = Mutable(responses)
        try await FaultServer.run(.requests { box.value.steps($0) }) { server in
            try await withAPI(at: server.baseURL) { api in
                try await withDirectory { try await body(api, $0, box, server) }
            }
        }
    }

    private final class Mutable: Sendable {
        private let state: Mutex<RangeResponses>

        init(_ value: RangeResponses) {
            state = Mutex(value)
        }

        var value: RangeResponses {
            get { state.withLock { $0 } }
            set { state.withLock { $0 = newValue } }
        }
    }

    @Test func `a download that was cut off goes on where it stopped`() async throws {
        try await withServer(RangeResponses(bytes: bytes, cut: 120_000)) { api, directory, box, server in
            let file = directory.appending(path: "a.bin")
            let error = try await networkingError { try await api.download("a", to: file) }
            #expect(error.code == .truncatedResponse)
            let resumeData = try #require(error.resumeData)
            #expect(resumeData.byteCount == 120_000)
            #expect(resumeData.totalByteCount == 200_000)
            #expect(try names(in: directory) == ["a.bin.bluebonnet"])
            box.value.cut = nil
            let seen = Mutex<[Int]>([])
            try await api.download("a", to: file, resuming: resumeData) { progress in
                seen.withLock { $0.append(progress.download.completed) }
                if progress.download.completed > 120_000 { #expect(progress.download.total == 200_000) }
            }
            #expect(try Data(contentsOf: file) == Data(bytes))
            #expect(seen.withLock { $0.last } == 200_000)
            #expect(server.requests.last?.value(of: "Range") == "bytes=120000-")
            #expect(server.requests.last?.value(of: "If-Range") == "\"v1\"")
            #expect(try names(in: directory) == ["a.bin"])
        }
    }

    @Test func `fifty cuts leave every byte in its place, and fetch none twice`() async throws {
        try await withServer(RangeResponses(bytes: bytes, cut: 3_989)) { api, directory, _, server in
            let file = directory.appending(path: "a.bin")
            var resumeData: ResumeData?
            var cuts = 0
            while true {
                do throws(NetworkingError) {
                    try await api.download("a", to: file, resuming: resumeData)
                    break
                } catch {
                    cuts += 1
                    let encoded = try JSONEncoder().encode(try #require(error.resumeData))
                    resumeData = try JSONDecoder().decode(ResumeData.self, from: encoded)
                }
            }
            #expect(cuts == 50)
            #expect(try Data(contentsOf: file) == Data(bytes))
            let starts = server.requests.dropFirst().map { $0.value(of: "Range") ?? "" }
            #expect(starts == (1...50).map { "bytes=\($0 * 3_989)-" })
        }
    }

    @Test func `a file that changed on the server is fetched whole`() async throws {
        try await withServer(RangeResponses(bytes: bytes, cut: 120_000)) { api, directory, box, _ in
            let file = directory.appending(path: "a")
            let error = try await networkingError { try await api.download("a", to: file) }
            let other = RangeResponses.bytes(90_000, seed: 2)
            box.value = RangeResponses(bytes: other, tag: "\"v2\"")
            try await api.download("a", to: file, resuming: error.resumeData)
            #expect(try Data(contentsOf: file) == Data(other))
        }
    }

    @Test func `a server that ignores If-Range and sends a part of another version is asked again`() async throws {
        try await withServer(RangeResponses(bytes: bytes, cut: 120_000)) { api, directory, _, _ in
            let file = directory.appending(path: "a")
            let error = try await networkingError { try await api.download("a", to: file) }
            let script: FaultServer.Script = .requests { request in
                let tag = ("ETag", "\"v2\"")
                guard request.value(of: "Range") != nil else { return [.respond(headers: [tag], body: "whole")] }
                return [.respond(206, headers: [tag, ("Content-Range", "bytes 120000-120004/120005")], body: "wrong")]
            }
            try await FaultServer.run(script) { server in
                try await api.download(server.baseURL + "/b", to: file, resuming: error.resumeData)
                #expect(try String(contentsOf: file, encoding: .utf8) == "whole")
                #expect(server.requests.count == 2)
            }
        }
    }

    @Test func `a part without the tag of the whole is not put behind what is there`() async throws {
        try await withServer(RangeResponses(bytes: bytes, cut: 120_000)) { api, directory, _, _ in
            let file = directory.appending(path: "a")
            let error = try await networkingError { try await api.download("a", to: file) }
            // Another version of the same length, from a server that ignores If-Range.
            let other = RangeResponses.bytes(200_000, seed: 2)
            let script: FaultServer.Script = .requests { request in
                guard request.value(of: "Range") != nil else { return [.respond(bytes: other)] }
                return [
                    .respond(
                        206,
                        headers: [("Content-Range", "bytes 120000-199999/200000")],
                        bytes: Array(other[120_000...])
                    )
                ]
            }
            try await FaultServer.run(script) { server in
                try await api.download(server.baseURL + "/b", to: file, resuming: error.resumeData)
                #expect(try Data(contentsOf: file) == Data(other))
                #expect(server.requests.map { $0.value(of: "Range") } == ["bytes=120000-", nil])
            }
        }
    }

    @Test(arguments: [
        "bytes 0-4/200000", "bytes 119999-200003/200000", "bytes 120000-120004/300000", "bytes 120000-120009/200000",
        "items 120000-120004/200000", "", "bytes */200000",
    ])
    func `a part that was not asked for is refused, and nothing is lost`(range: String) async throws {
        try await withServer(RangeResponses(bytes: bytes, cut: 120_000)) { api, directory, _, _ in
            let file = directory.appending(path: "a")
            let first = try await networkingError { try await api.download("a", to: file) }
            let script: FaultServer.Script = [
                .readRequest, .respond(206, headers: range.isEmpty ? [] : [("Content-Range", range)], body: "wrong"),
            ]
            try await FaultServer.run(script) { server in
                let error = try await networkingError {
                    try await api.download(server.baseURL + "/b", to: file, resuming: first.resumeData)
                }
                #expect(error.code == .unexpectedContentRange)
                #expect(error.resumeData?.byteCount == 120_000)
                #expect(error.resumeData?.validator == first.resumeData?.validator)
            }
            #expect(try names(in: directory) == ["a.bluebonnet"])
        }
    }

    @Test(arguments: ["503", "reset", "ended"])
    func `what was received stays when the server cannot continue now`(fault: String) async throws {
        try await withServer(RangeResponses(bytes: bytes, cut: 120_000)) { api, directory, box, _ in
            let file = directory.appending(path: "a")
            let first = try await networkingError { try await api.download("a", to: file) }
            let steps: [FaultStep] = [.readRequest, fault == "503" ? .respond(503, body: "busy") : .reset]
            try await FaultServer.run(.steps(steps)) { server in
                let session = SessionManager()
                if fault == "ended" { session.invalidate() }
                let request = try Request(to: server.baseURL)
                let error = try await networkingError {
                    try await session.download(request, to: file, resuming: first.resumeData)
                }
                #expect(error.resumeData?.byteCount == 120_000)
                await session.shutdown()
            }
            box.value.cut = nil
            try await api.download("a", to: file, resuming: first.resumeData)
            #expect(try Data(contentsOf: file) == Data(bytes))
        }
    }

    @Test func `two downloads never continue one file`() async throws {
        try await withServer(RangeResponses(bytes: bytes, cut: 120_000)) { api, directory, _, _ in
            let file = directory.appending(path: "a")
            let first = try await networkingError { try await api.download("a", to: file) }
            let resumeData = try #require(first.resumeData)
            let owner = try SystemFile.exclusive(resumeData.partialFile.path(percentEncoded: false))
            let error = try await networkingError { try await api.download("a", to: file, resuming: resumeData) }
            #expect(error.code == .outputFailed)
            #expect(error.message.contains("Another download writes to"))
            #expect(error.resumeData == resumeData)
            #expect(try owner.size() == 120_000)
        }
    }

    @Test func `a part of a file that was asked for as a whole is refused`() async throws {
        let script: FaultServer.Script = [
            .readRequest, .respond(206, headers: [("Content-Range", "bytes 0-4/9")], body: "wrong"),
        ]
        try await FaultServer.run(script) { server in
            try await withAPI(at: server.baseURL) { api in
                try await withDirectory { directory in
                    let error = try await networkingError {
                        try await api.download("a", to: directory.appending(path: "a"))
                    }
                    #expect(error.code == .unexpectedContentRange)
                    #expect(try names(in: directory).isEmpty)
                }
            }
        }
    }

    @Test func `a part that the user asks for is written`() async throws {
        try await LocalServer.run { server in
            try await withAPI(at: server.baseURL) { api in
                try await withDirectory { directory in
                    let file = directory.appending(path: "a")
                    try await api.download("range/100", headers: [.range: "bytes=2-4"], to: file)
                    #expect(try String(contentsOf: file, encoding: .utf8) == "cde")
                }
            }
        }
    }

    @Test func `a file that is complete already needs no byte`() async throws {
        try await withServer(RangeResponses(bytes: bytes, cut: 199_999)) { api, directory, box, server in
            let file = directory.appending(path: "a")
            let error = try await networkingError { try await api.download("a", to: file) }
            let resumeData = try #require(error.resumeData)
            // The rest came, and the program ended before it was noted.
            let handle = try FileHandle(forWritingTo: resumeData.partialFile)
            try handle.seekToEnd()
            try handle.write(contentsOf: bytes.suffix(1))
            try handle.close()
            let whole = ResumeData(
                url: resumeData.url,
                partialFile: resumeData.partialFile,
                byteCount: 200_000,
                totalByteCount: 200_000,
                validator: resumeData.validator,
                token: resumeData.token
            )
            box.value.cut = nil
            try await api.download("a", to: file, resuming: whole)
            #expect(try Data(contentsOf: file) == Data(bytes))
            #expect(server.requests.map { $0.value(of: "Range") } == [nil, "bytes=200000-"])
        }
    }

    @Test func `a 416 for a file that became shorter begins again`() async throws {
        try await withServer(RangeResponses(bytes: bytes, cut: 120_000)) { api, directory, _, _ in
            let file = directory.appending(path: "a")
            let error = try await networkingError { try await api.download("a", to: file) }
            let script: FaultServer.Script = .requests { request in
                guard request.value(of: "Range") != nil else { return [.respond(body: "short")] }
                return [.respond(416, headers: [("Content-Range", "bytes */5")])]
            }
            try await FaultServer.run(script) { server in
                try await api.download(server.baseURL, to: file, resuming: error.resumeData)
            }
            #expect(try String(contentsOf: file, encoding: .utf8) == "short")
        }
    }

    @Test func `a server that sends less than the rest is asked for more`() async throws {
        let bytes = bytes
        let script: FaultServer.Script = .requests { request in
            let start = request.value(of: "Range").flatMap { Int($0.dropFirst(6).dropLast()) } ?? 0
            let tag = ("ETag", "\"v1\"")
            guard start > 0 else {
                let head = "HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nContent-Length: \(bytes.count)\r\n\r\n"
                return [.send(Array(head.utf8) + bytes.prefix(1_000)), .close]
            }
            let end = min(start + 70_000, bytes.count)
            let range = ("Content-Range", "bytes \(start)-\(end - 1)/\(bytes.count)")
            return [.respond(206, headers: [tag, range], bytes: Array(bytes[start..<end]))]
        }
        try await FaultServer.run(script) { server in
            try await withAPI(at: server.baseURL) { api in
                try await withDirectory { directory in
                    let file = directory.appending(path: "a")
                    let error = try await networkingError { try await api.download("a", to: file) }
                    try await api.download("a", to: file, resuming: error.resumeData)
                    #expect(try Data(contentsOf: file) == Data(bytes))
                    #expect(server.requests.count == 4)
                }
            }
        }
    }

    @Test func `a partial file that is gone or short is fetched again as far as it is missing`() async throws {
        try await withServer(RangeResponses(bytes: bytes, cut: 120_000)) { api, directory, box, server in
            let file = directory.appending(path: "a")
            let first = try await networkingError { try await api.download("a", to: file) }
            let resumeData = try #require(first.resumeData)
            box.value.cut = nil
            let path = resumeData.partialFile.path(percentEncoded: false)
            try FileHandle(forWritingTo: resumeData.partialFile).truncate(atOffset: 70_000)
            try await api.download("a", to: file, resuming: resumeData)
            #expect(server.requests.last?.value(of: "Range") == "bytes=70000-")
            #expect(try Data(contentsOf: file) == Data(bytes))
            #expect(!FileManager.default.fileExists(atPath: path))
            try await api.download("a", to: file, resuming: resumeData)
            #expect(server.requests.last?.value(of: "Range") == nil)
            #expect(try Data(contentsOf: file) == Data(bytes))
        }
    }

    @Test func `bytes behind those that were noted are not trusted`() async throws {
        try await withServer(RangeResponses(bytes: bytes, cut: 120_000)) { api, directory, box, _ in
            let file = directory.appending(path: "a")
            let first = try await networkingError { try await api.download("a", to: file) }
            let resumeData = try #require(first.resumeData)
            let handle = try FileHandle(forWritingTo: resumeData.partialFile)
            try handle.seekToEnd()
            try handle.write(contentsOf: Data(repeating: 0, count: 5_000))
            try handle.close()
            box.value.cut = nil
            try await api.download("a", to: file, resuming: resumeData)
            #expect(try Data(contentsOf: file) == Data(bytes))
        }
    }

    @Test(arguments: [
        [("ETag", "W/\"v1\"")], [("Last-Modified", "Mon, 02 Jan 2023 03:04:05 GMT")],
        [("Last-Modified", "Mon, 02 Jan 2023 03:04:05 GMT"), ("Date", "Mon, 02 Jan 2023 03:04:05 GMT")],
        [("ETag", "\"v1\""), ("Accept-Ranges", "none")], [],
    ])
    func `a response that cannot be continued leaves nothing behind`(fields: [(String, String)]) async throws {
        let head = fields.map { "\($0.0): \($0.1)\r\n" }.joined()
        let script: FaultServer.Script = [
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\(head)\r\nhalf"), .close,
        ]
        try await FaultServer.run(script) { server in
            try await withAPI(at: server.baseURL) { api in
                try await withDirectory { directory in
                    let error = try await networkingError {
                        try await api.download("a", to: directory.appending(path: "a"))
                    }
                    #expect(error.code == .truncatedResponse)
                    #expect(error.resumeData == nil)
                    #expect(try names(in: directory).isEmpty)
                }
            }
        }
    }

    @Test func `a file with an old Last-Modified is continued by it`() async throws {
        let date = "Mon, 02 Jan 2023 03:04:05 GMT"
        let fields = "Last-Modified: \(date)\r\nDate: Mon, 02 Jan 2023 03:04:06 GMT\r\n"
        let script: FaultServer.Script = .connections([
            [.readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\(fields)\r\nhalf"), .close],
            [.readRequest, .respond(206, headers: [("Content-Range", "bytes 4-8/9")], body: " more")],
        ])
        try await FaultServer.run(script) { server in
            try await withAPI(at: server.baseURL) { api in
                try await withDirectory { directory in
                    let file = directory.appending(path: "a")
                    let error = try await networkingError { try await api.download("a", to: file) }
                    try await api.download("a", to: file, resuming: error.resumeData)
                    #expect(try String(contentsOf: file, encoding: .utf8) == "half more")
                    #expect(server.requests.last?.value(of: "If-Range") == date)
                }
            }
        }
    }

    @Test func `a file with a weak tag is fetched anew, whatever its date is`() async throws {
        // The second one is a new version with the date of the first.
        let date = "Mon, 02 Jan 2023 03:04:05 GMT"
        let fields = "Last-Modified: \(date)\r\nDate: Mon, 02 Jan 2023 03:04:06 GMT\r\n"
        let script: FaultServer.Script = .requests { request in
            guard request.value(of: "If-Range") == nil else {
                let part = ("Content-Range", "bytes 4-8/9")
                return [.respond(206, headers: [part, ("ETag", "W/\"2\""), ("Last-Modified", date)], body: " more")]
            }
            let whole = FaultStep.send(
                "HTTP/1.1 200 OK\r\nContent-Length: 9\r\nETag: W/\"1\"\r\n\(fields)\r\nhalf"
            )
            return request.target == "/a" ? [whole, .close] : [.respond(body: "a new one")]
        }
        try await FaultServer.run(script) { server in
            try await withAPI(at: server.baseURL) { api in
                try await withDirectory { directory in
                    let file = directory.appending(path: "a")
                    let error = try await networkingError { try await api.download("a", to: file) }
                    #expect(error.code == .truncatedResponse)
                    #expect(error.resumeData == nil)
                    #expect(try names(in: directory).isEmpty)
                    try await api.download("b", to: file, resuming: error.resumeData)
                    #expect(try String(contentsOf: file, encoding: .utf8) == "a new one")
                    #expect(server.requests.allSatisfy { $0.value(of: "Range") == nil })
                }
            }
        }
    }

    @Test(arguments: [nil, "text/html"] as [String?])
    func `a part has the content type of the whole, unless it has its own`(type: String?) async throws {
        var responses = RangeResponses(bytes: bytes, cut: 120_000)
        responses.headers = [("Content-Type", "application/zip")]
        try await withServer(responses) { api, directory, box, server in
            let (file, request) = (directory.appending(path: "a"), try Request(to: server.baseURL + "/a"))
            let validation = ResponseValidation(contentTypes: ["application/zip"])
            let error = try await networkingError {
                try await api.session.download(request, to: file, validation: validation)
            }
            #expect(error.code == .truncatedResponse)
            // RFC 9110 §15.3.7: a response with a part should leave it out.
            box.value.cut = nil
            box.value.headers = if let type { [("Content-Type", type)] } else { [] }
            let task = api.session.downloadTask(
                for: request,
                to: file,
                resuming: error.resumeData,
                validation: validation
            )
            if type == nil {
                #expect(try await task.response.headerFields[.contentType] == nil)
                #expect(try Data(contentsOf: file) == Data(bytes))
            } else {
                let refused = try await networkingError { try await task.value }
                #expect(refused.code == .unacceptableContentType)
                #expect(refused.resumeData?.byteCount == 120_000)
            }
            #expect(server.requests.last?.value(of: "Range") == "bytes=120000-")
        }
    }

    @Test func `a cancelled download gives what continues it, when that is asked for`() async throws {
        let script: FaultServer.Script = .connections([
            [.readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\nETag: \"v1\"\r\n\r\nhalf"), .stall],
            [
                .readRequest,
                .respond(206, headers: [("Content-Range", "bytes 4-8/9"), ("ETag", "\"v1\"")], body: " more"),
            ],
        ])
        try await FaultServer.run(script) { server in
            try await withAPI(at: server.baseURL) { api in
                try await withDirectory { directory in
                    let file = directory.appending(path: "a")
                    let task = try api.downloadTask(.get, "a", to: file)
                    task.resume()
                    try await until("the bytes are in the file") {
                        (try? SystemFile.size(of: file.path + ".bluebonnet")) == 4
                    }
                    let resumeData = try #require(await task.cancelProducingResumeData())
                    #expect(resumeData.byteCount == 4)
                    let error = try await networkingError { try await task.value }
                    #expect(error.isCancelled)
                    let second = try api.downloadTask(.get, "a", to: file, resuming: resumeData)
                    let again = await second.cancelProducingResumeData()
                    #expect(again == resumeData)
                    try await api.download("a", to: file, resuming: resumeData)
                    #expect(try String(contentsOf: file, encoding: .utf8) == "half more")
                }
            }
        }
    }

    @Test func `a download is continued in another folder, under another name`() async throws {
        try await withServer(RangeResponses(bytes: bytes, cut: 120_000)) { api, directory, box, _ in
            let error = try await networkingError { try await api.download("a", to: directory.appending(path: "a")) }
            box.value.cut = nil
            let file = directory.appending(path: "x/b")
            try await api.download(
                "a",
                to: .file(file, options: .createDirectories),
                resuming: error.resumeData
            )
            #expect(try Data(contentsOf: file) == Data(bytes))
            #expect(try names(in: directory) == ["x"])
        }
    }

    @Test func `a download that was redirected is continued through the redirect`() async throws {
        let box = Mutable(RangeResponses(bytes: bytes, cut: 120_000))
        let script: FaultServer.Script = .requests { request in
            request.target == "/a" ? [.respond(302, headers: [("Location", "/b")])] : box.value.steps(request)
        }
        try await FaultServer.run(script) { server in
            try await withAPI(at: server.baseURL) { api in
                try await withDirectory { directory in
                    let file = directory.appending(path: "a")
                    let error = try await networkingError { try await api.download("a", to: file) }
                    box.value.cut = nil
                    try await api.download("a", to: file, resuming: error.resumeData)
                    #expect(try Data(contentsOf: file) == Data(bytes))
                    #expect(server.requests.last?.target == "/b")
                    #expect(server.requests.last?.value(of: "Range") == "bytes=120000-")
                }
            }
        }
    }
}
