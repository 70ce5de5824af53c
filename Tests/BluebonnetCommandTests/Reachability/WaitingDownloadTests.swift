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
            try await wait(for: "waiting for one", from: download)
            #expect(!FileManager.default.fileExists(atPath: copy.path(percentEncoded: false)))
            try await namespace.ip("link set v0 up")
            let status = await ends.first { _ in true }
            #expect(status == 0)
            #expect(try Data(contentsOf: copy) == bytes)
            withExtendedLifetime(server) {}
        }
    }

    /// A server that sends the first half of a file, prints `half`, and goes on when there is a
    /// file `go` in its folder. Who asks for the rest gets it; `ends` closes the first connection
    /// there.
    private func halfServer(_ namespace: NetworkNamespace, _ folder: URL, ends: Bool) async throws -> NamespaceProcess {
        let script = """
            import http.server, os, socketserver, time
            data = open("file", "rb").read()
            half = len(data) // 2
            class Handler(http.server.BaseHTTPRequestHandler):
                protocol_version = "HTTP/1.1"
                def do_GET(self):
                    first = int(self.headers.get("Range", "bytes=0-")[6:].split("-")[0])
                    self.send_response(206 if first else 200)
                    self.send_header("ETag", '"1"')
                    self.send_header("Accept-Ranges", "bytes")
                    self.send_header("Content-Length", str(len(data) - first))
                    if first:
                        self.send_header("Content-Range", f"bytes {first}-{len(data) - 1}/{len(data)}")
                    self.end_headers()
                    if first:
                        print("rest", flush=True)
                        return self.wfile.write(data[first:])
                    self.wfile.write(data[:half])
                    self.wfile.flush()
                    print("half", flush=True)
                    while not os.path.exists("go"):
                        time.sleep(0.01)
                    if \(ends ? "True" : "False"):
                        self.close_connection = True
                    else:
                        self.wfile.write(data[half:])
                def log_message(self, *arguments):
                    pass
            # Unlike HTTPServer, this one asks no name server for its name.
            server = socketserver.ThreadingTCPServer(("10.9.0.2", 8080), Handler)
            print("Serving", flush=True)
            server.serve_forever()
            """
        let process = namespace.outsideProcess(["python3", "-c", script])
        process.currentDirectoryURL = folder
        let server = try NamespaceProcess(process)
        try await wait(for: "Serving", from: server)
        return server
    }

    /// Returns when a process has written a word.
    private func wait(for word: String, from process: NamespaceProcess) async throws {
        var text = ""
        while !text.contains(word) {
            let more = await process.nextText()
            try #require(!more.isEmpty, "\(text)")
            text += more
        }
    }

    /// The connection survives the cut, or the server ends it meanwhile: then a second command
    /// asks for the rest.
    @Test(.timeLimit(.minutes(2)), arguments: [false, true])
    func `a download waits through a cut of five seconds in its middle, and ends right`(ends: Bool) async throws {
        try await withDirectory { folder in
            let namespace = try await NetworkNamespace(interfaces: 1)
            let bytes = Data((0..<3_000_000).map { _ in UInt8.random(in: 0...255) })
            try bytes.write(to: folder.appending(path: "file"))
            let server = try await halfServer(namespace, folder, ends: ends)
            let copy = folder.appending(path: "copy")
            let arguments = [
                "download", "http://10.9.0.2:8080/file", "--wait-for-network", "-o", copy.path(percentEncoded: false),
            ]
            let process = namespace.process(arguments)
            let (statuses, end) = AsyncStream.makeStream(of: Int32.self)
            process.terminationHandler = { end.yield($0.terminationStatus) }
            let download = try NamespaceProcess(process, errors: true)
            try await wait(for: "half", from: server)
            try await namespace.ip("link set v0 down")
            try Data().write(to: folder.appending(path: "go"))
            try await Task.sleep(for: .seconds(5))
            #expect(process.isRunning)
            try await namespace.ip("link set v0 up")
            let status = await statuses.first { _ in true }
            #expect(status == (ends ? 1 : 0))
            if ends {
                let rest = namespace.process(arguments + ["--continue"])
                rest.standardError = FileHandle.nullDevice
                #expect(try await rest.start().value == 0)
                try await wait(for: "rest", from: server)
            }
            #expect(try Data(contentsOf: copy) == bytes)
            withExtendedLifetime((server, download)) {}
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
