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

    enum Obstacle: CaseIterable {
        case link, linkToNothing, folder, pipe
    }

    @Test(arguments: Obstacle.allCases)
    func `a file with a unique name is in its folder, whatever has the name`(obstacle: Obstacle) async throws {
        try await FaultServer.run(.requests { _ in [.respond(body: "new")] }) { server in
            try await withAPI(at: server.baseURL) { api in
                try await withDirectory { directory in
                    let outside = directory.appending(path: "outside")
                    let downloads = directory.appending(path: "downloads")
                    for folder in [outside, downloads] {
                        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                    }
                    let (name, other) = (downloads.appending(path: "a.txt"), outside.appending(path: "b.txt"))
                    try Data("old".utf8).write(to: other)
                    switch obstacle {
                    case .link: try FileManager.default.createSymbolicLink(at: name, withDestinationURL: other)
                    case .linkToNothing:
                        let nothing = outside.appending(path: "c.txt")
                        try FileManager.default.createSymbolicLink(at: name, withDestinationURL: nothing)
                    case .folder:
                        try FileManager.default.createDirectory(at: name, withIntermediateDirectories: false)
                    case .pipe: try #require(unsafe mkfifo(name.path, 0o600) == 0)
                    }
                    let error = try await networkingError {
                        try await api.download("a.txt", to: .file(name, options: .withoutOverwriting))
                    }
                    #expect(error.code == .outputFailed)
                    #expect(error.message.contains("File exists"), "\(error)")
                    let saved = try await api.download("a.txt", to: .folder(downloads))
                    #expect(saved.lastPathComponent == "a 2.txt")
                    #expect(try Data(contentsOf: downloads.appending(path: "a 2.txt")) == Data("new".utf8))
                    #expect(try names(in: downloads) == ["a 2.txt", "a.txt"])
                    #expect(try names(in: outside) == ["b.txt"])
                    #expect(try Data(contentsOf: other) == Data("old".utf8))
                }
            }
        }
    }
}
