import Foundation
import LocalServer
import Testing

@testable import BluebonnetCommand

@Suite(.timeLimit(.minutes(5)), .needs("script")) struct TerminalProcessTests {
    /// A response with half of a body, and the other half when the gate opens.
    private func slowBody(_ gate: FaultGate) -> FaultServer.Script {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 20000\r\n\r\n"
        let half = String(repeating: "a", count: 10_000)
        return [.readRequest, .send(head + half), .hold(gate), .send(half)]
    }

    private func temporaryFile() -> URL {
        FileManager.default.temporaryDirectory.appending(path: "terminal-\(UUID().uuidString)")
    }

    @Test(arguments: [100, 50, 20])
    func `the progress bar of a download is replaced by one line at the end`(columns: Int) async throws {
        let (gate, file) = (FaultGate(), temporaryFile())
        defer { try? FileManager.default.removeItem(at: file) }
        try await FaultServer.run(slowBody(gate)) { server in
            let run = try TerminalRun("get \(server.baseURL) -o \(file.path)", columns: columns)
            await run.wait(for: "50%")
            #expect(run.text.contains("▕█") == (columns > 20))
            gate.open()
            #expect(try await run.finish() == 0)
            // This screen is wider than the window, since the summary may be longer than that.
            let screen = run.screen(columns: 1000)
            #expect(screen.rows.count == 2)
            #expect(screen.rows[0].hasPrefix("\(file.path): 20 kB in "), "\(screen.rows)")
            #expect(screen.rows[1] == "")
            // Every frame of the progress bar is narrower than the window.
            let frames = run.text.split(separator: "\r").filter { $0.contains("%") }
            #expect(frames.allSatisfy { $0.split(separator: "\u{1B}")[0].count < columns }, "\(frames)")
        }
    }

    @Test func `-v and the progress bar do not share a line`() async throws {
        let (gate, file) = (FaultGate(), temporaryFile())
        defer { try? FileManager.default.removeItem(at: file) }
        try await FaultServer.run([.readRequest, .hold(gate), .respond(headers: [("A", "1")], body: "x")]) { server in
            let run = try TerminalRun("get \(server.baseURL)/v -v --pretty none -o \(file.path)")
            await run.wait(for: "0 B")
            gate.open()
            #expect(try await run.finish() == 0)
            let screen = run.screen()
            #expect(screen.rows.contains("GET /v HTTP/1.1"))
            #expect(screen.rows.contains("A: 1"))
            #expect(!screen.rows.contains { $0.hasPrefix("0 B") })
        }
    }

    @Test func `the progress bar of an upload is removed before the response is shown`() async throws {
        let (gate, file) = (FaultGate(), temporaryFile())
        try Data(repeating: 97, count: 100_000).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        try await FaultServer.run([.readRequest, .hold(gate), .respond(body: "ok")]) { server in
            let run = try TerminalRun("put \(server.baseURL) @\(file.path)")
            await run.wait(for: "100%")
            gate.open()
            #expect(try await run.finish() == 0)
            let screen = run.screen()
            #expect(screen.rows == ["ok", ""])
        }
    }

    @Test func `an error on a terminal replaces the progress bar`() async throws {
        let (gate, file) = (FaultGate(), temporaryFile())
        try await FaultServer.run([.readRequest, .hold(gate), .respond(404, body: "")]) { server in
            let run = try TerminalRun("get \(server.baseURL) -o \(file.path)")
            await run.wait(for: "0 B")
            gate.open()
            #expect(try await run.finish() == 4)
            let screen = run.screen(columns: 1000)
            #expect(screen.rows == ["bluebonnet: 404 Scripted: nothing was written to \(file.path).", ""])
        }
    }

    @Test func `a dumb terminal shows no progress bar`() async throws {
        let file = temporaryFile()
        defer { try? FileManager.default.removeItem(at: file) }
        let script: FaultServer.Script = [
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\na"), .wait(.milliseconds(400)), .send("b"),
        ]
        try await FaultServer.run(script) { server in
            let run = try TerminalRun("get \(server.baseURL) -o \(file.path)", environment: "TERM=dumb")
            #expect(try await run.finish() == 0)
            #expect(run.text.isEmpty)
        }
    }

    @Test func `Ctrl-C removes the progress bar and the partial file`() async throws {
        let directory = temporaryFile()
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: directory) }
        try await FaultServer.run(slowBody(FaultGate())) { server in
            let run = try TerminalRun("get \(server.baseURL) -o \(directory.path)/file")
            await run.wait(for: "50%")
            try run.type("\u{3}")
            #expect(try await run.finish() == 128 + SIGINT)
            let screen = run.screen()
            #expect(!screen.rows.contains { $0.contains("%") }, "\(screen.rows)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
        }
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT])
    func `a signal at the password prompt leaves a terminal that shows what is typed`(number: Int32) async throws {
        signal(SIGINT, SIG_DFL)
        signal(SIGQUIT, SIG_DFL)
        let run = try TerminalRun(showingModesAfter: "get http://127.0.0.1:1/ -a Ada")
        await run.wait(for: "Password for Ada: ")
        kill(try run.commandProcess(), number)
        try await run.expectUsualModes(behindStatus: 128 + number)
    }

    @Test func `batch says that it reads the terminal`() async throws {
        let run = try TerminalRun("batch")
        await run.wait(for: "^D ends them.")
        try run.type("\u{4}")
        #expect(try await run.finish() == 0)
    }

    @Test func `Ctrl-C after the password prompt ends the command`() async throws {
        signal(SIGINT, SIG_DFL)
        try await FaultServer.run([.readRequest, .stall]) { server in
            let run = try TerminalRun("get \(server.baseURL) -a Ada")
            await run.wait(for: "Password for Ada: ")
            try run.type("secret\r")
            try await server.waitForRequests(1)
            try run.type("\u{3}")
            #expect(try await run.finish() == 128 + SIGINT)
        }
    }

    @Test func `a password is asked for and not shown`() async throws {
        try await LocalServer.run { server in
            let run = try TerminalRun("get \(server.baseURL)/basic-auth/Ada/secret -a Ada --pretty none")
            await run.wait(for: "Password for Ada: ")
            try run.type("secrex\u{7F}t\r")
            #expect(try await run.finish() == 0)
            #expect(run.text.contains("authenticated"))
            #expect(!run.text.contains("secre"))
        }
    }
}
