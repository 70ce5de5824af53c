import ArgumentParser
import Bluebonnet

/// `bluebonnet batch`.
struct BatchCommand: NamedCommand {
    static let name = "batch"

    static let configuration = CommandConfiguration(
        commandName: name,
        _superCommandName: MainCommand.name,
        abstract: "Sends many requests: JSON lines in, JSON lines out.",
        discussion: """
            Every line is a request, of which only "url" is required:
              {"url": "http://127.0.0.1:8080/get"}
              {"id": 7, "method": "PUT", "url": "…", "headers": [["X", "1"]],
               "json": {"a": 1}}   (on one line)
            The body is one of "body", "bodyBase64", "bodyFile", "json", "form" and
            "multipart": [{"name": "f", "file": "path", "type": "image/png",
            "filename": "a.png"}, {"name": "n", "value": "v"}].
            Also: "redirect" (follow, manual, error), "timeout" (seconds),
            "cache" (default, no-cache, reload, no-store, force-cache,
            only-if-cached), "output" (a file for the body, whatever the status),
            "credentials": {"user": "u",
            "password": "p"} (Basic, sent with the request; so are those of
            http://u:p@host/, and an Authorization header wins). Each line gets a result:
              {"id": 7, "status": 200, "headers": […], "body": "…", …}
              {"id": 8, "error": {"code": "connection-lost", "message": "…"}}

            Example:
              bluebonnet batch --jobs 64 requests.jsonl > results.jsonl

            Exit status:
              0  every line got a response, whatever its HTTP status
              1  at least one result is an error
              2  bad usage, or an input that cannot be read
            """
    )

    @Argument(
        help: ArgumentHelp("The file with the lines; - is standard input.", valueName: "file"),
        completion: .file()
    )
    var source = "-"

    @OptionGroup(title: "Batch options")
    var options: BatchOptions

    @OptionGroup(title: "Connection options")
    var connection: ConnectionOptions

    func run() async throws {
        let file: InputFile
        do throws(SystemFailure) {
            file = try InputFile(path: source)
        } catch {
            throw CommandFailure.usage("\(error).")
        }
        if source == "-", StandardInput.isTerminal {
            StandardStream.error.write(line: "bluebonnet: Lines are read from the terminal; ^D ends them.")
        }
        OpenFileLimit.raise()
        var configuration = SessionConfiguration()
        try connection.apply(to: &configuration)
        try options.apply(to: &configuration)
        let runner = BatchRunner(
            session: SessionManager(configuration: configuration),
            jobs: options.jobs,
            lines: LineReader(file, limit: options.maxLine),
            results: ResultWriter(isOrdered: options.ordered) { StandardStream.output.write(Self.shown($0)) }
        )
        // After a signal, no half-written file of an "output" is left.
        let outcome = try await CookieJar.saving([configuration.cookieJar], and: [configuration.cache]) {
            try await TerminationSignals.cancelling { await runner.run() }
        }
        switch outcome {
        case .complete: return
        case .someErrors: throw ExitStatus.transport
        case .unreadable(let reason): throw CommandFailure.usage("\(reason).")
        }
    }

    /// Results, in which characters that steer a terminal are escapes where it is one: the values
    /// are the same.
    private static func shown(_ lines: [UInt8]) -> [UInt8] {
        guard StandardStream.output.isTerminal else { return lines }
        let results = String(decoding: lines, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        return Array(results.map { JSONText.harmless(String($0)) }.joined(separator: "\n").utf8)
    }
}
