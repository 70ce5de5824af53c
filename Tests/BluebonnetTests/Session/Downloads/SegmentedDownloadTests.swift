import Crypto
import Foundation
import HTTPTypes
import LocalServer
import Synchronization
import Testing

@testable import Bluebonnet

/// Downloads of one file by several requests at once, against a server that can fail.
@Suite(.timeLimit(.minutes(3)))
struct SegmentedDownloadTests {
    private static let piece = SegmentServer.piece
    private static let bytes = SegmentServer.bytes

    typealias Server = SegmentServer

    private let withServer = SegmentServer.run
    private let request = SegmentServer.request

    /// The parts that were asked for, from the front.
    private func ranges(_ server: FaultServer) -> [String] {
        server.requests.compactMap { $0.value(of: "Range") }
    }

    @Test(arguments: [2, 4])
    func `the parts of a file come over several connections, and end in one file`(segments: Int) async throws {
        try await withServer(Server()) { server, _, session, directory in
            let file = directory.appending(path: "a")
            let digest = SHA256.hash(data: Data(Self.bytes)).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
            let task = session.downloadTask(
                for: try request(server, segments),
                to: file,
                checksum: Checksum("sha256:" + digest.joined())
            )
            let seen = EventLog<TransferProgress>()
            task.onProgress { seen.append($0.download) }
            _ = try await task.value
            #expect(try Data(contentsOf: file) == Data(Self.bytes))
            #expect(try names(in: directory) == ["a"])
            #expect(server.requests.count == 5 && Set(ranges(server)).count == 5)
            #expect(server.connections.count == segments)
            #expect(server.requests.dropFirst().allSatisfy { $0.value(of: "If-Range") == "\"v1\"" })
            #expect(seen.events.last?.completed == Self.bytes.count)
            #expect(zip(seen.events, seen.events.dropFirst()).allSatisfy { $0.completed <= $1.completed })
            #expect(session.tasks.isEmpty)
        }
    }

