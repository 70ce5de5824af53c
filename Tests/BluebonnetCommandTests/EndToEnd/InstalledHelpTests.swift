import Foundation
import Testing

/// The manual page and the completions that `scripts/install` makes from the help.
@Suite(.timeLimit(.minutes(5)), .needs("python3")) struct InstalledHelpTests {
    /// A command of the help, with the names of its options.
    private struct HelpEntry {
        var name: String
        var options: [String]
    }

    private static var repository: URL {
        var folder = URL(filePath: #filePath)
        for _ in 0..<4 { folder.deleteLastPathComponent() }
        return folder
    }

    /// The help as JSON, made once for all tests.
    private static let help = Task { try await Command.run("--experimental-dump-help").bytes }

    /// Every command of the help, those below another one included.
    private func entries() async throws -> [HelpEntry] {
        let root = try JSONSerialization.jsonObject(with: try await Self.help.value) as? [String: Any]
        let program = try #require(root?["command"] as? [String: Any])
        return entries(below: program)
    }

    private func entries(below command: [String: Any]) -> [HelpEntry] {
        let commands = command["subcommands"] as? [[String: Any]] ?? []
        return commands.flatMap { command in
            let arguments = command["arguments"] as? [[String: Any]] ?? []
            let names = arguments.filter { $0["shouldDisplay"] as? Bool ?? true }.flatMap { argument in
                argument["names"] as? [[String: String]] ?? []
            }
            let options = names.compactMap { name in
                name["name"].map { (name["kind"] == "short" ? "-" : "--") + $0 }
            }
            let entry = HelpEntry(name: command["commandName"] as? String ?? "", options: options)
            return [entry] + entries(below: command)
        }
    }

    /// The output of a script, which reads the help.
    private func made(by script: String, _ argument: String) async throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.currentDirectoryURL = Self.repository
        process.arguments = ["python3", "-B", "scripts/lib/\(script)", argument]
        let input = String(decoding: try await Self.help.value, as: UTF8.self)
        let output = try await Command.run(process, input: input)
        try #require(output.status == 0, "\(output.errors)")
        return output.text
    }

    @Test func `the manual page has every command and every option of the help`() async throws {
        // In the source of the page, a dash has a backslash, and `Fl` stands for the first one.
        let page = try await made(by: "manual.py", "Packaging/bluebonnet.1.in").replacing("\\-", with: "-")
        let words = Set(page.split { $0.isWhitespace }.map(String.init))
        let entries = try await entries()
        #expect(entries.count > 20)
        for entry in entries {
            #expect(words.contains(entry.name), "\(entry.name) is missing")
            for option in entry.options where entry.name != "help" {
                let name = "Fl \(option.dropFirst())"
                #expect(page.contains("\(name) ") || page.contains("\(name)\n"), "\(option) is missing")
            }
        }
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func `completions have every command and every option of the help`(shell: String) async throws {
        let script = try await made(by: "completions.py", shell)
        for entry in try await entries() {
            #expect(script.contains(entry.name), "\(entry.name) is missing")
            for option in entry.options {
                let name = String(option.drop { $0 == "-" })
                // fish has the names without their dashes.
                let expected = shell == "fish" ? "-\(option.hasPrefix("--") ? "l" : "s") \(name) " : option
                #expect(script.contains(expected), "\(option) of \(entry.name) is missing")
            }
        }
    }

    @Test func `bash completes the options of a request without a command, and the file of an item`() async throws {
        let script = try await made(by: "completions.py", "bash")
        try await withDirectory { folder in
            try Data(script.utf8).write(to: folder.appending(path: "completion"))
            try Data().write(to: folder.appending(path: "cat.png"))
            let process = Process()
            process.executableURL = URL(filePath: "/bin/bash")
            process.currentDirectoryURL = folder
            // What bash does when the user presses Tab. The builtin compopt works only then.
            process.arguments = [
                "-c",
                """
                compopt() { :; }
                source completion
                complete_last() {
                    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _bluebonnet "$1" "${!#}"; echo "${COMPREPLY[@]}"
                }
                complete_last bluebonnet example.org --max-r
                complete_last bluebonnet get example.org --cacert ca
                complete_last bluebonnet post example.org f@cat
                """,
            ]
            let output = try await Command.run(process)
            #expect(output.text == "--max-redirects\ncat.png\nf@cat.png\n", "\(output.errors)")
        }
    }
}
