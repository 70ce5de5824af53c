import Bluebonnet
import Foundation
import LocalServer
import Testing

/// The option `--cookies` and the command `cookies`.
@Suite(.timeLimit(.minutes(5)))
struct CookieProcessTests {
    private func text(_ file: URL) throws -> String { try String(contentsOf: file, encoding: .utf8) }

    /// The output without spaces and line ends.
    private func compact(_ output: Command.Output) -> String { output.text.filter { !$0.isWhitespace } }

    @Test func `cookies of one run are sent by the next, and a redirect has them`() async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "cookies.txt")
            try await LocalServer.run { server in
                let set = try await Command.run("get", server.baseURL + "/cookies/set?a=1&b=2", "--cookies", file.path)
                #expect(set.status == 0 && compact(set).contains(#""a":"1""#), "\(set)")
                #expect(try text(file).contains("\tFALSE\t/\tFALSE\t0\ta\t1\n"))
                let shown = try await Command.run("get", server.baseURL + "/cookies", "--cookies", file.path)
                #expect(compact(shown).contains(#""a":"1""#) && compact(shown).contains(#""b":"2""#))
                let off = try await Command.run("get", server.baseURL + "/cookies", "--cookies", "off")
                #expect(!off.text.contains(#""a""#))
                for (options, isSent) in [(["--cookies", "memory"], true), ([], true), (["--cookies", "off"], false)] {
                    let output = try await Command.run(["get", server.baseURL + "/cookies/set?c=3"] + options)
                    #expect(compact(output).contains(#""c":"3""#) == isSent, "\(options)")
                }
                #expect(try names(in: directory) == ["cookies.txt"])
            }
        }
    }

    @Test func `a response of 4xx sets cookies, too, and --offline shows what would be sent`() async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "cookies.txt")
            try await FaultServer.run(.requests { _ in [.respond(403, headers: [("Set-Cookie", "a=1; Path=/")])] }) {
                server in
                let output = try await Command.run("get", server.baseURL, "--cookies", file.path)
                #expect(output.status == 4)
                let offline = try await Command.run("get", server.baseURL, "--cookies", file.path, "--offline")
                #expect(offline.text.contains("Cookie: a=1"))
                #expect(server.requests.count == 1)
            }
        }
    }

    @Test func `batch and download have cookies`() async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "cookies.txt")
            try await LocalServer.run { server in
                let lines = #"{"url": "\#(server.baseURL)/cookies/set?a=1"}"# + "\n"
                let batch = try await Command.run(["batch", "--jobs", "1", "--cookies", file.path], input: lines)
                #expect(batch.status == 0 && compact(batch).contains(#"\"a\":\"1\""#), "\(batch)")
                let download = try await Command.run(
                    ["download", server.baseURL + "/cookies", "-o", "-", "--cookies", file.path],
                    in: directory
                )
                #expect(compact(download).contains(#""a":"1""#), "\(download)")
            }
        }
    }

    @Test func `a file that is not one of cookies is bad usage, and stays as it is`() async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "notes.txt")
            try "Buy milk.\n".write(to: file, atomically: true, encoding: .utf8)
            for arguments in [
                ["get", "127.0.0.1:1", "--cookies", file.path], ["batch", "--cookies", file.path],
                ["cookies", "list", file.path], ["cookies", "clear", file.path],
                ["cookies", "list", directory.appending(path: "missing").path],
                ["get", "127.0.0.1:1", "--cookies", ""],
            ] {
                let output = try await Command.run(arguments)
                #expect(output.status == 2 && !output.errors.isEmpty, "\(arguments): \(output)")
            }
            #expect(try text(file) == "Buy milk.\n")
        }
    }

    @Test func `cookies are listed, exported, imported and cleared`() async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "cookies.txt")
            let other = directory.appending(path: "other.json")
            let json = """
                [{"name": "id", "value": "secret", "domain": ".example.com"},
                 {"name": "b", "value": "2", "domain": "example.org", "expirationDate": 4102444800}]
                """
            try json.write(to: other, atomically: true, encoding: .utf8)
            let imported = try await Command.run("cookies", "import", file.path, other.path)
            #expect(imported.status == 0 && imported.errors == "2 cookies imported.\n", "\(imported)")
            let list = try await Command.run("cookies", "list", file.path)
            #expect(list.text.contains(".example.com") && !list.text.contains("secret"), "\(list)")
            let values = try await Command.run("cookies", "list", file.path, "--values", "--domain", "example.com")
            #expect(values.text.contains("secret") && !values.text.contains("example.org"))
            let export = try await Command.run("cookies", "export", file.path, "--domain", "example.org")
            #expect(export.text.contains("example.org\tFALSE\t/\tFALSE\t4102444800\tb\t2\n"))
            #expect(!export.text.contains("secret"))
            let copy = directory.appending(path: "copy.txt")
            let copied = try await Command.run(["cookies", "import", copy.path], input: export.text)
            #expect(copied.errors == "1 cookie imported.\n" && FileManager.default.fileExists(atPath: copy.path))
            let exported = try await Command.run("cookies", "export", file.path, "--json", "--session-cookies")
            #expect(exported.text.contains(#""name":"id""#) && !exported.text.contains("example.org"))
            let cleared = try await Command.run("cookies", "clear", file.path, "--session-cookies")
            #expect(cleared.errors == "1 cookie removed.\n")
            #expect(try CookieJar(file: file).cookies.map(\.name) == ["b"])
            #expect(try await Command.run("cookies", "clear", file.path).errors == "1 cookie removed.\n")
            #expect(try CookieJar(file: file).cookies.isEmpty)
        }
    }

    @Test func `a named session has the cookies and the headers of the request before`() async throws {
        try await withDirectory { directory in
            let script = FaultServer.Script.requests { _ in [.respond(headers: [("Set-Cookie", "id=1; Path=/")])] }
            try await FaultServer.run(script) { server in
                let environment = ["XDG_CONFIG_HOME": directory.path]
                let first = ["get", server.baseURL, "--session", "ada", "X-Key:1", "--auth", "ada:secret"]
                #expect(try await Command.run(first, environment: environment).status == 0)
                for arguments in [["--session", "ada"], ["--session", "other"], ["--session", "ada", "X-Key:"]] {
                    let run = try await Command.run(["get", server.baseURL] + arguments, environment: environment)
                    #expect(run.status == 0)
                }
                let bad = try await Command.run(
                    ["get", server.baseURL, "--session", "a/b"],
                    environment: environment
                )
                #expect(bad.status == 2)
                let requests = server.requests
                #expect(requests.map { $0.value(of: "Cookie") } == [nil, "id=1", nil, "id=1"])
                #expect(requests.map { $0.value(of: "X-Key") } == ["1", "1", nil, nil])
                let credential = "Basic " + Data("ada:secret".utf8).base64EncodedString()
                #expect(requests.map { $0.value(of: "Authorization") } == [credential, credential, nil, credential])
            }
        }
    }

    @Test func `a session that is only read is used and stays as it is`() async throws {
        try await withDirectory { directory in
            let script = FaultServer.Script.requests { number in
                [.respond(headers: [("Set-Cookie", "id=\(number); Path=/")])]
            }
            try await FaultServer.run(script) { server in
                let environment = ["XDG_CONFIG_HOME": directory.path]
                for arguments in [
                    ["--session-read-only", "ada", "X-Key:0"], ["--session", "ada", "X-Key:1"],
                    ["--session-read-only", "ada", "X-Key:2"], ["--session-read-only", "ada"],
                ] {
                    let run = try await Command.run(["get", server.baseURL] + arguments, environment: environment)
                    #expect(run.status == 0, "\(run)")
                }
                let cookies = server.requests.map { $0.value(of: "Cookie") }
                #expect(cookies[..<2] == [nil, nil] && cookies[2] != nil && cookies[2] == cookies[3])
                #expect(server.requests.map { $0.value(of: "X-Key") } == ["0", "1", "2", "1"])
            }
        }
    }

    @Test func `a redirect to another server takes no headers of a session there`() async throws {
        try await withDirectory { directory in
            try await FaultServer.run(.requests { _ in [.respond()] }) { other in
                let redirect = FaultStep.respond(302, headers: [("Location", other.baseURL)])
                try await FaultServer.run(.requests { _ in [redirect] }) { server in
                    for items in [["X-Kept:1"], ["X-Mine:1"]] {
                        let session = directory.appending(path: "ada").path
                        let run = try await Command.run(["get", server.baseURL, "--session", session] + items)
                        #expect(run.status == 0, "\(run)")
                    }
                    #expect(server.requests.map { $0.value(of: "X-Kept") } == ["1", "1"])
                    #expect(other.requests.last?.value(of: "X-Kept") == nil)
                    #expect(other.requests.last?.value(of: "X-Mine") == "1")
                }
            }
        }
    }

    @Test func `downloads, uploads and WebSockets have the cookies and headers of a session, and keep theirs`()
        async throws
    {
        try await withDirectory { directory in
            let script = FaultServer.Script.requests { _ in [.respond(headers: [("Set-Cookie", "id=1; Path=/")])] }
            try await FaultServer.run(script) { server in
                let environment = ["XDG_CONFIG_HOME": directory.path]
                let file = directory.appending(path: "file").path
                for arguments in [
                    ["download", "\(server.baseURL)/a", "-o", file, "-H", "X-Key:1"],
                    ["upload", file, "\(server.baseURL)/b", "-H", "X-Other:2"],
                    ["get", "\(server.baseURL)/c"], ["ws", "127.0.0.1:\(server.port)"],
                    ["download", "\(server.baseURL)/d", "-o", "-", "-H", "X-Key:"],
                    ["get", "\(server.baseURL)/e"],
                ] {
                    let run = try await Command.run(arguments + ["--session", "ada"], environment: environment)
                    // This server opens no WebSocket.
                    #expect(run.status == (arguments[0] == "ws" ? 1 : 0), "\(arguments) \(run)")
                }
                let requests = server.requests
                #expect(requests.map { $0.value(of: "Cookie") } == [nil, "id=1", "id=1", "id=1", "id=1", "id=1"])
                #expect(requests.map { $0.value(of: "X-Key") } == ["1", "1", "1", "1", nil, nil])
                #expect(requests.map { $0.value(of: "X-Other") } == [nil, "2", "2", "2", "2", "2"])
            }
        }
    }

    @Test func `a failed download keeps the headers of the session, which its response had`() async throws {
        try await withDirectory { directory in
            try await FaultServer.run(.requests { _ in [.respond(404)] }) { server in
                let session = directory.appending(path: "ada").path
                for options in [["-H", "X-Key:1", "--session", session], ["--session-read-only", session]] {
                    let run = try await Command.run(["download", server.baseURL + "/x"] + options, in: directory)
                    #expect(run.status == 4, "\(run)")
                }
                #expect(server.requests.map { $0.value(of: "X-Key") } == ["1", "1"])
            }
        }
    }

    @Test func `a cookie with a tab is sent, and it is said that the file cannot hold it`() async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "cookies.txt")
            let script = FaultServer.Script.requests { _ in
                [.respond(headers: [("Set-Cookie", "tab=a\tb; Path=/"), ("Set-Cookie", "a=1; Path=/")])]
            }
            try await FaultServer.run(script) { server in
                let run = try await Command.run("get", server.baseURL, "--cookies", file.path)
                let told = "bluebonnet: The cookie tab for 127.0.0.1/ is not kept: it has a tab"
                #expect(run.status == 0 && run.errors.contains(told), "\(run)")
                #expect(try CookieJar(file: file).cookies.map(\.name) == ["a"])
            }
        }
    }

    @Test func `a file with bytes that are not UTF-8 is imported without them`() async throws {
        try await withDirectory { directory in
            let (file, source) = (directory.appending(path: "cookies.txt"), directory.appending(path: "curl.txt"))
            let lines = "# Netscape HTTP Cookie File\nexample.com\tFALSE\t/\tFALSE\t0\ta\t1\n"
            try (Data((lines + "example.com\tFALSE\t/\tFALSE\t0\tb\t").utf8) + [0xE9, 0x0A]).write(to: source)
            let run = try await Command.run("cookies", "import", file.path, source.path)
            #expect(run.errors.contains("not UTF-8") && run.errors.hasSuffix("1 cookie imported.\n"), "\(run)")
            #expect(try CookieJar(file: file).cookies.map(\.name) == ["a"])
        }
    }

    @Test func `commands of one session at the same time keep the headers of each origin`() async throws {
        try await withDirectory { directory in
            let environment = ["XDG_CONFIG_HOME": directory.path]
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<6 {
                    group.addTask {
                        try await FaultServer.run(.requests { _ in [.respond()] }) { server in
                            let arguments = ["get", server.baseURL, "--session", "ada", "X-Key:\(number)"]
                            let run = try await Command.run(arguments, environment: environment)
                            #expect(run.status == 0, "\(run)")
                        }
                    }
                }
                try await group.waitForAll()
            }
            let headers = try text(directory.appending(path: "bluebonnet/sessions/ada/headers.json"))
            for number in 0..<6 { #expect(headers.contains(#""X-Key","\#(number)""#), "\(headers)") }
        }
    }
}
