import Foundation
import Testing

/// The manual page and the completions that `scripts/install` makes from the help.
@Suite(.timeLimit(.minutes(5)), .needs("python3")) struct InstalledHelpTests {
    /// A command of the help, with the names of its options.
    private struct HelpEntry {
        /// The names that begin it, such as `cookies list`.
        var path: [String]
        var options: [String]
        /// Whether there are commands below it.
        var isGroup: Bool

        var name: String { path.joined(separator: " ") }
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

    private func entries(below command: [String: Any], path: [String] = []) -> [HelpEntry] {
        let commands = command["subcommands"] as? [[String: Any]] ?? []
        return commands.flatMap { command in
            let path = path + [command["commandName"] as? String ?? ""]
            let arguments = command["arguments"] as? [[String: Any]] ?? []
            let names = arguments.filter { $0["shouldDisplay"] as? Bool ?? true }.flatMap { argument in
                argument["names"] as? [[String: String]] ?? []
            }
            let options = names.compactMap { name in
                name["name"].map { (name["kind"] == "short" ? "-" : "--") + $0 }
            }
            let below = entries(below: command, path: path)
            return [HelpEntry(path: path, options: options, isGroup: !below.isEmpty)] + below
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
            #expect(words.isSuperset(of: entry.path), "\(entry.name) is missing")
            for option in entry.options where entry.name != "help" {
                let name = "Fl \(option.dropFirst())"
                #expect(page.contains("\(name) ") || page.contains("\(name)\n"), "\(option) is missing")
            }
        }
    }

    /// Scripts of bash and fish that load the completion and print, for each argument, a line with
    /// what is offered behind this command and a dash.
    private static let offers = [
        "bash": """
        compopt() { :; }
        source completion
        for command in "$@"; do
            COMP_WORDS=(bluebonnet $command -); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _bluebonnet bluebonnet -
            echo "${COMPREPLY[@]}"
        done
        """,
        "fish": """
        source completion
        for command in $argv
            echo (complete -C "bluebonnet $command -" | string split -f 1 \\t)
        end
        """,
    ]

    @Test(arguments: ["bash", "fish"])
    func `completion offers the options of the help for every command, and no others`(shell: String) async throws {
        let script = try await made(by: "completions.py", shell)
        let commands = try await entries().filter { !$0.isGroup }
        try await withDirectory { folder in
            try Data(script.utf8).write(to: folder.appending(path: "completion"))
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.currentDirectoryURL = folder
            let arguments = [shell, "-c", try #require(Self.offers[shell])]
            // The first argument of bash is the name of the script.
            process.arguments = arguments + (shell == "bash" ? ["bash"] : []) + commands.map(\.name)
            let output = try await Command.run(process)
            let lines = output.text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            try #require(lines.count == commands.count && commands.count > 20, "\(output)")
            for (line, command) in zip(lines, commands) {
                #expect(Set(line.split(separator: " ").map(String.init)) == Set(command.options), "\(command.name)")
            }
        }
    }

    /// A section of the script of zsh has the options of a command, each with the others that it
    /// excludes in front of it: `'(-j --json)--json[…]'`.
    @Test func `the completion of zsh has the options of the help for every command, and no others`() async throws {
        let script = try await made(by: "completions.py", "zsh")
        let sections = script.matches(of: /(?m)^ {8}'([a-z -]+)'\)\n((?: {12,}.*\n)+)/)
        let options = sections.map { section in
            let names = section.2.matches(of: /'(?:\([^)]*\)|\*)(-[A-Za-z0-9.-]+)=?\[/).map { String($0.1) }
            return (String(section.1), Set(names))
        }
        let known = Dictionary(options) { $1 }
        let verbs: Set = ["get", "head", "post", "put", "patch", "delete", "options"]
        for command in try await entries() where !command.isGroup {
            let section = verbs.contains(command.name) ? "request" : command.name
            #expect(known[section] == Set(command.options), "\(command.name)")
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
