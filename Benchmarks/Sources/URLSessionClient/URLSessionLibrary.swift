import BenchmarkSupport
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// URLSession, used as its documentation shows.
struct URLSessionLibrary: BenchmarkClient {
    private let session: URLSession
    private let streaming: StreamCounter
    private let streamingSession: URLSession

    /// Creates the sessions: one for the async methods, one with a delegate for streamed bodies.
    init(configuration: URLSessionConfiguration) {
        session = URLSession(configuration: configuration)
        streaming = StreamCounter()
        streamingSession = URLSession(configuration: configuration, delegate: streaming, delegateQueue: nil)
    }

    func get(_ url: String) async throws -> Int {
        let (body, response) = try await session.data(from: Self.url(url))
        try Self.check(response)
        return body.count
    }

    /// Streams through a delegate: on Linux URLSession has no asynchronous sequence of bytes.
    func download(_ url: String) async throws -> Int {
        let task = streamingSession.dataTask(with: try Self.url(url))
        let count = try await streaming.bytes(of: task)
        if let response = task.response { try Self.check(response) }
        return count
    }

    func download(_ url: String, to path: String) async throws -> Int {
        let (temporary, response) = try await session.download(from: Self.url(url))
        try Self.check(response)
        let target = URL(fileURLWithPath: path)
        try? FileManager.default.removeItem(at: target)
        try FileManager.default.moveItem(at: temporary, to: target)
        return try target.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
    }

    func upload(_ path: String, to url: String) async throws -> Int {
        var request = URLRequest(url: try Self.url(url))
        request.httpMethod = "PUT"
        let (body, response) = try await session.upload(for: request, fromFile: URL(fileURLWithPath: path))
        try Self.check(response)
        return try SinkResponse.received(body)
    }

    func records(_ url: String) async throws -> Int {
        let (body, response) = try await session.data(from: Self.url(url))
        try Self.check(response)
        return try JSONDecoder().decode([FlatRecord].self, from: body).count
    }

    private static func url(_ text: String) throws -> URL {
        guard let url = URL(string: text) else { throw URLError(.badURL) }
        return url
    }

    private static func check(_ response: URLResponse) throws {
        guard let response = response as? HTTPURLResponse, response.statusCode == 200 else {
            throw UnexpectedStatus(status: (response as? HTTPURLResponse)?.statusCode ?? 0)
        }
    }
}
