import Foundation
import LocalServer
import Testing

@testable import BluebonnetCommand

@Suite(.timeLimit(.minutes(5)), .needs("script")) struct TransferTerminalTests {
    /// A file of which the second half comes when the gate opens.
    private func slow(_ gate: FaultGate) -> FaultServer.Script {
        .requests { _ in
            let head = "HTTP/1.1 200 OK\r\nContent-Length: 20000\r\nETag: \"1\"\r\n\r\n"
            let half = String(repeating: "a", count: 10_000)
            return [.send(head + half), .hold(gate), .send(half)]
        }
    }

    @Test(arguments: [100, 80, 50, 20])
    func `several downloads have a line each and one for all, and leave one line each`(columns: Int) async throws {
        let gate = FaultGate()
        try await withDirectory { directory in
            try await FaultServer.run(slow(gate)) { server in
                let urls = (1...3).map { "\(server.baseURL)/file\($0).iso" }.joined(separator: " ")
                let run = try TerminalRun("download \(urls) -d \(directory.path)", columns: columns)
                await run.wait { _ in run.screen(columns: columns).rows.filter { $0.contains("50%") }.count == 4 }
                let rows = run.screen(columns: columns).rows
                #expect(rows.count == 4)
                #expect(rows.last?.hasPrefix("0/3") == true)
                if columns >= 80 { #expect(rows[0].contains("▕█") && rows[0].hasPrefix("file")) }
                if columns >= 50 { #expect(rows.prefix(3).allSatisfy { $0.contains("10 kB/20 kB") }, "\(rows)") }
                gate.open()
                #expect(try await run.finish() == 0)
                // This screen is wider than the window: lines that stay may be longer than that.
                let end = run.screen(columns: 1000).rows
                #expect(end.count == 5, "\(end)")
                #expect(end.prefix(3).allSatisfy { $0.contains(".iso: 20 kB in ") }, "\(end)")
                #expect(end[3].hasPrefix("3 files: 60 kB in "))
                #expect(end[4] == "")
            }
        }
    }

    @Test func `colours are only where they are wanted`() async throws {
        let gate = FaultGate()
        gate.open()
        try await withDirectory { directory in
            try await FaultServer.run(slow(gate)) { server in
                for (variable, isColored) in [("A=1", true), ("NO_COLOR=1", false)] {
                    let arguments = "download \(server.baseURL)/f -d \(directory.path) --overwrite"
                    let run = try TerminalRun(arguments, environment: variable)
                    #expect(try await run.finish() == 0)
                    #expect(run.text.contains("\u{1B}[2m") == isColored, "\(run.text)")
                }
                let dumb = "download \(server.baseURL)/f -d \(directory.path) --overwrite"
                let run = try TerminalRun(dumb, environment: "TERM=dumb")
                #expect(try await run.finish() == 0)
                #expect(!run.text.contains("\u{1B}"))
                #expect(run.text.contains("/f: started"))
            }
        }
    }

    @Test func `Ctrl-C removes the lines and keeps the partial file`() async throws {
        signal(SIGINT, SIG_DFL)
        try await withDirectory { directory in
            try await FaultServer.run(slow(FaultGate())) { server in
                let run = try TerminalRun("download \(server.baseURL)/f -d \(directory.path)")
                await run.wait(for: "50%")
                // What was received is written a moment later.
                let partial = directory.appending(path: "f.bluebonnet").path
                try await until("the half is in the partial file") {
                    let attributes = try? FileManager.default.attributesOfItem(atPath: partial)
                    return attributes?[.size] as? Int == 10_000
                }
                try run.type("\u{3}")
                #expect(try await run.finish() == 128 + SIGINT)
                let rows = run.screen(columns: 1000).rows
                #expect(!rows.contains { $0.contains("%") }, "\(rows)")
                #expect(rows.contains { $0.hasSuffix(": the partial file is kept for --continue.") }, "\(rows)")
                #expect(try names(in: directory) == ["f.bluebonnet"])
            }
        }
    }

    @Test func `the name of a server changes nothing on the terminal`() async throws {
        let gate = FaultGate()
        let script = FaultServer.Script.requests { request in
            guard request.target == "/x" else { return [.respond(404, body: "")] }
            let name = "Content-Disposition: attachment; filename*=UTF-8''%C2%9B31m%E2%80%AEgpj.exe"
            return [.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\(name)\r\n\r\na"), .hold(gate), .send("b")]
        }
        try await withDirectory { directory in
            try await FaultServer.run(script) { server in
                let run = try TerminalRun("download \(server.baseURL)/x -d \(directory.path)", columns: 100)
                await run.wait(for: "31mgpj.exe ▕")
                gate.open()
                #expect(try await run.finish() == 0)
                #expect(try names(in: directory) == ["31mgpj.exe"])
                #expect(!run.text.unicodeScalars.contains { $0 == "\u{9B}" || $0 == "\u{202E}" })
            }
        }
    }

    @Test func `the lines of uploads are removed before a response is shown`() async throws {
        let gate = FaultGate()
        try await withDirectory { directory in
            let file = directory.appending(path: "a.txt")
            try Data(repeating: 97, count: 100_000).write(to: file)
            try await FaultServer.run(.requests { _ in [.hold(gate), .respond(body: "done")] }) { server in
                let run = try TerminalRun("upload \(file.path) \(server.baseURL)/x", columns: 100)
                await run.wait(for: "100%")
                gate.open()
                #expect(try await run.finish() == 0)
                let rows = run.screen(columns: 1000).rows
                #expect(rows.filter { !$0.isEmpty }.count == 2, "\(rows)")
                #expect(rows.contains("done"))
                #expect(rows.contains { $0.contains("a.txt: 100 kB in ") })
            }
        }
    }
}
