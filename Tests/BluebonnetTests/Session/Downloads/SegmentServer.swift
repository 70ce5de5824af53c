import Foundation
import LocalServer
import Synchronization

@testable import Bluebonnet

/// A server of one file, which sends parts of it and can fail.
struct SegmentServer: Sendable {
    static let piece = DownloadSegments.firstPiece
    static let bytes = RangeResponses.bytes(4 * piece + 12_345)

    var bytes = Self.bytes
    var tag: String? = "\"v1\""
    /// Whether it sends parts.
    var hasRanges = true
    var ignoresIfRange = false
    /// Fields beside `ETag`.
    var fields = ""
    /// The response to a request for a part from a position on, in place of the part.
    var fault: @Sendable (_ start: Int) -> [FaultStep]? = { _ in nil }

    func steps(_ request: FaultServer.Request) -> [FaultStep] {
        let fields = (tag.map { "ETag: \($0)\r\n" } ?? "") + fields
        let isSame = ignoresIfRange || request.value(of: "If-Range").map { $0 == tag } ?? true
        guard hasRanges, isSame, let range = range(request) else {
            let head = "HTTP/1.1 200 OK\r\n\(fields)Content-Length: \(bytes.count)\r\n\r\n"
            return [.send(Array(head.utf8) + bytes)]
        }
        guard !range.isEmpty else {
            return [.respond(416, headers: [("Content-Range", "bytes */\(bytes.count)")])]
        }
        if let steps = fault(range.lowerBound) { return steps }
        return [.send(Self.head(of: range, bytes.count, fields) + bytes[range])]
    }

    static func head(of range: Range<Int>, _ count: Int = bytes.count, _ fields: String = "ETag: \"v1\"\r\n") -> [UInt8]
    {
        let part = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(count)"
        let length = "Content-Length: \(range.count)\r\nContent-Range: \(part)\r\n"
        return Array("HTTP/1.1 206 Partial Content\r\n\(fields)\(length)\r\n".utf8)
    }

    /// The part of the file that a piece from a position on has.
    static func range(from start: Int) -> Range<Int> { start..<min(start + piece, bytes.count) }

    private func range(_ request: FaultServer.Request) -> Range<Int>? {
        guard let numbers = request.value(of: "Range")?.dropFirst(6).split(separator: "-").map({ Int($0) }),
            let start = numbers.first ?? nil
        else { return nil }
        let end = numbers.count > 1 ? (numbers[1] ?? bytes.count - 1) + 1 : bytes.count
        return min(start, bytes.count)..<max(min(start, bytes.count), min(end, bytes.count))
    }

    // MARK: Running

    /// A server that a test may change.
    final class Current: Sendable {
        private let server: Mutex<SegmentServer>

        init(_ server: SegmentServer) { self.server = Mutex(server) }

        func withLock<Value>(_ body: (inout SegmentServer) -> Value) -> Value { server.withLock { body(&$0) } }
    }

    /// Runs the body with a server, a session and a folder.
    static func run(
        _ first: SegmentServer,
        _ work: (FaultServer, Current, SessionManager, URL) async throws -> Void
    ) async throws {
        let current = Current(first)
        try await FaultServer.run(.requests { request in current.withLock { $0.steps(request) } }) { server in
            let configuration = SessionConfiguration { $0.maximumConnectionsPerHost = 8 }
            try await withSession(configuration) { session in
                try await withDirectory { directory in try await work(server, current, session, directory) }
            }
        }
    }

    static func request(_ server: FaultServer, _ segments: Int) throws -> Request {
        var request = try Request(to: server.baseURL + "/a")
        request.properties.downloadSegments = segments
        return request
    }
}
