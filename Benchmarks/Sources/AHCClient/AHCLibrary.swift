import AsyncHTTPClient
import BenchmarkSupport
import NIOCore
import NIOHTTP1

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// AsyncHTTPClient, used as its documentation shows.
struct AHCLibrary: BenchmarkClient {
    let client: HTTPClient
    let chunk: Int
    let onPool: Bool

    func get(_ url: String) async throws -> Int {
        try await execute(HTTPClientRequest(url: url)).body.collect(upTo: 1 << 20).readableBytes
    }

    func download(_ url: String) async throws -> Int {
        var count = 0
        for try await buffer in try await execute(HTTPClientRequest(url: url)).body {
            count += buffer.readableBytes
        }
        return count
    }

    func download(_ url: String, to path: String) async throws -> Int {
        let file = try OutputFile(replacing: path)
        var count = 0
        for try await buffer in try await execute(HTTPClientRequest(url: url)).body {
            // The file does not keep the pointer.
            try unsafe buffer.withUnsafeReadableBytes { try unsafe file.write($0) }
            count += buffer.readableBytes
        }
        return count
    }

    func upload(_ path: String, to url: String) async throws -> Int {
        let file = try FileChunks(path, chunk: chunk, onPool: onPool)
        defer { file.close() }
        var request = HTTPClientRequest(url: url)
        request.method = .PUT
        request.body = .stream(file, length: .known(Int64(file.size)))
        let response = try await execute(request).body.collect(upTo: 1024)
        return try SinkResponse.received(response.readableBytesView)
    }

    func records(_ url: String) async throws -> Int {
        let body = try await execute(HTTPClientRequest(url: url)).body.collect(upTo: 1 << 20)
        return try JSONDecoder().decode([FlatRecord].self, from: Data(body.readableBytesView)).count
    }

    private func execute(_ request: HTTPClientRequest) async throws -> HTTPClientResponse {
        let response = try await client.execute(request, timeout: .seconds(60))
        guard response.status == .ok else { throw UnexpectedStatus(status: Int(response.status.code)) }
        return response
    }
}
