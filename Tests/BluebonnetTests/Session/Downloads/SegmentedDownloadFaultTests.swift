import Crypto
import Foundation
import HTTPTypes
import LocalServer
import Synchronization
import Testing

@testable import Bluebonnet

/// Downloads in several parts where something fails beside them: digests, connections, suspension.
@Suite(.timeLimit(.minutes(3)))
struct SegmentedDownloadFaultTests {
    private typealias Server = SegmentServer

    private static let piece = SegmentServer.piece
    private static let bytes = SegmentServer.bytes

    private let withServer = SegmentServer.run
    private let request = SegmentServer.request

    private static func checksum(_ bytes: [UInt8]) -> Checksum {
        .sha256(SHA256.hash(data: bytes).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())
    }

    private static func field(_ bytes: [UInt8]) -> String {
        "Repr-Digest: sha-256=:\(Data(SHA256.hash(data: bytes)).base64EncodedString()):\r\n"
    }

    /// A server that cuts every part from a position on.
    private static func cut(from position: Int, fields: String = "") -> Server {
        var server = Server()
        server.fields = fields
        server.fault = { start in
            guard start >= position else { return nil }
            return [.send(Server.head(of: Server.range(from: start)) + bytes[start..<start + 10]), .close]
        }
        return server
    }

    // MARK: Digests

    enum Change: CaseIterable {
        case another, shorter
    }

    @Test(arguments: Change.allCases)
    func `the checksum of a file that changed counts no byte of the old one`(change: Change) async throws {
        try await withServer(Self.cut(from: 2 * Self.piece)) { server, current, session, directory in
            let file = directory.appending(path: "a")
            let error = try await networkingError {
                try await session.download(try request(server, 4), to: file)
            }
            let resumeData = try #require(error.resumeData)
            // A server that ignores If-Range: it sends another version, or has no such part.
            let bytes = RangeResponses.bytes(change == .another ? Self.bytes.count : Self.piece + 5, seed: 4)
            current.withLock { current in
                current = Server(bytes: bytes, tag: "\"v2\"")
                current.ignoresIfRange = true
            }
            let task = session.downloadTask(
                for: try request(server, 4),
                to: file,
                resuming: resumeData,
                checksum: Self.checksum(bytes)
            )
            _ = try await task.value
            #expect(try Data(contentsOf: file) == Data(bytes))
        }
    }

    @Test(arguments: [true, false])
    func `the digest of the whole is compared where the parts are continued`(isRight: Bool) async throws {
        try await withServer(Self.cut(from: 2 * Self.piece)) { server, current, session, directory in
            let file = directory.appending(path: "a")
            let error = try await networkingError {
                try await session.download(try request(server, 4), to: file)
            }
            let resumeData = try #require(error.resumeData)
            current.withLock { $0 = Server(fields: Self.field(isRight ? Self.bytes : [1])) }
            let continued = try request(server, 4)
            guard !isRight else {
                try await session.download(continued, to: file, resuming: resumeData)
                #expect(try Data(contentsOf: file) == Data(Self.bytes))
                return
            }
            let mismatch = try await networkingError {
                try await session.download(continued, to: file, resuming: resumeData)
            }
            #expect(mismatch.code == .digestMismatch)
            #expect(try names(in: directory).isEmpty)
        }
    }

    // MARK: Connections

    @Test func `a piece whose connection is lost at the end is fetched by another request`() async throws {
        let gate = FaultGate()
        let isFirst = Mutex(true)
        let last = 4 * Self.piece
        var first = Server()
        first.fault = { start in
            guard start == last, isFirst.withLock({ $0 }) else { return nil }
            isFirst.withLock { $0 = false }
            return [.send(Server.head(of: Server.range(from: last))), .hold(gate), .reset]
        }
        try await withServer(first) { server, _, session, directory in
            let file = directory.appending(path: "a")
            let task = session.downloadTask(for: try request(server, 2), to: file)
            task.resume()
            // The other request has no more pieces to take.
            try await until("all others came") { task.currentProgress.download.completed == last }
            _ = try await settled { server.requests.count }
            gate.open()
            _ = try await task.value
            #expect(try Data(contentsOf: file) == Data(Self.bytes))
            #expect(server.requests.count == 6)
        }
    }

    @Test func `a part of another version stops all other requests at once`() async throws {
        let gate = FaultGate()
        var first = Server()
        first.fault = { start in
            let range = Server.range(from: start)
            switch start {
            case Self.piece: return [.send(Server.head(of: range, Self.bytes.count, "ETag: \"v2\"\r\n")), .close]
            default: return [.send(Server.head(of: range) + Self.bytes[start..<start + 10]), .hold(gate)]
            }
        }
        try await withServer(first) { server, _, session, directory in
            let file = directory.appending(path: "a")
            try await session.download(try request(server, 3), to: file)
            gate.open()
            #expect(try Data(contentsOf: file) == Data(Self.bytes))
            #expect(server.requests.last?.value(of: "Range") == nil)
        }
    }

    @Test(arguments: [Int.max, 100_000])
    func `any number of segments is taken, and at most 32 requests are made at once`(segments: Int) async throws {
        let gate = FaultGate()
        let script: FaultServer.Script = .requests { request in
            guard request.value(of: "Range")?.hasPrefix("bytes=0-") == true else { return [.hold(gate), .close] }
            return [.send(Server.head(of: 0..<Self.piece, 100 * Self.piece) + Self.bytes[..<Self.piece])]
        }
        try await FaultServer.run(script) { server in
            try await withSession(SessionConfiguration { $0.maximumConnectionsPerHost = 64 }) { session in
                try await withDirectory { directory in
                    let file = directory.appending(path: "a")
                    let task = session.downloadTask(for: try request(server, segments), to: file)
                    task.resume()
                    // The first one is over, and another one took its place.
                    try await server.waitForRequests(33)
                    #expect(try await settled { server.requests.count } == 33)
                    task.cancel()
                    gate.open()
                }
            }
        }
    }

    // MARK: The file

    @Test func `the name of a file whose first byte is missing is that of its first response`() async throws {
        let named = "Content-Disposition: attachment; filename=named.bin\r\n"
        var cut = Server()
        cut.fault = { start in
            guard start == 0 || start >= 3 * Self.piece else { return nil }
            return [
                .send(Server.head(of: Server.range(from: start), Self.bytes.count, "ETag: \"v1\"\r\n" + named)), .close,
            ]
        }
        try await withServer(cut) { server, current, session, directory in
            let error = try await networkingError {
                try await session.download(try request(server, 4), to: .folder(directory))
            }
            let resumeData = try #require(error.resumeData)
            #expect(resumeData.partialFile.lastPathComponent == "named.bin.bluebonnet")
            current.withLock { $0 = Server() }
            let sent = server.requests.count
            let file = try await session.download(try request(server, 4), to: .folder(directory), resuming: resumeData)
            #expect(server.requests[sent].value(of: "Range")?.hasPrefix("bytes=0-") == true)
            #expect(file.lastPathComponent == "named.bin")
        }
    }

    // MARK: Suspension

    @Test func `a piece is suspended when its task is, however often that changes at once`() async throws {
        let (task, piece) = (Call.withoutSession(), Call.withoutSession())
        let link = SegmentLink(task)
        link.tie(piece)
        try task.attach(link)
        for _ in 0..<20_000 {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { task.suspend() }
                group.addTask { task.resume() }
            }
            guard piece.isSuspended == task.isSuspended else { break }
        }
        #expect(piece.isSuspended == task.isSuspended)
    }
}
