import ArgumentParser
import Bluebonnet
import NIOCore

/// `bluebonnet upload`.
struct UploadCommand: NamedCommand {
    static let name = "upload"

    static let configuration = CommandConfiguration(
        commandName: name,
        _superCommandName: MainCommand.name,
        abstract: "Sends files, several at once, and shows the responses.",
        usage: "bluebonnet upload [<options>] <file> ... <url>",
        discussion: """
            Each file is the body of a PUT, with the media type that its name has. Where the URL \
            ends with a slash, the name of the file is put behind it.

            When the connection is lost, an upload goes on where the server is, if the server \
            supports resumable uploads.

            Examples:
              bluebonnet upload photo.png :8080/files/photo.png
              bluebonnet upload *.png :8080/files/ -j 8
              bluebonnet upload photo.png :8080/photos -X post
              bluebonnet upload a.pdf b.pdf :8080/papers --form paper
            \(RequestRunner.exitStatusHelp)
            Where several uploads fail for different reasons, it is 1.
            """
    )

    @Argument(
        help: ArgumentHelp(
            "The files, and behind them the URL.",
            discussion: "http:// may be left out; :8080/path is localhost:8080/path.",
            valueName: "file"
        ),
        completion: .file()
    )
    var arguments: [String]

    @OptionGroup(title: "Upload options")
    var options: UploadOptions

    @OptionGroup(title: "Transfer options")
    var transfer: TransferOptions

    @OptionGroup(title: "Authentication options")
    var authentication: AuthenticationOptions

    @OptionGroup(title: "Connection options")
    var connection: ConnectionOptions

    func validate() throws {
        guard arguments.count > 1 else { throw ValidationError("One or more files and a URL are needed.") }
        if options.bodyOnInsecureRedirects, !transfer.insecureRedirects {
            throw ValidationError(
                "--body-on-insecure-redirects and --no-insecure-redirects cannot be used together."
            )
        }
    }

    /// The URL, behind the files.
    var url: String { arguments[arguments.count - 1] }

    func run() async throws {
        let items = try options.items(
            arguments.dropLast(),
            to: url,
            headers: try transfer.headers(),
            credentials: try authentication.credentials(),
            usesDigest: authentication.usesDigest,
            sessions: transfer.sessions
        )
        // One request needs one event loop, as in `put`.
        if items.count == 1 { NIOSingletons.groupLoopCountSuggestion = 1 }
        OpenFileLimit.raise()
        var configuration = SessionConfiguration()
        try connection.apply(to: &configuration)
        try authentication.apply(to: &configuration)
        try transfer.apply(to: &configuration)
        configuration.cookieJar = try transfer.sessions.jar()
        try configuration.limit(items.map(\.request), by: transfer.sessions)
        let observation = try transfer.observation.observation()
        if let observation { configuration.observers = [observation] }
        configuration.sendsBodiesOnInsecureRedirects = options.bodyOnInsecureRedirects
        if options.noResume { configuration.resumableUploads = .off }
        let runner = UploadRunner(
            session: SessionManager(configuration: configuration),
            items: items,
            display: TransferDisplay(count: items.count, noun: "uploads", isQuiet: transfer.quiet),
            printer: BodyPrinter(style: OutputStyle(options.pretty, for: .output), output: .output)
        )
        // After a signal, the lines of the progress are removed before the process ends.
        let status = try await CookieJar.saving([configuration.cookieJar], and: [configuration.cache]) {
            try await TerminationSignals.cancelling { try await runner.run(jobs: transfer.jobs) }
        }
        try observation?.finish()
        if status != .success { throw status }
    }
}
