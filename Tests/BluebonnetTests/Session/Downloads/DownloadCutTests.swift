import Foundation
import HTTPTypes
import LocalServer
import Synchronization
import Testing

@testable import Bluebonnet

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Downloads that are cut many times, at random places, in every way.
@Suite(.timeLimit(.minutes(30)))
struct DownloadCutTests {
    /// Ways to cut a download.
    private enum Cut: CaseIterable {
        /// The server closes or resets the connection.
        case close, reset
        /// The server sends no more, and the task is cancelled.
        case stall
        /// The process is killed.
        case kill
    }

    /// The size of the file; scripts/download-cuts sets a larger one.
    private static let size =
        ProcessInfo.processInfo.environment["BLUEBONNET_DOWNLOAD_BYTES"].flatMap { Int($0) } ?? 8_000_000
    private static let cuts = 50

    /// What the server does next, and what it has done.
    private struct Plan {
        var cut: Cut?
        /// The bytes of the next response before its cut.
        var count = 0
        /// Where each response began.
        var starts: [Int] = []
        /// The bytes of all bodies that were sent, or were to be when a cut came before.
        var sent = 0
    }

    private final class Server: Sendable {
        let bytes: [UInt8]
        let plan = Mutex(Plan())

        init(_ bytes: [UInt8]) {
            self.bytes = bytes
        }

        func steps(_ request: FaultServer.Request) -> [FaultStep] {
            let start = request.value(of: "Range").flatMap { Int($0.dropFirst(6).dropLast()) } ?? 0
            let plan = plan.withLock { plan in
                plan.starts.append(start)
                plan.sent += plan.cut == nil ? bytes.count - start : min(plan.count, bytes.count - start)
                return plan
            }
            let tag = "ETag: \"v1\"\r\n"
            let part = start > 0 ? "Content-Range: bytes \(start)-\(bytes.count - 1)/\(bytes.count)\r\n" : ""
            let head =
                "HTTP/1.1 \(start > 0 ? 206 : 200) Scripted\r\n\(tag)\(part)Content-Length: \(bytes.count - start)\r\n\r\n"
            guard let cut = plan.cut else { return [.send(Array(head.utf8) + bytes[start...])] }
            let body = bytes[start...].prefix(plan.count)
            let end: FaultStep =
                switch cut {
                case .close: .close
                case .reset: .reset
                case .stall, .kill: .stall
                }
            return [.send(Array(head.utf8) + body), end]
        }
    }

    @Test func `fifty cuts leave every byte in its place, and little is fetched twice`() async throws {
        let seed = UInt64.random(in: 0...UInt64(UInt32.max))
        var generator = SeededGenerator(seed: seed)
        let server = Server(RangeResponses.bytes(Self.size, seed: seed))
        let largest = Self.size / Self.cuts
        try await FaultServer.run(.requests { server.steps($0) }) { fault in
            try await withDirectory { directory in
                let file = directory.appending(path: "a")
                let partial = directory.appending(path: "a.bluebonnet").path
                let url = try #require(URL(string: fault.baseURL + "/a"))
                var sizes: [Int] = []
                // What came to the client's system, or was under way, when the connection was reset
                // or the process was killed.
                var lost = 0
                for number in 0..<Self.cuts {
                    // Each way once at least.
                    let cut = Cut.allCases[number % 4]
                    let count = Int.random(in: 1...largest, using: &generator)
                    server.plan.withLock { ($0.cut, $0.count) = (cut, count) }
                    let before = (try? SystemFile.size(of: partial)) ?? 0
                    switch cut {
                    case .close, .reset: _ = try await networkingError { try await Self.download(url, to: file) }
                    case .stall:
                        let task = Self.task(url, to: file)
                        task.resume()
                        try await until("all bytes came") { (try? SystemFile.size(of: partial)) == before + count }
                        _ = await task.cancelProducingResumeData()
                    case .kill:
                        let (text, path) = (url.absoluteString, file.path)
                        let some = before + Int.random(in: 1...count, using: &generator)
                        await #expect(processExitsWith: .signal(SIGKILL)) {
                            [text = text as String, path = path as String, some = some as Int] in
                            let task = DownloadCutTests.task(try #require(URL(string: text)), to: URL(filePath: path))
                            task.onProgress { progress in
                                if progress.download.completed >= some { kill(getpid(), SIGKILL) }
                            }
                            _ = try await task.value
                        }
                    }
                    let after = (try? SystemFile.size(of: partial)) ?? 0
                    if [.reset, .kill].contains(cut) { lost += min(count, Self.size - before) - (after - before) }
                    sizes.append(after)
                }
                server.plan.withLock { $0.cut = nil }
                try await Self.download(url, to: file)
                let contents = try Data(contentsOf: file)
                #expect(contents == Data(server.bytes), "seed \(seed)")
                #expect(try names(in: directory) == ["a"])
                // What was in the file is never asked for again, whatever cut the download.
                let starts = server.plan.withLock { $0.starts }
                #expect(starts == [0] + sizes, "seed \(seed)")
                #expect(sizes == sizes.sorted(), "seed \(seed)")
                let again = server.plan.withLock { $0.sent } - Self.size - lost
                #expect(again >= 0 && again <= Self.size / 20, "\(again), seed \(seed)")
                let sent = fault.record.connections.reduce(0) { $0 + $1.bytesSent }
                print(
                    """
                    download-cuts: \(Self.cuts) cuts, \(Self.size) bytes, \(sent) sent with the heads, \(lost) lost by \
                    the cuts, \(again) more sent again, seed \(seed)
                    """
                )
            }
        }
    }

