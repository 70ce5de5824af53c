import Bluebonnet
import Foundation
import LocalServer
import Testing

@testable import BluebonnetCommand

@Suite(.timeLimit(.minutes(5))) struct AuthenticationProcessTests {
    private func url(_ server: LocalServer, user: String, path: String) -> String {
        server.baseURL.replacingOccurrences(of: "://", with: "://\(user)@") + path
    }

    @Test func `credentials come from the URL, from --auth or as a token`() async throws {
        try await LocalServer.run { server in
            let fromURL = try await Command.run("get", url(server, user: "u:p%40", path: "/basic-auth/u/p%40"))
            #expect(fromURL.status == 0, "\(fromURL.errors)")
            #expect(try await Command.run("get", server.baseURL + "/basic-auth/u/p", "-a", "u:p").status == 0)
            #expect(try await Command.run("get", server.baseURL + "/bearer", "--bearer", "t").status == 0)
            #expect(try await Command.run("get", server.baseURL + "/bearer", "-A", "bearer", "-a", "t").status == 0)
        }
    }

    @Test func `a token is sent by --auth bearer`() async throws {
        try await FaultServer.run(.requests { _ in [.respond(body: "")] }) { server in
            let output = try await Command.run("get", server.baseURL, "--auth", "bearer", "-a", "a token:1")
            #expect(output.status == 2, "a token has no space")
            let good = try await Command.run("get", server.baseURL, "--auth", "bearer", "-a", "token")
            #expect(good.status == 0, "\(good.errors)")
            #expect(server.requests.map { $0.value(of: "authorization") } == ["Bearer token"])
        }
    }

    @Test func `Digest is sent by --auth digest, and for the credentials of a URL`() async throws {
        try await LocalServer.run { server in
            let path = "/digest-auth/auth/u/p/SHA-256"
            for arguments in [
                [server.baseURL + path, "-A", "digest", "-a", "u:p"],
                [server.baseURL + path, "--auth", "digest", "-a", "u:p"],
                [server.baseURL + path, "-a", "u:p", "--auth=Digest"],
                [url(server, user: "u:p", path: path), "--auth", "digest"],
                [url(server, user: "u:p", path: path), "-A", "digest"], [url(server, user: "u:p", path: path)],
            ] {
                let output = try await Command.run(["get"] + arguments)
                #expect(output.status == 0, "\(output.errors)")
            }
            // The password is not sent readably, whatever the server asks for.
            for option in ["--auth-type", "--auth"] {
                let address = server.baseURL + "/basic-auth/u/p"
                let basic = try await Command.run("get", address, option, "digest", "-a", "u:p")
                #expect(basic.status == 4)
            }
            let line = #"{"url":"\#(server.baseURL)\#(path)","credentials":{"user":"u","password":"p"}}"#
            let batch = try await Command.run("batch", input: line)
            #expect(try JSONValue(parsing: batch.text)["status"] == 200)
        }
    }

    @Test(arguments: [
        ["-a", "u:secret", "--auth", "v:secret"], ["--auth", "bearer"], ["-A", "bearer"],
        ["--auth", "digest", "--auth", "basic", "-a", "u:secret"],
        ["--auth", "digest", "-A", "basic", "-a", "u:secret"],
        ["--auth", "u:secret", "--bearer", "t"], ["--auth", "digest", "--bearer", "t"],
    ])
    func `two users, two kinds, and a kind without what it needs are bad usage`(options: [String]) async throws {
        try await FaultServer.run(.requests { _ in [.respond(body: "")] }) { server in
            for arguments in [["get", server.baseURL], ["get", server.baseURL, "--offline"]] {
                let output = try await Command.run(arguments + options)
                #expect(output.status == 2 && output.text.isEmpty, "\(output)")
                #expect(output.errors.contains("--auth") && !output.errors.contains("secret"), "\(output)")
            }
            #expect(server.requests.isEmpty)
        }
    }

    @Test func `--netrc has the credentials where nothing else gives them`() async throws {
        try await withDirectory { folder in
            let file = folder.appending(path: "netrc")
            try Data("machine 127.0.0.1 login u password p".utf8).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
            let environment = ["NETRC": file.path]
            try await LocalServer.run { server in
                let target = server.baseURL + "/hidden-basic-auth/u/p"
                let output = try await Command.run(["get", target, "--netrc"], environment: environment)
                #expect(output.status == 0, "\(output.errors)")
                #expect(try await Command.run(["get", target], environment: environment).status == 4)
                // By Digest alone, where that is wanted.
                for (path, isServed) in [("/digest-auth/auth/u/p/SHA-256", true), ("/basic-auth/u/p", false)] {
                    let arguments = ["get", server.baseURL + path, "--netrc", "-A", "digest"]
                    let output = try await Command.run(arguments, environment: environment)
                    #expect(output.status == (isServed ? 0 : 4), "\(output.errors)")
                }
                let other = server.baseURL + "/basic-auth/x/y"
                let given = try await Command.run(["get", other, "--netrc", "-a", "x:y"], environment: environment)
                #expect(given.status == 0)
                try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
                let open = try await Command.run(["get", target, "--netrc"], environment: environment)
                #expect(open.status == 2 && open.errors.contains("chmod 600"))
            }
        }
    }

    @Test func `the command does not show a password`() async throws {
        try await LocalServer.run { server in
            let user = "user:secret"
            let verbose = try await Command.run("get", "-v", url(server, user: user, path: "/basic-auth/user/secret"))
            #expect(verbose.status == 0)
            #expect(verbose.errors.contains("Authorization: Basic REDACTED"))
            #expect(!verbose.errors.contains(Data(user.utf8).base64EncodedString()))
            let unreachable = "http://\(user)@127.0.0.1:\(FaultServer.unusedPort)/"
            let refused = try await Command.run("get", "-v", unreachable)
            #expect(!refused.errors.contains("secret"))
            let batch = try await Command.run("batch", input: #"{"url":"\#(unreachable)"}"#)
            #expect(!batch.text.contains("secret"))
        }
    }

    @Test func `-v hides secrets in fields, URLs and Location, and -i shows them`() async throws {
        let cookie = ("Set-Cookie", "sid=hunter2")
        let script = FaultServer.Script.requests { request in
            guard request.target.hasPrefix("/start") else { return [.respond(headers: [cookie], body: "")] }
            return [.respond(302, headers: [("Location", "/there?code=hunter2&n=1")], body: "")]
        }
        try await FaultServer.run(script) { server in
            let secrets = ["Cookie: a=hunter2", "X-Api-Key: hunter2", "token==hunter2"]
            for options in [["-v"], ["-v", "--no-follow"]] {
                let output = try await Command.run(["get", server.baseURL + "/start"] + secrets + options)
                #expect(output.status == (options.contains("--no-follow") ? 3 : 0))
                #expect(!output.errors.contains("hunter2"), "\(output.errors)")
                #expect(output.errors.contains("/there?code=REDACTED&n=1"))
            }
            let shown = try await Command.run("get", server.baseURL + "/there", "-i")
            #expect(shown.text.contains("Set-Cookie: sid=hunter2"))
            let seen = server.requests[0]
            #expect(seen.target == "/start?token=hunter2")
            #expect(seen.value(of: "cookie") == "a=hunter2")
            #expect(seen.value(of: "x-api-key") == "hunter2")
        }
    }

    @Test func `--offline prints the Authorization field that would be sent`() async throws {
        let output = try await Command.run("get", "http://u:p@127.0.0.1:1/x", "--offline")
        #expect(output.text.contains("Authorization: Basic dTpw\r\n"))
        #expect(!output.text.contains("u:p@"))
    }

    @Test func `a redirect does not send credentials to another origin`() async throws {
        try await FaultServer.run([.readRequest, .respond(body: "")]) { other in
            let location = other.baseURL.replacingOccurrences(of: "://", with: "://x:secret@") + "/there"
            let redirect = FaultStep.respond(302, headers: [("Location", location)], body: "")
            try await FaultServer.run([.readRequest, redirect]) { server in
                let output = try await Command.run("get", "-v", server.baseURL + "/here", "-a", "u:p")
                #expect(output.status == 0)
                #expect(server.requests[0].value(of: "authorization") == "Basic dTpw")
                #expect(other.requests[0].value(of: "authorization") == nil)
                #expect(output.errors.contains("redirected to \(other.baseURL)/there"))
                #expect(!output.errors.contains("secret"))
            }
        }
    }

    @Test func `an error status with an empty body is reported in a message`() async throws {
        try await LocalServer.run { server in
            let unknown = try await Command.run("get", server.baseURL + "/basic-auth/u/p")
            #expect(unknown.status == 4)
            #expect(unknown.errors.hasPrefix("bluebonnet: 401 Unauthorized: the server needs credentials; add --auth"))
            let wrong = try await Command.run("get", server.baseURL + "/basic-auth/u/p", "-a", "u:q")
            #expect(wrong.errors == "bluebonnet: 401 Unauthorized: the server does not accept these credentials.\n")
            for (status, text) in [(404, "404 Not Found"), (500, "500 Internal Server Error")] {
                let output = try await Command.run("get", server.baseURL + "/status/\(status)")
                #expect(output.errors == "bluebonnet: \(text)\n")
                let shown = try await Command.run("get", "-i", server.baseURL + "/status/\(status)")
                #expect(shown.errors.isEmpty)
            }
        }
    }

    @Test func `a user without a password and without a terminal is bad usage`() async throws {
        let command = "setsid --wait '\(Command.executable.path)' get :1/ -a Ada </dev/null"
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", command]
        let errors = Pipe()
        process.standardError = errors
        let status = try process.start()
        #expect(await status.value == 2)
        let text = try errors.fileHandleForReading.readToEnd().map { String(decoding: $0, as: UTF8.self) }
        #expect(text?.contains("There is no terminal to ask for the password") == true)
    }

    @Test func `batch credentials are sent, and the result does not repeat them`() async throws {
        try await LocalServer.run { server in
            let lines = [
                #"{"id":1,"url":"\#(url(server, user: "u:p", path: "/basic-auth/u/p"))"}"#,
                #"{"id":2,"url":"\#(server.baseURL)/basic-auth/u/p","credentials":{"user":"u","password":"p"}}"#,
            ]
            let output = try await Command.run("batch", "--ordered", input: lines.joined(separator: "\n"))
            let results = try output.text.split(separator: "\n").map { try JSONValue(parsing: $0) }
            #expect(results.map { $0["status"] } == [200, 200])
            #expect(results.map { $0["url"]?.string } == Array(repeating: "\(server.baseURL)/basic-auth/u/p", count: 2))
        }
    }
}