    @Test func `the request for each part is in the metrics of the task and in an archive`() async throws {
        let recorder = HARRecorder()
        let server = Server()
        try await FaultServer.run(.requests { server.steps($0) }) { server in
            try await withSession(SessionConfiguration { $0.observers = [recorder] }) { session in
                try await withDirectory { directory in
                    let file = directory.appending(path: "a")
                    let task = session.downloadTask(for: try request(server, 3), to: file)
                    let metrics = try await task.response.metrics
                    #expect(metrics.transactionCount == 5 && metrics.retryCount == 0 && metrics.redirectCount == 0)
                    let transactions = metrics.transactions
                    let asked = transactions.compactMap { $0.request.headerFields[.range] }
                    #expect(Set(asked) == Set(ranges(server)))
                    #expect(transactions.allSatisfy { $0.response?.status.code == 206 })
                    #expect(transactions.dropFirst().allSatisfy { $0.end != nil && $0.receiving?.end != nil })
                    #expect(
                        transactions.dropFirst().reduce(0) { $0 + $1.bytes.responseBody } == Self.bytes.count
                            - Self.piece
                    )
                    #expect(try #require(metrics.duration) >= transactions.compactMap(\.end).max() ?? .zero)
                }
            }
        }
        #expect(recorder.log.entryCount == 5)
    }

    @Test func `a part that fails has its transaction too`() async throws {
        var first = Server()
        first.fault = { start in
            start == 2 * Self.piece ? [.send("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n")] : nil
        }
        try await withServer(first) { server, _, session, directory in
            let task = session.downloadTask(for: try request(server, 2), to: directory.appending(path: "a"))
            _ = try? await task.response
            let codes = try #require(task.metrics).transactions.map { $0.response?.status.code }
            #expect(codes.count == server.requests.count && codes.contains(503))
        }
    }

    @Test func `a file that fits into the first part is one request`() async throws {
        for count in [1, 1_000, Self.piece] {
            try await withServer(Server(bytes: RangeResponses.bytes(count))) { server, current, session, directory in
                let file = directory.appending(path: "a")
                try await session.download(try request(server, 8), to: file)
                #expect(try Data(contentsOf: file) == Data(current.withLock(\.bytes)))
                #expect(server.requests.count == 1)
            }
        }
    }

    enum Lack: CaseIterable {
        case ranges, tag, strongTag, bytes

        /// The runner describes every argument, which would take a minute for a server with bytes.
        var server: Server {
            switch self {
            case .ranges: Server(hasRanges: false)
            case .tag: Server(tag: nil)
            case .strongTag: Server(tag: "W/\"v1\"")
            case .bytes: Server(bytes: [])
            }
        }
    }

    @Test(arguments: Lack.allCases)
    func `a server whose parts cannot be put together sends the whole`(lack: Lack) async throws {
        let first = lack.server
        try await withServer(first) { server, _, session, directory in
            let file = directory.appending(path: "a")
            try await session.download(try request(server, 8), to: file)
            #expect(try Data(contentsOf: file) == Data(first.bytes))
            #expect(server.requests.count == (first.hasRanges ? 2 : 1))
            #expect(server.requests.last?.value(of: "If-Range") == nil)
        }
    }

    @Test func `a server that refuses requests gets fewer of them`() async throws {
        let refused = Mutex(0)
        let first = Server { start in
            guard start > 0, refused.withLock({ $0 }) < 2 else { return nil }
            refused.withLock { $0 += 1 }
            return refused.withLock { $0 } % 2 == 0 ? [.reset] : [.respond(503, body: "busy")]
        }
        try await withServer(first) { server, _, session, directory in
            let file = directory.appending(path: "a")
            try await session.download(try request(server, 4), to: file)
            #expect(try Data(contentsOf: file) == Data(Self.bytes))
            #expect(server.requests.count == 7)
        }
    }

    @Test(arguments: [1, 4])
    func `what came of every part is kept, and only the rest is fetched`(segments: Int) async throws {
        let cut = Server { start in
            guard start >= 2 * Self.piece else { return nil }
            let end = min(start + Self.piece, Self.bytes.count)
            let head = Server.head(of: start..<end, Self.bytes.count, "ETag: \"v1\"\r\n")
            return [.send(head + Self.bytes[start..<min(start + 1_000_000, end)]), .close]
        }
        try await withServer(cut) { server, current, session, directory in
            let file = directory.appending(path: "a")
            let error = try await networkingError {
                try await session.download(try request(server, 4), to: file)
            }
            #expect(error.code == .truncatedResponse)
            let resumeData = try #require(error.resumeData)
            #expect(resumeData.totalByteCount == Self.bytes.count)
            #expect(resumeData.byteCount > 2 * Self.piece)
            let found = ResumeData(continuing: file, from: try request(server, 1).url)
            #expect(found == resumeData)
            let sent = server.requests.count
            current.withLock { $0 = Server() }
            let task = session.downloadTask(
                for: try request(server, segments),
                to: file,
                resuming: resumeData
            )
            let seen = EventLog<Int>()
            task.onProgress { seen.append($0.download.completed) }
            _ = try await task.value
            #expect(try Data(contentsOf: file) == Data(Self.bytes))
            #expect(seen.events.allSatisfy { $0 >= resumeData.byteCount } && seen.events.last == Self.bytes.count)
            let asked = server.requests.dropFirst(sent).compactMap { $0.value(of: "Range") }.map { range in
                let numbers = range.dropFirst(6).split(separator: "-").compactMap { Int($0) }
                return numbers[1] - numbers[0] + 1
            }
            #expect(asked.reduce(0, +) == Self.bytes.count - resumeData.byteCount)
        }
    }

    @Test func `parts that another URL continued are found by that one after a crash`() async throws {
        let end = Mutex(2 * Self.piece)
        let cut = Server { start in start < end.withLock { $0 } ? nil : [.close] }
        try await withServer(cut) { server, _, session, directory in
            let (file, first) = (directory.appending(path: "a"), try request(server, 4))
            var second = first
            second.url = try #require(URL(string: server.baseURL + "/a?key=2"))
            let error = try await networkingError { try await session.download(first, to: file) }
            #expect(error.resumeData?.byteCount == 2 * Self.piece)
            end.withLock { $0 = 3 * Self.piece }
            let again = try await networkingError {
                try await session.download(second, to: file, resuming: error.resumeData)
            }
            #expect(again.resumeData?.byteCount == 3 * Self.piece)
            #expect(ResumeData(continuing: file, from: first.url) == nil)
            #expect(ResumeData(continuing: file, from: second.url) == again.resumeData)
        }
    }

    @Test func `a file that changed meanwhile comes whole, in its new version`() async throws {
        let other = RangeResponses.bytes(2 * Self.piece, seed: 2)
        let count = Mutex(0)
        let first = Server()
        try await FaultServer.run(
            .requests { request in
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                return (number <= 2 ? first : Server(bytes: other, tag: "\"v2\"")).steps(request)
            }
        ) { server in
            try await withSession(SessionConfiguration()) { session in
                try await withDirectory { directory in
                    let file = directory.appending(path: "a")
                    try await session.download(try request(server, 3), to: file)
                    #expect(try Data(contentsOf: file) == Data(other))
                }
            }
        }
    }

    @Test func `a part of another version is never mixed in, whatever the status says`() async throws {
        let first = Server { start in
            guard start == 3 * Self.piece else { return nil }
            let range = start..<start + Self.piece
            return [.send(Server.head(of: range, Self.bytes.count, "ETag: \"v2\"\r\n") + Self.bytes[range])]
        }
        try await withServer(first) { server, _, session, directory in
            let file = directory.appending(path: "a")
            try await session.download(try request(server, 3), to: file)
            #expect(try Data(contentsOf: file) == Data(Self.bytes))
            #expect(server.requests.last?.value(of: "Range") == nil)
        }
    }

    @Test func `a server that ignores If-Range does not mix the parts of two versions`() async throws {
        // The first part is missing, and others are there.
        let cut = Server { start in
            guard start == 0 || start >= 3 * Self.piece else { return nil }
            let range = start..<min(start + Self.piece, Self.bytes.count)
            let head = Server.head(of: range, Self.bytes.count, "ETag: \"v1\"\r\n")
            return [.send(head + Self.bytes[start..<start + 10]), .close]
        }
        try await withServer(cut) { server, current, session, directory in
            let file = directory.appending(path: "a")
            let error = try await networkingError {
                try await session.download(try request(server, 4), to: file)
            }
            let resumeData = try #require(error.resumeData)
            let other = RangeResponses.bytes(Self.bytes.count, seed: 3)
            current.withLock { current in
                current = Server(bytes: other, tag: "\"v2\"")
                current.ignoresIfRange = true
            }
            try await session.download(try request(server, 4), to: file, resuming: resumeData)
            #expect(try Data(contentsOf: file) == Data(other))
        }
    }

    @Test func `suspending the task suspends all its requests, and cancelling it keeps what came`() async throws {
        let gate = FaultGate()
        let first = Server { start in
            let range = start..<min(start + Self.piece, Self.bytes.count)
            let head = Server.head(of: range, Self.bytes.count, "ETag: \"v1\"\r\n")
            let half = start + range.count / 2
            return [
                .send(head + Self.bytes[start..<half]), .hold(gate), .send(Array(Self.bytes[half..<range.upperBound])),
            ]
        }
        try await withServer(first) { server, current, session, directory in
            let file = directory.appending(path: "a")
            let task = session.downloadTask(for: try request(server, 4), to: file)
            task.resume()
            try await until("half of four parts") { task.currentProgress.download.completed >= 2 * Self.piece }
            task.suspend()
            gate.open()
            let came = try await settled { task.currentProgress.download.completed }
            #expect(came <= 4 * Self.piece && task.state == .suspended && server.requests.count == 4)
            let resumeData = try #require(await task.cancelProducingResumeData())
            #expect(resumeData.byteCount >= 2 * Self.piece && resumeData.byteCount <= came)
            #expect(session.tasks.isEmpty)
            current.withLock { $0 = Server() }
            try await session.download(try request(server, 4), to: file, resuming: resumeData)
            #expect(try Data(contentsOf: file) == Data(Self.bytes))
        }
    }

    @Test func `after a loss of power only what the disk had is trusted`() async throws {
        let cut = Server { start in start >= 2 * Self.piece ? [.close] : nil }
        try await withServer(cut) { server, current, session, directory in
            let file = directory.appending(path: "a")
            let error = try await networkingError {
                try await session.download(try request(server, 2), to: file)
            }
            let partial = try #require(error.resumeData?.partialFile.path(percentEncoded: false))
            let held = try SystemFile.exclusive(partial)
            var record = try #require(try DownloadRecord(of: held))
            record.boot = "another"
            record.missingOnDisk = [100..<Self.bytes.count]
            try held.setAttribute(DownloadRecord.attribute, to: record.encoded)
            held.release()
            let url = try request(server, 1).url
            #expect(ResumeData(continuing: file, from: url)?.byteCount == 100)
            current.withLock { $0 = Server() }
            let sent = server.requests.count
            try await session.download(try request(server, 2), to: file, resuming: error.resumeData)
            #expect(server.requests[sent].value(of: "Range")?.hasPrefix("bytes=100-") == true)
            #expect(try Data(contentsOf: file) == Data(Self.bytes))
        }
    }

    @Test func `the record of a file in parts is refused where its parts are outside of the file`() throws {
        let url = try #require(URL(string: "http://example.com/a"))
        var record = DownloadRecord(url: url, length: 100, validator: .entityTag("\"a\""), fields: .init())
        #expect(record.missing(of: 10) == nil)
        record.missing = [10..<20]
        #expect(try DownloadRecord(record.encoded) == record)
        #expect(record.missing(of: 100) == [10..<20] && record.missing(of: 15) == [10..<100])
        record.missing = [10..<101]
        #expect(DownloadRecord(try record.encoded) == nil)
        record.length = nil
        #expect(DownloadRecord(try record.encoded) == nil)
    }
}