    private static let session = SessionManager()

    private static func task(_ url: URL, to file: URL) -> DownloadTask {
        session.downloadTask(
            for: Request(url: url),
            to: file,
            resuming: ResumeData(continuing: file, from: url)
        )
    }

    @discardableResult
    private static func download(_ url: URL, to file: URL) async throws -> URL {
        try await task(url, to: file).value
    }

    @Test func `a file that changes between two processes is the new one, whole`() async throws {
        let (old, new) = (RangeResponses.bytes(500_000, seed: 1), RangeResponses.bytes(400_000, seed: 2))
        let responses = Mutex(RangeResponses(bytes: old, cut: 300_000))
        try await FaultServer.run(.requests { request in responses.withLock { $0.steps(request) } }) { server in
            try await withDirectory { directory in
                let file = directory.appending(path: "a")
                let url = try #require(URL(string: server.baseURL + "/a"))
                let (text, path) = (url.absoluteString, file.path)
                await #expect(processExitsWith: .signal(SIGKILL)) { [text = text as String, path = path as String] in
                    let task = DownloadCutTests.task(try #require(URL(string: text)), to: URL(filePath: path))
                    task.onProgress { progress in
                        if progress.download.completed >= 100_000 { kill(getpid(), SIGKILL) }
                    }
                    _ = try await task.value
                }
                responses.withLock { $0 = RangeResponses(bytes: new, tag: "\"v2\"") }
                try await Self.download(url, to: file)
                #expect(try Data(contentsOf: file) == Data(new))
                #expect(try names(in: directory) == ["a"])
            }
        }
    }

    @Test func `two processes never write to one file`() async throws {
        let gate = FaultGate()
        let script: FaultServer.Script = .requests { request in
            request.target == "/other"
                ? [.respond(body: "other")]
                : [.send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\nETag: \"a\"\r\n\r\nfir"), .hold(gate), .send("st!")]
        }
        try await FaultServer.run(script) { server in
            try await withDirectory { directory in
                let file = directory.appending(path: "a")
                let url = try #require(URL(string: server.baseURL + "/a"))
                let (text, path) = (server.baseURL + "/other", file.path)
                let task = Self.task(url, to: file)
                task.resume()
                try await until("bytes came") { (try? SystemFile.size(of: path + ".bluebonnet")) == 3 }
                await #expect(processExitsWith: .success) { [text = text as String, path = path as String] in
                    let error = try await networkingError {
                        try await DownloadCutTests.download(try #require(URL(string: text)), to: URL(filePath: path))
                    }
                    #expect(error.code == .outputFailed)
                    #expect(error.message.contains("Another download writes to"))
                    // Neither does one that knows of the partial file.
                    let first = try #require(URL(string: text.replacing("/other", with: "/a")))
                    let second = try await networkingError {
                        try await DownloadCutTests.download(first, to: URL(filePath: path))
                    }
                    #expect(second.message.contains("Another download writes to"))
                }
                gate.open()
                _ = try await task.value
                #expect(try String(contentsOf: file, encoding: .utf8) == "first!")
                #expect(try names(in: directory) == ["a"])
            }
        }
    }

    @Test func `a download over TLS is continued`() async throws {
        let bytes = RangeResponses.bytes(300_000)
        let responses = Mutex(RangeResponses(bytes: bytes, cut: 120_000))
        let certificates = try TestCertificates.shared()
        let options = FaultServer.Options(tls: ServerTLS(certificates.localhost))
        try await certificates.withFiles { files in
            let configuration = SessionConfiguration { $0.tls.trustRoots = .file(files.authority) }
            try await FaultServer.run(
                .requests { request in responses.withLock { $0.steps(request) } },
                options: options
            ) {
                server in
                try await withAPI(at: "https://127.0.0.1:\(server.port)", configuration) { api in
                    try await withDirectory { directory in
                        let file = directory.appending(path: "a")
                        let error = try await networkingError { try await api.download("a", to: file) }
                        let resumeData = try #require(error.resumeData)
                        #expect(resumeData.byteCount > 0)
                        responses.withLock { $0.cut = nil }
                        try await api.download("a", to: file, resuming: resumeData)
                        #expect(try Data(contentsOf: file) == Data(bytes))
                        #expect(server.requests.last?.value(of: "Range") == "bytes=\(resumeData.byteCount)-")
                    }
                }
            }
        }
    }

    @Test func `a file of a gigabyte takes little memory`() async throws {
        let size = 1 << 30
        let head = "HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\nETag: \"a\"\r\n\r\n"
        try await FaultServer.run(.requests { _ in [.send(head), .fill(1, count: size)] }) { server in
            let text = server.baseURL + "/a"
            await #expect(processExitsWith: .success) { [text = text as String] in
                try await withDirectory { directory in
                    let before = try peakMemory()
                    let file = directory.appending(path: "a")
                    try await DownloadCutTests.download(try #require(URL(string: text)), to: file)
                    #expect(try SystemFile.size(of: file.path) == 1 << 30)
                    let grown = try peakMemory() - before
                    #expect(grown < 40_000_000, "\(grown)")
                }
            }
        }
    }
}
