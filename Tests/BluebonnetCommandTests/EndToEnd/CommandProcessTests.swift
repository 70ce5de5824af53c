import Foundation
import LocalServer
import Testing

@testable import BluebonnetCommand

@Suite(.timeLimit(.minutes(2))) struct CommandProcessTests {
    @Test func `the version is printed`() async throws {
        let output = try await Command.run("--version")
        #expect(output.text == "\(MainCommand.version)\n")
        #expect(output.status == 0)
    }

    @Test(arguments: [
        "get", "head", "post", "put", "patch", "delete", "options", "download", "upload", "batch", "from-curl",
    ])
    func `every command has help with an example and the exit status`(command: String) async throws {
        let output = try await Command.run(command, "--help")
        #expect(output.status == 0)
        #expect(output.text.contains("Example"))
        #expect(output.text.contains("Exit status:"))
        #expect(output.text.contains("bluebonnet \(command) "))
    }

    @Test func `-h is a short help, without examples and with every option`() async throws {
        let (short, full) = (try await Command.run("get", "-h"), try await Command.run("get", "--help"))
        #expect(short.status == 0 && short.text.hasPrefix("USAGE: bluebonnet get "))
        let known = Set(UsageMessage.options(in: short.text))
        let missing = UsageMessage.options(in: full.text).filter { $0.hasPrefix("--") && !known.contains($0) }
        // Those that are only in examples and in what is said about others.
        #expect(missing.allSatisfy { full.text.firstRange(of: "\n  \($0)") == nil }, "\(missing)")
        #expect(short.text.utf8.count < full.text.utf8.count * 2 / 3)
    }

    @Test(arguments: [[], ["serv"], ["get"], ["--nope"], ["help", "nope"], ["-v"]])
    func `without a command there is help, and an unknown one is bad usage`(arguments: [String]) async throws {
        let output = try await Command.run(arguments)
        #expect(output.status == (arguments.isEmpty ? 0 : 2))
        #expect(output.errors.isEmpty == arguments.isEmpty)
    }

    @Test func `a closed standard stream does not become another file`() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "closed-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try await FaultServer.run(.requests { _ in [.respond(body: "body")] }) { server in
            let get = ["get", server.baseURL]
            let silent = try await Command.run(get + ["-v", "-o", file.path], connecting: "2>&-")
            #expect(silent.status == 0)
            #expect(try String(contentsOf: file, encoding: .utf8) == "body")
            let lost = try await Command.run(get, connecting: ">&-")
            #expect(lost.status == 1)
            #expect(lost.errors == "bluebonnet: The output: Bad file descriptor.\n")
            #expect(try await Command.run(get + ["-o", file.path], connecting: ">&- <&- 2>&-").status == 0)
            #expect(try await Command.run(["post", server.baseURL], connecting: "<&-").status == 0)
            for request in server.requests { #expect(request.bodyText.isEmpty) }
        }
        let nothing = try await Command.run(["batch"], connecting: "<&-")
        #expect(nothing.status == 2)
        #expect(nothing.errors == "bluebonnet: standard input: Bad file descriptor.\n")
    }

    @Test(arguments: ["<&-", ">&-", "2>&-", "<&- >&-", "<&- 2>&-", ">&- 2>&-", "<&- >&- 2>&-"])
    func `whichever standard streams are closed, files have only what is meant for them`(streams: String) async throws {
        try await withDirectory { folder in
            let (file, lines) = (folder.appending(path: "file"), folder.appending(path: "lines"))
            try await FaultServer.run(.requests { _ in [.respond(body: "body")] }) { server in
                let download = ["download", server.baseURL + "/x", "-o", file.path]
                #expect(try await Command.run(download, connecting: streams).status == 0)
                #expect(try String(contentsOf: file, encoding: .utf8) == "body")
                let line = #"{"url":"\#(server.baseURL)/x"}"#
                try Data(line.utf8).write(to: lines)
                let batch = try await Command.run(["batch", lines.path], connecting: streams)
                #expect(batch.status == (streams.split(separator: " ").contains(">&-") ? 1 : 0))
                #expect(try String(contentsOf: lines, encoding: .utf8) == line)
                #expect(server.requests.allSatisfy { $0.requestLine == "GET /x HTTP/1.1" && $0.bodyText.isEmpty })
            }
        }
        guard streams == ">&-" else { return }
        let serve = try await Command.run(["serve", "--port", "0"], connecting: streams)
        #expect(serve.status == 1)
        #expect(serve.errors == "bluebonnet: The output: Bad file descriptor.\n")
    }

    @Test(arguments: [
        #"post :1 "a=$1""#, #"put :1 "@$1""#, #"get :1 -o "$1""#, #"download :1 -d "$1""#, #"batch "$1""#,
    ])
    func `an argument that is not UTF-8 is refused, and not changed`(arguments: String) async throws {
        try await withDirectory { directory in
            let process = Process()
            process.executableURL = URL(filePath: "/bin/sh")
            process.currentDirectoryURL = directory
            let script = #"set -- "$(printf 'x\377')"; exec "$0" "# + arguments
            process.arguments = ["-c", script, Command.executable.path]
            let output = try await Command.run(process)
            #expect(output.status == 2, "\(output)")
            #expect(output.errors.contains("x\u{FFFD}” has bytes that are not UTF-8"), "\(output)")
            #expect(try names(in: directory).isEmpty)
        }
        // The character itself is a text.
        let text = try await Command.run("post", ":1", "a=\u{FFFD}", "--offline", "--print=B")
        #expect(text.text.contains("\"\u{FFFD}\""), "\(text)")
    }

    @Test(arguments: [
        ["--generate-completion-script"], ["--generate-completion-script", "bash"],
        ["get", "--generate-completion-script=zsh"], ["cookies", "--generate-completion-script", "fish"],
    ])
    func `completions are files that are installed, and no others are printed`(arguments: [String]) async throws {
        let output = try await Command.run(arguments)
        #expect(output.status == 2 && output.text.isEmpty)
        #expect(output.errors.contains("“make install” and the Debian package install them."), "\(output.errors)")
    }

    @Test func `the demo runs every step and shows its result`() async throws {
        let output = try await Command.run("demo")
        #expect(output.status == 0, "\(output.text) \(output.errors)")
        #expect(output.text.contains("All \(DemoStep.all.count) steps succeeded."))
    }
}
