import Foundation
import LocalServer
import Synchronization
import Testing

/// What `-w` and the retries of a line for curl do, beside what ``FromCurlProcessTests`` compares
/// with curl.
@Suite(.timeLimit(.minutes(5))) struct CurlReportProcessTests {
    @Test func `the times of -w are seconds with six digits, in the order of the phases`() async throws {
        let names = [
            "time_namelookup", "time_connect", "time_appconnect", "time_pretransfer", "time_starttransfer",
            "time_total",
        ]
        let certificates = try TestCertificates.shared()
        let tls = FaultServer.Options(tls: ServerTLS(certificates.localhost))
        try await certificates.withFiles { files in
            try await FaultServer.run(.requests { _ in [.respond(body: "x")] }, options: tls) { server in
                let format = names.map { "%{\($0)}" }.joined(separator: " ")
                let line = "curl -s -o /dev/null --cacert \(files.authority) -w '\(format)' \(server.baseURL)"
                let output = try await Command.run("from-curl", line)
                #expect(output.status == 0, "\(output)")
                let texts = output.text.split(separator: " ")
                #expect(texts.count == names.count)
                #expect(texts.allSatisfy { $0.wholeMatch(of: /[0-9]+\.[0-9]{6}/) != nil }, "\(output.text)")
                let times = texts.compactMap { Double($0) }
                #expect(times == times.sorted() && times.first ?? 0 > 0, "\(output.text)")
            }
        }
    }

    @Test func `the format of -w comes from a file and from standard input, without line ends`() async throws {
        try await withDirectory { folder in
            try Data("%{http_code}\n %{size_download}\\n\r\n".utf8).write(to: folder.appending(path: "format"))
            try await FaultServer.run(.requests { _ in [.respond(body: "x")] }) { server in
                let line = "curl -s -o /dev/null \(server.baseURL) -w @"
                let file = try await Command.run(["from-curl", line + "format"], in: folder)
                #expect(file.text == "200 1\n", "\(file)")
                let input = try await Command.run(["from-curl", line + "-"], in: folder, input: "a%{method}\n")
                #expect(input.text == "aGET", "\(input)")
            }
        }
    }

    @Test(arguments: [
        ("--retry 2 -f", 1), ("--retry 2 --retry-all-errors", 1), ("--retry 2 --retry-all-errors -f", 3),
        ("--retry-all-errors -f", 1),
    ])
    func `--retry-all-errors repeats a 404 where -f makes it an error`(options: String, count: Int) async throws {
        try await FaultServer.run(.requests { _ in [.respond(404)] }) { server in
            let line = "curl -s --retry-delay 0.01 \(options) \(server.baseURL)"
            let output = try await Command.run("from-curl", line)
            #expect((output.status == 0) != line.contains("-f"), "\(output)")
            #expect(server.requests.count == count)
        }
    }

    @Test func `--retry-all-errors repeats a request whose response is not HTTP`() async throws {
        let script = FaultServer.Script.connections([
            [.readRequest, .send("garbage\r\n\r\n"), .close], [.readRequest, .respond(body: "ok"), .close],
        ])
        for (options, isRepeated) in [("--retry 1", false), ("--retry 1 --retry-all-errors", true)] {
            try await FaultServer.run(script) { server in
                let line = "curl -s --retry-delay 0.01 \(options) -w ' %{http_code}' \(server.baseURL)"
                let output = try await Command.run("from-curl", line)
                #expect((output.status == 0) == isRepeated, "\(output)")
                #expect(output.text == (isRepeated ? "ok 200" : " 000"))
            }
        }
    }
}
