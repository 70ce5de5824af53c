import Foundation
import HTTPTypes
import LocalServer
import NIOCore
import Synchronization
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@testable import Bluebonnet

/// Downloads whose folder others use, and whose server sends what is allowed but rare.
@Suite(.timeLimit(.minutes(5)))
struct DownloadHazardTests {
    // MARK: The folder

    @Test(arguments: [false, true])
    func `a partial file that somebody replaced or removed is not put in place`(isReplaced: Bool) async throws {
        let gate = FaultGate()
        let script: FaultServer.Script = [
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\nETag: \"a\"\r\n\r\nfir"), .hold(gate),
            .send("st!"),
        ]
        try await FaultServer.run(script) { server in
            try await withAPI(at: server.baseURL) { api in
                try await withDirectory { directory in
                    let file = directory.appending(path: "a")
                    let partial = directory.appending(path: "a.bluebonnet")
                    let task = try api.downloadTask(.get, "a", to: file)
                    task.resume()
                    try await until("bytes are in the file") { (try? SystemFile.size(of: partial.path)) == 3 }
                    try FileManager.default.removeItem(at: partial)
                    if isReplaced { try Data("half of another".utf8).write(to: partial) }
                    gate.open()
                    let error = try await networkingError { try await task.value }
                    #expect(error.code == .outputFailed)
                    #expect(error.message.contains("a.bluebonnet was removed or replaced"))
                    #expect(error.resumeData == nil)
                    #expect(try names(in: directory) == (isReplaced ? ["a.bluebonnet"] : []))
                }
            }
        }
    }
}
