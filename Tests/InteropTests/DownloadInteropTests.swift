import Bluebonnet
import Foundation
import HTTPTypes
import Testing

/// Downloads that are continued by the servers of others.
@Suite(.enabled(if: InteropServer.apache.isExpected, "Apache is not running"), .timeLimit(.minutes(2)))
struct DownloadInteropTests {
    private static let servers: [InteropServer] = [.nginx, .apache, .aiohttp]

    /// Ends the body of a response early.
    private struct Cut: Interceptor {
        struct Fault: Error {}

        let count: Int

        func intercept(_ request: Request, context: ExchangeContext, next: Next) async throws -> TransportResponse {
            var response = try await next(request)
            let bytes = try await response.body.collect()
            let (pieces, continuation) = AsyncThrowingStream.makeStream(of: Data.self)
            continuation.yield(bytes.prefix(count))
            continuation.finish(throwing: Fault())
            response.body = .stream(pieces)
            return response
        }
    }

    /// Downloads a part of a file.
    private func part(of request: Request, to file: URL, _ session: SessionManager) async throws -> ResumeData {
        var request = request
        request.interceptors = [Cut(count: 400_000)]
        let error = try await networkingError { try await session.download(request, to: file) }
        let resumeData = try #require(error.resumeData)
        #expect(resumeData.byteCount == 400_000)
        return resumeData
    }

    @Test(arguments: servers)
    func `a download is continued where it stopped`(server: InteropServer) async throws {
        let whole = try InteropServer.file("1m.bin")
        try await withSession { session in
            try await withDirectory { directory in
                let file = directory.appending(path: "a")
                let request = try server.request("/1m.bin")
                let resumeData = try await part(of: request, to: file, session)
                #expect(resumeData.totalByteCount == whole.count)
                #expect(ResumeData(continuing: file, from: request.url) == resumeData)
                let response = try await session.downloadTask(for: request, to: file, resuming: resumeData).response
                #expect(response.status == .partialContent)
                #expect(response.headerFields[.contentLength] == "\(whole.count - resumeData.byteCount)")
                #expect(try Data(contentsOf: file) == whole)
                #expect(try names(in: directory) == ["a"])
            }
        }
    }

    @Test(arguments: servers)
    func `a file that has changed is fetched whole`(server: InteropServer) async throws {
        try await withSession { session in
            try await withDirectory { directory in
                let file = directory.appending(path: "a")
                let resumeData = try await part(of: server.request("/1m.bin"), to: file, session)
                let other = try server.request("/data.json")
                let response = try await session.downloadTask(for: other, to: file, resuming: resumeData).response
                #expect(response.status == .ok)
                #expect(try Data(contentsOf: file) == InteropServer.file("data.json"))
            }
        }
    }

    @Test(arguments: servers)
    func `a file that is complete needs no byte`(server: InteropServer) async throws {
        let whole = try InteropServer.file("1m.bin")
        try await withSession { session in
            try await withDirectory { directory in
                let file = directory.appending(path: "a")
                let request = try server.request("/1m.bin")
                let resumeData = try await part(of: request, to: file, session)
                // The process ended when all had been written, and before the file took its name.
                let handle = try FileHandle(forWritingTo: resumeData.partialFile)
                try handle.seek(toOffset: UInt64(resumeData.byteCount))
                try handle.write(contentsOf: whole[resumeData.byteCount...])
                try handle.close()
                let complete = ResumeData(continuing: file, from: request.url)
                #expect(complete?.byteCount == whole.count)
                let response = try await session.downloadTask(for: request, to: file, resuming: complete).response
                // Apache ignores a range of nothing, and sends the whole.
                #expect(response.status.code == (server == .apache ? 200 : 416))
                #expect(try Data(contentsOf: file) == whole)
            }
        }
    }
}
