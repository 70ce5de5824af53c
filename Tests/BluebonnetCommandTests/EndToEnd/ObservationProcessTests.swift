import Bluebonnet
import Foundation
import LocalServer
import Testing

@testable import BluebonnetCommand

/// `--timings` and `--har` of the commands.
@Suite(.timeLimit(.minutes(5))) struct ObservationProcessTests {
    private static func entries(_ file: URL) throws -> [JSONValue] {
        let json = try JSONValue(parsing: try Data(contentsOf: file))
        return try #require(json["log"]?["entries"]?.array)
    }

    @Test func `--timings shows a block for each request on standard error`() async throws {
        try await LocalServer.run { server in
            let output = try await Command.run("get", server.baseURL + "/redirect/1", "--timings")
            #expect(output.status == 0)
            #expect(try JSONValue(parsing: output.bytes)["url"] != nil)
            let lines = output.errors.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            #expect(lines.first == "GET \(server.baseURL)/redirect/1  302 Found")
            #expect(lines.contains("GET \(server.baseURL)/get  200 OK"))
            #expect(lines.contains { $0.hasPrefix("  server    127.0.0.1:\(server.port), http/1.1, new connection") })
            #expect(lines.contains { $0.hasSuffix("reused connection") })
            #expect(lines.filter { $0.hasPrefix("  total ") }.count == 2)
            #expect(lines.contains { $0.hasPrefix("2 requests, 1 redirect, ") })
            // Bars and colours are for terminals.
            #expect(!output.errors.contains("█") && !output.errors.contains("\u{1B}"))
        }
    }

    @Test func `--timings draws bars on a terminal`() async throws {
        try await LocalServer.run { server in
            let text = try await Command.onTerminal("get \(server.baseURL)/delay/0.2 --timings")
            #expect(text.contains("████████████") && text.contains("\u{1B}[36mwait"))
        }
    }

    @Test func `--timings shows how far a request came that failed`() async throws {
        let port = FaultServer.unusedPort
        let output = try await Command.run("get", "127.0.0.1:\(port)", "--timings")
        #expect(output.status == 1)
        let reason = "127.0.0.1:\(port) could not be reached: Connection refused"
        #expect(output.errors.contains("  \(reason)\n  tried     127.0.0.1:\(port) at "), "\(output.errors)")
        #expect(output.errors.contains("\n  queue"))
        #expect(output.errors.contains("  connect            —"))
    }

    @Test func `--har writes an archive with the body that is shown, and without secrets`() async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "a.har")
            try await FaultServer.run([.readRequest, .respond(body: "hello")]) { server in
                let arguments = ["get", server.baseURL + "/?token=hidden", "Cookie:a=hidden", "--har", file.path]
                let output = try await Command.run(arguments + ["--bearer", "hidden"])
                #expect(output.text == "hello" && output.errors.isEmpty && output.status == 0)
            }
            let entries = try Self.entries(file)
            #expect(entries.count == 1)
            #expect(entries[0]["response"]?["content"]?["text"]?.string == "hello")
            #expect(!String(decoding: try Data(contentsOf: file), as: UTF8.self).contains("hidden"))
        }
    }

    @Test func `--har has the body of a response whose status is an error, and leaves the exit status`() async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "a.har")
            try await FaultServer.run([.readRequest, .respond(404, body: "no")]) { server in
                let output = try await Command.run("get", server.baseURL, "--har", file.path)
                #expect(output.status == 4)
            }
            let entry = try Self.entries(file)[0]
            #expect(entry["response"]?["status"]?.int == 404)
            #expect(entry["response"]?["content"]?["text"]?.string == "no")
        }
    }

    @Test(.needs("script"))
    func `--har does not have a binary body that a terminal is not shown`() async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "a.har")
            try await LocalServer.run { server in
                _ = try await Command.onTerminal("get \(server.baseURL)/image/png --har \(file.path)")
            }
            #expect(try Self.entries(file)[0]["response"]?["content"]?["text"] == nil)
        }
    }

    @Test func `--har of a request that failed has an entry with the error`() async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "a.har")
            let port = FaultServer.unusedPort
            let output = try await Command.run("get", "127.0.0.1:\(port)", "--har", file.path)
            #expect(output.status == 1)
            #expect(try Self.entries(file)[0]["response"]?["_error"]?.string == "connect-failed")
        }
    }

    @Test func `an archive that cannot be written fails the command, and the failure of a request comes first`()
        async throws
    {
        try await LocalServer.run { server in
            let written = try await Command.run("get", server.baseURL + "/get", "--har", "/dev/full")
            #expect(written.status == 1)
            let sentence = "The archive cannot be written: /dev/full: No space left on device."
            #expect(written.errors == "bluebonnet: \(sentence)\n")
        }
        let port = FaultServer.unusedPort
        let failed = try await Command.run("get", "127.0.0.1:\(port)", "--har", "/dev/full")
        #expect(failed.errors.contains("archive") && failed.errors.contains("could not be reached"))
    }

    @Test func `downloads and uploads are observed too`() async throws {
        try await withDirectory { directory in
            try await LocalServer.run { server in
                let har = directory.appending(path: "d.har").path
                let urls = ["\(server.baseURL)/bytes/5", "\(server.baseURL)/bytes/6"]
                let download = try await Command.run(
                    ["download"] + urls + ["-d", directory.path, "--har", har, "--timings", "-q"]
                )
                #expect(download.status == 0)
                #expect(download.errors.components(separatedBy: "  total ").count == 3)
                #expect(try Self.entries(directory.appending(path: "d.har")).count == 2)

                let file = directory.appending(path: "sent.txt")
                try Data("sent".utf8).write(to: file)
                let archive = directory.appending(path: "u.har")
                let upload = try await Command.run(
                    "upload",
                    file.path,
                    server.baseURL + "/put",
                    "--har",
                    archive.path,
                    "-q"
                )
                #expect(upload.status == 0)
                let entry = try Self.entries(archive)[0]
                #expect(entry["request"]?["method"]?.string == "PUT" && entry["request"]?["bodySize"]?.int == 4)
                #expect(entry["response"]?["content"]?["text"]?.string?.contains("sent") == true)
            }
        }
    }

    @Test func `nothing is sent where the archive cannot be made`() async throws {
        try await FaultServer.run(.requests { _ in [.respond(body: "")] }) { server in
            for command in ["get", "download"] {
                let output = try await Command.run(command, server.baseURL, "--har", "/no/such/folder/a.har")
                #expect(output.status == 2)
                #expect(output.errors == "bluebonnet: /no/such/folder/a.har: No such file or directory.\n")
            }
            #expect(server.requests.isEmpty)
        }
    }

    @Test func `--offline sends nothing that could be observed`() async throws {
        let output = try await Command.run("get", "example.org", "--offline", "--timings")
        #expect(output.status == 2 && output.errors.contains("--offline and --curl, which send nothing"))
    }
}
