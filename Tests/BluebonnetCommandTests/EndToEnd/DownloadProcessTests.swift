import Bluebonnet
import Foundation
import LocalServer
import Testing

@testable import BluebonnetCommand

@Suite(.timeLimit(.minutes(5))) struct DownloadProcessTests {
    /// A server with a file under every path, whose bytes are the path again and again.
    private static let files = FaultServer.Script.requests { request in
        [.respond(headers: [("ETag", "\"1\"")], body: content(of: request.target))]
    }

    private static func content(of target: String) -> String { String(repeating: target, count: 1_000) }

    private func text(_ directory: URL, _ name: String) throws -> String {
        try String(contentsOf: directory.appending(path: name), encoding: .utf8)
    }

    @Test(arguments: [[], ["-O"]])
    func `a file has the suggested name in the current folder, and a log says so`(options: [String]) async throws {
        try await withDirectory { directory in
            try await FaultServer.run(Self.files) { server in
                let url = server.baseURL + "/a/b.iso"
                let output = try await Command.run(["download"] + options + [url], in: directory)
                #expect(output.status == 0, "\(output.errors)")
                #expect(output.bytes.isEmpty)
                #expect(try text(directory, "b.iso") == Self.content(of: "/a/b.iso"))
                #expect(try names(in: directory) == ["b.iso"])
                let lines = output.errors.split(separator: "\n")
                #expect(lines.count == 2)
                #expect(lines[0] == "\(url): started")
                #expect(lines[1].hasPrefix("\(url): b.iso: 8.0 kB in "))
            }
        }
    }

    @Test func `--no-insecure-redirects forbids redirects of transfers from https to http`() async throws {
        let tls = ServerTLS(try TestCertificates.shared().localhost)
        try await withDirectory { directory in
            try await FaultServer.run(Self.files) { open in
                let redirect = FaultStep.respond(302, headers: [("Location", open.baseURL + "/there")], body: "")
                try await FaultServer.run(.requests { _ in [redirect] }, options: .init(tls: tls)) { server in
                    let download = ["download", "--insecure", server.baseURL + "/a"]
                    let refused = try await Command.run(download + ["--no-insecure-redirects"], in: directory)
                    #expect(refused.status == 1 && refused.errors.contains("redirect"), "\(refused)")
                    #expect(open.requests.isEmpty)
                    #expect(try await Command.run(download, in: directory).status == 0)
                    #expect(open.requests.count == 1)
                }
            }
        }
        let both = ["upload", "a", "http://127.0.0.1:1/", "--body-on-insecure-redirects", "--no-insecure-redirects"]
        #expect(try await Command.run(both).status == 2)
    }

    @Test(arguments: [
        (["-o", "folder"], "folder: Is a directory. --directory saves into a folder."),
        (["-o", "folder/"], "folder/: Is a directory. --directory saves into a folder."),
        (["-d", "file"], "file: Not a directory."), (["-i", "missing"], "missing: No such file or directory."),
    ])
    func `nothing is sent where the files cannot be made`(options: [String], message: String) async throws {
        try await withDirectory { directory in
            let folder = directory.appending(path: "folder")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
            try Data().write(to: directory.appending(path: "file"))
            try await FaultServer.run(Self.files) { server in
                let output = try await Command.run(["download", server.baseURL + "/a"] + options, in: directory)
                #expect(output.status == 2 && output.errors == "bluebonnet: \(message)\n", "\(output)")
                #expect(server.requests.isEmpty)
            }
        }
    }

    @Test func `output that cannot be written is told once`() async throws {
        try await FaultServer.run(Self.files) { server in
            let download = ["download", server.baseURL + "/a", "-o", "-"]
            let output = try await Command.run(download, connecting: ">/dev/full")
            let lines = output.errors.split(separator: "\n")
            #expect(output.status == 1 && lines.last == "bluebonnet: The output: No space left on device.", "\(output)")
        }
    }

    @Test func `the name comes from the response, and the folder from -d, which is made`() async throws {
        let disposition = ("Content-Disposition", "attachment; filename*=UTF-8''..%2F%1B%5B31mred.txt")
        try await withDirectory { directory in
            try await FaultServer.run(.requests { _ in [.respond(headers: [disposition], body: "x")] }) { server in
                let output = try await Command.run(["download", server.baseURL, "-d", "new/folder"], in: directory)
                #expect(output.status == 0, "\(output.errors)")
                #expect(try names(in: directory.appending(path: "new/folder")) == ["[31mred.txt"])
                #expect(output.errors.contains(": new/folder/[31mred.txt: 1 B in "))
                #expect(!output.errors.contains("\u{1B}"))
            }
        }
    }

    @Test func `-o names the file, and an existing one is replaced only with --overwrite`() async throws {
        try await withDirectory { directory in
            try await FaultServer.run(Self.files) { server in
                let arguments = ["download", server.baseURL + "/a", "-o", "f.iso"]
                #expect(try await Command.run(arguments, in: directory).status == 0)
                let refused = try await Command.run(arguments, in: directory)
                #expect(refused.status == 1)
                #expect(refused.errors.contains("f.iso: File exists. With"))
                #expect(try await Command.run(arguments + ["--unique"], in: directory).status == 0)
                let other = ["download", server.baseURL + "/b", "-o", "f.iso", "--overwrite"]
                #expect(try await Command.run(other, in: directory).status == 0)
                #expect(try names(in: directory) == ["f 2.iso", "f.iso"])
                #expect(try text(directory, "f.iso") == Self.content(of: "/b"))
                #expect(try text(directory, "f 2.iso") == Self.content(of: "/a"))
            }
        }
    }

    @Test(arguments: [[], ["--overwrite"], ["-c"]])
    func `of two URLs with one file name the second is refused, and --unique saves both`(option: [String]) async throws
    {
        try await withDirectory { directory in
            try await FaultServer.run(Self.files) { server in
                let arguments = ["download", "-j", "1", server.baseURL + "/1/a", server.baseURL + "/2/a"]
                let output = try await Command.run(arguments + option, in: directory)
                #expect(output.status == 1)
                #expect(output.errors.contains("Another URL of this call has the file name “a” too"))
                #expect(try names(in: directory) == ["a"])
                #expect(try text(directory, "a") == Self.content(of: "/1/a"))
                #expect(try await Command.run(arguments + ["--unique"], in: directory).status == 0)
                #expect(try names(in: directory) == ["a", "a 2", "a 3"])
            }
        }
    }

    @Test func `-o - writes to standard output`() async throws {
        try await withDirectory { directory in
            try await FaultServer.run(Self.files) { server in
                let output = try await Command.run(["download", server.baseURL + "/a", "-o", "-"], in: directory)
                #expect(output.status == 0)
                #expect(output.text == Self.content(of: "/a"))
                #expect(output.errors.contains(": standard output: 2.0 kB in "))
                #expect(try names(in: directory).isEmpty)
            }
            try await FaultServer.run(.requests { _ in [.respond(503, body: "no")] }) { server in
                let output = try await Command.run(["download", server.baseURL + "/b", "-o", "-"], in: directory)
                #expect(output.status == 5)
                #expect(output.bytes.isEmpty)
                #expect(output.errors.contains("/b: 503 Scripted\n"))
            }
        }
    }

    @Test func `a list has names, and a failed download does not stop the others`() async throws {
        let script = FaultServer.Script.requests { request in
            request.target == "/missing" ? [.respond(404, body: "not here")] : [.respond(body: request.target)]
        }
        try await withDirectory { directory in
            try await FaultServer.run(script) { server in
                let list = """
                    # a comment
                    \(server.baseURL)/a
                    \(server.baseURL)/missing
                    \(server.baseURL)/b\tout=sub/c.txt

                    """
                let output = try await Command.run(["download", "-i", "-", "-j", "1"], in: directory, input: list)
                #expect(output.status == 4)
                #expect(try names(in: directory) == ["a", "sub"])
                #expect(try text(directory, "sub/c.txt") == "/b")
                #expect(output.errors.contains("bluebonnet: \(server.baseURL)/missing: 404 Scripted\n"))
                #expect(output.errors.contains(": sub/c.txt: 2 B in "))
                #expect(output.errors.split(separator: "\n").last?.hasPrefix("2 of 3 files: 4 B in ") == true)
                #expect(output.errors.hasSuffix(", 1 failed\n"))

                let quiet = try await Command.run(
                    ["download", "-q", server.baseURL + "/a", server.baseURL + "/missing"],
                    in: directory
                )
                // For two different reasons.
                #expect(quiet.status == 1)
                #expect(quiet.errors.split(separator: "\n").count == 2)
                #expect(quiet.errors.split(separator: "\n").allSatisfy { $0.hasPrefix("bluebonnet: ") })
            }
        }
    }

    @Test func `with --json-errors each file that fails has a line of JSON`() async throws {
        try await withDirectory { directory in
            try await FaultServer.run(.requests { _ in [.respond(404, body: "gone")] }) { server in
                let urls = [server.baseURL + "/a", "http://127.0.0.1:1/b"]
                for output in ["", "-"] {
                    let places = output.isEmpty ? urls : [urls[0], "-o", output]
                    let download = try await Command.run(["download", "--json-errors", "-q"] + places, in: directory)
                    let lines = download.errors.split(separator: "\n")
                    let reports = try lines.map { try JSONValue(parsing: String($0)) }
                    let codes = Set(reports.compactMap { $0["error"]?["code"]?.string })
                    let expected = ["unacceptable-status-code", "connect-failed"].prefix(reports.count)
                    #expect(codes == Set(expected) && reports.count == (output.isEmpty ? 2 : 1), "\(download)")
                    let missing = reports.first { $0["exitStatus"] == 4 }?["error"]?["message"]?.string
                    #expect(missing == "\(urls[0]): 404 Scripted")
                }
            }
        }
    }

    @Test func `--segments fetches the parts of a file at once`() async throws {
        let bytes = (0..<6_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        let script = FaultServer.Script.requests { request in
            let numbers = request.value(of: "Range")?.dropFirst(6).split(separator: "-").compactMap { Int($0) } ?? []
            guard numbers.count == 2 else { return [.respond(400)] }
            let range = numbers[0]..<min(numbers[1] + 1, bytes.count)
            let part = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(bytes.count)"
            return [.respond(206, headers: [("ETag", "\"1\""), ("Content-Range", part)], bytes: Array(bytes[range]))]
        }
        try await withDirectory { directory in
            try await FaultServer.run(script) { server in
                let url = server.baseURL + "/big.iso"
                let output = try await Command.run(["download", url, "--segments", "4"], in: directory)
                #expect(output.status == 0, "\(output.errors)")
                #expect(output.errors.contains("big.iso: 6.0 MB in "))
                #expect(try Data(contentsOf: directory.appending(path: "big.iso")) == Data(bytes))
                #expect(server.requests.count == 2)
                let refused = try await Command.run(["download", url, "--segments", "0"], in: directory)
                #expect(refused.status == 2 && refused.errors.contains("--segments must be between 1 and 32."))
            }
        }
    }

    @Test func `as many run at once as -j says`() async throws {
        let gate = FaultGate()
        try await withDirectory { directory in
            try await FaultServer.run(.requests { _ in [.hold(gate), .respond(body: "x")] }) { server in
                let urls = (0..<50).map { "\(server.baseURL)/\($0)" }
                async let output = Command.run(["download", "-j", "7", "-d", "."] + urls, in: directory)
                try await server.waitForRequests(7)
                // The eighth begins when one of these has ended.
                #expect(server.requests.count == 7)
                gate.open()
                #expect(try await output.status == 0)
                #expect(try names(in: directory).count == 50)
                #expect(try await output.errors.contains("50 files: 50 B in "))
            }
        }
    }

    @Test func `headers, credentials and other options are those of the request commands`() async throws {
        try await withDirectory { directory in
            try await FaultServer.run(Self.files) { server in
                let url = server.baseURL.replacing("http://", with: "http://ada:pw@") + "/a?token=secret"
                let output = try await Command.run(["download", url, "-H", "X-A: 1", "-H", "Accept:"], in: directory)
                #expect(output.status == 0, "\(output.errors)")
                let request = server.requests[0]
                #expect(request.value(of: "x-a") == "1")
                #expect(request.value(of: "accept") == nil)
                #expect(request.value(of: "authorization") == "Basic YWRhOnB3")
                #expect(!output.errors.contains("pw"))
                #expect(!output.errors.contains("secret"))
            }
        }
    }

    @Test func `a checksum is compared, also one of a list`() async throws {
        let other = "sha256:" + String(repeating: "0", count: 64)
        try await withDirectory { directory in
            try await FaultServer.run(.requests { _ in [.respond(body: "abc")] }) { server in
                let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
                let good = ["download", server.baseURL + "/good", "--checksum", "sha256:\(digest)"]
                #expect(try await Command.run(good, in: directory).status == 0)
                let bad = ["download", server.baseURL + "/bad", "--checksum", other]
                let refused = try await Command.run(bad, in: directory)
                #expect(refused.status == 1)
                #expect(refused.errors.contains("names another sha-256 digest"))
                let list = "\(server.baseURL)/also\tchecksum=\(other)\n"
                #expect(try await Command.run(["download", "-i", "-"], in: directory, input: list).status == 1)
                #expect(try names(in: directory) == ["good"])
            }
        }
    }

    @Test func `a file that cannot be written is an error with its reason`() async throws {
        try await withDirectory { directory in
            try await FaultServer.run(Self.files) { server in
                let url = server.baseURL + "/a"
                let full = try await Command.run(["download", url, "-o", "/dev/full"], in: directory)
                #expect(full.status == 1)
                #expect(full.errors.contains("No space left on device"))
                try Data().write(to: directory.appending(path: "file"))
                let folder = try await Command.run(["download", url, "-d", "file"], in: directory)
                #expect(folder.status == 2)
                #expect(try names(in: directory) == ["file"])
            }
        }
    }

    @Test(
        arguments: [
            [], ["-i", "/no/such/list"], ["h/a", "h/b", "-o", "c"], ["h/a", "--checksum", "md5:00"],
            ["-j", "0", "h/a"],
            ["h/a", "-o", "-", "--continue"], ["h/a", "-o", "-", "--segments", "2"],
            ["h/a", "--overwrite", "--unique"], ["h/a", "-H", "a=b"], ["http://a b/"],
            ["h/a", "-O", "-o", "b"], ["h/a", "-o", ""], ["h/a", "h/b", "--checksum", "sha256:00"],
        ] as [[String]]
    )
    func `bad usage is told before anything is sent`(arguments: [String]) async throws {
        try await withDirectory { directory in
            let output = try await Command.run(["download"] + arguments, in: directory)
            #expect(output.status == 2, "\(output.errors)")
            #expect(!output.errors.isEmpty)
            #expect(try names(in: directory).isEmpty)
        }
    }
}
