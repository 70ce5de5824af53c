import Foundation
import Testing

/// A download in a network of its own, whose server is beyond a link that a test cuts.
@Suite(.needsNamespaces, .serialized) struct WaitingDownloadTests {
    /// A server for the files of a folder, at 10.9.0.2:8080. It listens when this returns.
    private func server(_ namespace: NetworkNamespace, _ folder: URL) async throws -> NamespaceProcess {
        let server = try NamespaceProcess(
            namespace.outsideProcess([
                "python3", "-u", "-m", "http.server", "8080", "--bind", "10.9.0.2", "--directory",
                folder.path(percentEncoded: false),
            ])
        )
        try #require(await server.nextText().contains("Serving"))
        return server
    }

    @Test(.timeLimit(.minutes(1)))
    func `a download without a network waits, and ends right when there is one`() async throws {
        try await withDirectory { folder in
            let namespace = try await NetworkNamespace(interfaces: 1)
            let server = try await server(namespace, folder)
            let bytes = Data((0..<3_000_000).map { _ in UInt8.random(in: 0...255) })
            try bytes.write(to: folder.appending(path: "file"))
            let copy = folder.appending(path: "copy")
            try await namespace.ip("link set v0 down")
            let process = namespace.process([
                "download", "http://10.9.0.2:8080/file", "--wait-for-network", "-o", copy.path(percentEncoded: false),
            ])
            let (ends, end) = AsyncStream.makeStream(of: Int32.self)
            process.terminationHandler = { end.yield($0.terminationStatus) }
            let download = try NamespaceProcess(process, errors: true)
            var text = ""
            while !text.contains("waiting for one") {
                let more = await download.nextText()
                try #require(!more.isEmpty, "\(text)")
                text += more
            }
            #expect(!FileManager.default.fileExists(atPath: copy.path(percentEncoded: false)))
            try await namespace.ip("link set v0 up")
            let status = await ends.first { _ in true }
            #expect(status == 0)
            #expect(try Data(contentsOf: copy) == bytes)
            withExtendedLifetime(server) {}
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `without the option it fails at once`() async throws {
        let namespace = try await NetworkNamespace(interfaces: 1)
        try await namespace.ip("link set v0 down")
        let process = namespace.process(["get", "http://10.9.0.2:8080/file"])
        process.standardError = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        let status = try await process.start().value
        #expect(status == 1)
    }
}
