import Foundation
import LocalServer
import Testing

@testable import BluebonnetCommand

/// `bluebonnet ws` on a terminal.
@Suite(.timeLimit(.minutes(5)), .needs("script")) struct WebSocketTerminalTests {
    /// The end of the status line when so much of a line is typed.
    private func shown(_ text: String) -> String { "\(text)\u{1B}[K" }

    @Test func `messages are printed above the line that is typed`() async throws {
        let gate = FaultGate()
        try await WebSocketServer.run { peer, _ in
            try await peer.open()
            await gate.wait()
            for frame in [WebSocketFrame.text("one"), .binary([1, 2, 3]), .text("\u{1B}[2J\rtwo")] {
                try await peer.send(frame)
            }
            let message = try await peer.readMessage()
            try await peer.send(.text(String(decoding: message, as: UTF8.self)))
            try await peer.finish()
        } _: { server in
            let run = try TerminalRun("ws \(server.url) --no-compression")
            await run.wait(for: shown(""))
            try run.type("hel")
            await run.wait(for: shown("hel"))
            gate.open()
            await run.wait(for: "two")
            try run.type("x\u{7F}lo\u{1B}[D\n")
            // The mark in front of a message is faint.
            await run.wait(for: "< \u{1B}[0mhello")
            try run.type("\u{4}")
            #expect(try await run.finish() == 0)
            #expect(
                run.screen().rows == [
                    "bluebonnet: connected, ^D closes", "< one", "< (3 bytes)", "< \u{FFFD}[2J\u{FFFD}two", "> hello",
                    "< hello", "bluebonnet: closed with 1000 (normal closure)", "",
                ]
            )
        }
    }

    @Test func `a line that was begun stays on the screen when the server closes`() async throws {
        let gate = FaultGate()
        try await WebSocketServer.run { peer, _ in
            try await peer.open()
            await gate.wait()
            try await peer.close(1000)
        } _: { server in
            let run = try TerminalRun("ws \(server.url) --no-compression --quiet", columns: 20)
            await run.wait(for: shown(""))
            // It is wider than the window: its middle is left out while it is typed.
            try run.type("a line that was begun\tand is not sent")
            await run.wait(for: shown("…not sent"))
            gate.open()
            #expect(try await run.finish() == 0)
            #expect(run.screen(columns: 1000).rows == ["> a line that was begun and is not sent", ""])
        }
    }

    @Test func `Ctrl-C ends it, and the server is told`() async throws {
        signal(SIGINT, SIG_DFL)
        let codes = AsyncStream.makeStream(of: UInt16?.self)
        try await WebSocketServer.run { peer, _ in
            defer { codes.continuation.finish() }
            try await peer.open()
            codes.continuation.yield(try await peer.readClose().closeCode)
        } _: { server in
            let run = try TerminalRun("ws \(server.url) --quiet")
            await run.wait(for: shown(""))
            try run.type("begun\u{3}")
            // Where the command has ended before, no code comes.
            try #require(try await run.finish() == 128 + SIGINT)
            #expect(await codes.stream.first { _ in true } == .some(1001))
        }
    }

    @Test(arguments: [SIGTERM, SIGHUP, SIGQUIT, 0])
    func `the terminal shows again what is typed at the end`(number: Int32) async throws {
        for number in [SIGINT, SIGQUIT] { signal(number, SIG_DFL) }
        try await WebSocketServer.run(WebSocketServer.echo) { server in
            let run = try TerminalRun(showingModesAfter: "ws \(server.url)")
            await run.wait(for: "^D closes")
            await run.wait(for: shown(""))
            if number == 0 { try run.type("\u{4}") } else { kill(try run.commandProcess(), number) }
            try await run.expectUsualModes(behindStatus: number == 0 ? 0 : 128 + number)
        }
    }

    @Test(.needs("bash")) func `Ctrl-Z gives the terminal back, and fg goes on with the line that was typed`()
        async throws
    {
        signal(SIGTSTP, SIG_DFL)
        try await WebSocketServer.run(WebSocketServer.echo) { server in
            // With job control, the shell has the terminal when the command has stopped.
            let job = """
                env -u NO_COLOR TERM=xterm "\(Command.executable.path)" ws \(server.url) --no-compression --quiet
                echo "stopped=$?."
                \(TerminalRun.showModes)
                fg >/dev/null
                echo "status=$?."
                \(TerminalRun.showModes)
                """
            let script = "bash --norc -m -c '\(job.replacing("'", with: #"'\''"#))'"
            let run = try TerminalRun(script: script)
            await run.wait(for: shown(""))
            try run.type("be")
            await run.wait(for: shown("be"))
            try run.type("\u{1A}")
            let stop = "stopped=\(128 + SIGTSTP)."
            func behindStop(_ text: String) -> Substring? { text.firstRange(of: stop).map { text[$0.upperBound...] } }
            await run.wait { behindStop($0)?.contains(shown("be")) == true }
            #expect(behindStop(run.text)?.contains(TerminalRun.usualModes) == true, "\(run.text)")
            try run.type("gun\n")
            await run.wait(for: "< \u{1B}[0mbegun")
            try run.type("\u{4}")
            try await run.expectUsualModes(behindStatus: 0)
        }
    }

    @Test func `a dumb terminal shows what is typed itself`() async throws {
        try await WebSocketServer.run(WebSocketServer.echo) { server in
            let run = try TerminalRun("ws \(server.url) --no-compression", environment: "TERM=dumb")
            await run.wait(for: "^D closes")
            try run.type("hello\n")
            await run.wait(for: "< hello")
            try run.type("\u{4}")
            #expect(try await run.finish() == 0)
            #expect(!run.text.contains("\u{1B}"))
        }
    }
}
