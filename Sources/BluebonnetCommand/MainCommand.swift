import ArgumentParser
import Bluebonnet

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

#if Images
    import BluebonnetImages
#endif

/// A command of ``MainCommand``. Its name is known without its configuration, with all texts of the
/// help, which costs a tenth of a short run to make.
protocol NamedCommand: AsyncParsableCommand {
    static var name: String { get }
}

/// The command `bluebonnet`: requests from the shell, downloads and uploads, many requests at once,
/// and a server to try them on.
@main
struct MainCommand: AsyncParsableCommand {
    /// The version that `--version` prints.
    static let version = UserAgent.libraryVersion

    /// The name of the command.
    static let name = "bluebonnet"

    static let configuration = CommandConfiguration(
        commandName: name,
        abstract: "Sends HTTP requests from the shell.",
        usage: "\(SendCommand.usage)\n       bluebonnet <command> …",
        discussion: """
            Without a command it sends a request: GET, or POST where there is a body, \
            or the method that is named. “bluebonnet get --help” lists the options \
            of requests.

            Examples:
              bluebonnet example.org
              bluebonnet :8080/users name=Ada
              bluebonnet get example.org/users page==2 Accept:application/json
              bluebonnet post :8080/post name=Ada age:=36 tags:='["a","b"]'
              bluebonnet post :8080/post --form name=Ada
              bluebonnet put :8080/put @photo.png
              bluebonnet from-curl 'curl -d name=Ada localhost:8080/post'
              bluebonnet download example.org/big.iso --continue
              bluebonnet upload photo.png :8080/files/
              bluebonnet batch --jobs 64 requests.jsonl
              bluebonnet ws wss://example.org/feed
              bluebonnet trust example.org
              bluebonnet reachability --watch
              bluebonnet cookies list cookies.txt
              bluebonnet cache explain ~/.cache/bluebonnet example.org
              bluebonnet image info photo.jpg

            Exit status:
            \(ExitStatus.help)
            """,
        version: version,
        subcommands: commands.map { $0 }
    )

    private static let commands: [any NamedCommand.Type] =
        requestCommands.map { $0 } + [
            FromCurlCommand.self, DownloadCommand.self, UploadCommand.self, BatchCommand.self, WebSocketCommand.self,
            TrustCommand.self, CookiesCommand.self, CacheCommand.self, ImageCommand.self, ReachabilityCommand.self,
            ServeCommand.self, DemoCommand.self,
        ]

    private static let requestCommands: [any RequestCommand.Type] = [
        GetCommand.self, HeadCommand.self, PostCommand.self, PutCommand.self, PatchCommand.self, DeleteCommand.self,
        OptionsCommand.self,
    ]

    /// Runs the command, while the first thread waits until the process ends.
    ///
    /// Behind an asynchronous `main`, Dispatch unwinds the stack of the first thread before it lets
    /// it wait. The tables that this reads are up to 2 MB of the program.
    static func main() {
        // Before another thread begins, which might open a file in the place of a closed stream.
        #if Images
            ImageHelperProcess.serveIfRequested()
        #endif
        StandardStream.replaceClosed()
        // `main` is isolated to the main actor, which this thread does not serve.
        Task { @concurrent in await runToEnd() }
        // As Dispatch has its first thread do: all other threads of it block signals, and so does
        // this one since it has started them. The set lives as long as the calls.
        var none = sigset_t()
        unsafe sigemptyset(&none)
        while true { unsafe sigsuspend(&none) }
    }

    /// Runs the command as ArgumentParser does, with the exit statuses of ``ExitStatus``.
    private static func runToEnd() async {
        do {
            try ArgumentEncoding.check()
            var command = try parse(Array(CommandLine.arguments.dropFirst()))
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
            ExitStatus.success.exit()
        } catch {
            finish(with: error)
        }
    }

    /// The names of all commands.
    static let commandNames = commands.map { $0.name } + ["help"]

    /// Lets the named subcommand parse its arguments: parsing them in this command costs a tenth of
    /// a short run, and ArgumentParser a third, which usual arguments do not need. Where that
    /// fails, this command parses them again, since its messages name both commands.
    ///
    /// Arguments that begin with no command are those of a request.
    private static func parse(_ arguments: [String]) throws -> any ParsableCommand {
        guard let first = arguments.first else { return try parseAsRoot(arguments) }
        if arguments.contains(where: { $0.hasPrefix("--generate-completion-script") }) {
            throw CommandFailure.usage(completionAdvice)
        }
        var rest = Array(arguments.dropFirst())
        let lowercased = first.lowercased()
        let verb = requestCommands.first { $0.name == lowercased }
        if verb != nil {
            rest = try SettingsFile.completing(rest) { (options: RequestOptions) in (options.url, options.defaultScheme)
            }
        } else if first == WebSocketCommand.name {
            rest = try SettingsFile.completing(rest) { (command: WebSocketCommand) in (command.url, "ws") }
        } else if first == UploadCommand.name {
            rest = try SettingsFile.completing(rest) { (command: UploadCommand) in (command.url, "http") }
        }
        if let command = verb?.init(plain: rest) { return command }
        let named = verb ?? commands.first { $0.name == first }
        if let named {
            try checkSubcommand(rest.first, of: named)
            if arguments.dropFirst().elementsEqual(["-h"]) {
                throw CleanExit.message(HelpText(helpMessage(for: named)).short(of: "\(Self.name) \(named.name)"))
            }
            if let command = try? named.parseAsRoot(rest) { return command }
            return try parseAsRoot([named.name] + rest)
        }
        if first == "help", let name = rest.first, !commandNames.contains(name) {
            let nearest = NearestWord.of(name, among: commandNames)
            let advice = nearest.map { "; did you mean “\($0)”?" } ?? ". “bluebonnet --help” lists the commands."
            throw CommandFailure.usage("There is no command “\(name)”\(advice)")
        }
        if ownOptions.contains(where: first.hasPrefix) || first == "help" { return try parseAsRoot(arguments) }
        let completed = try SettingsFile.completing(arguments) { (options: RequestOptions) throws(CommandFailure) in
            (try RequestWords(options.words, besides: commandNames).url, options.defaultScheme)
        }
        return try SendCommand(plain: completed) ?? SendCommand.parseAsRoot(completed)
    }

    /// Checks the name of a command below another one.
    private static func checkSubcommand(
        _ name: String?,
        of command: any ParsableCommand.Type
    ) throws(CommandFailure) {
        let names = command.configuration.subcommands.compactMap { $0.configuration.commandName }
        guard !names.isEmpty, let name, !name.hasPrefix("-"), !names.contains(name), name != "help" else { return }
        let path = "bluebonnet \(command.configuration.commandName ?? "")"
        let nearest = NearestWord.of(name, among: names)
        let advice = nearest.map { "; did you mean “\($0)”?" } ?? ". “\(path) --help” lists those that there are."
        throw .usage("“\(path)” has no command “\(ShownText.harmless(name))”\(advice)")
    }

    /// The options of this command.
    private static let ownOptions = ["--version", "--help", "-h", "--experimental-dump-help"]

    /// The advice in place of the scripts of ArgumentParser, which know no request without a
    /// command, no files in items and no values of options.
    private static let completionAdvice =
        "The completions for bash, zsh and fish are files: “make install” and the Debian package install them."

    /// Prints the error or the help and ends the process.
    private static func finish(with error: any Error) -> Never {
        switch error {
        case let status as ExitStatus:
            status.exit()
        case let failure as CommandFailure:
            ErrorReport.write(failure)
            failure.status.exit()
        default:
            let message = fullMessage(for: error)
            // ArgumentParser collects all options for each question; one answer tells all.
            if message.hasPrefix(errorLabel) { finish(with: usageFailure(message.dropFirst(errorLabel.count))) }
            StandardStream.output.write(line: HelpText(message).full)
            ExitStatus.success.exit()
        }
    }

    /// The beginning of ArgumentParser's full message of an error, which that of help has not.
    private static let errorLabel = "Error: "

    /// The failure for an error of ArgumentParser.
    ///
    /// - Parameter message: The full message, without its label.
    /// - Returns: The failure.
    private static func usageFailure(_ message: Substring) -> CommandFailure {
        let lines = message.split(separator: "\n")
        let sentence = lines.prefix { !$0.hasPrefix("Help: ") && !$0.hasPrefix("Usage: ") }.joined(separator: "\n")
        // The full message names the command by the way to its help.
        let words = lines.last?.split(separator: "'").first { $0.hasSuffix(" --help") }?.split(separator: " ") ?? []
        var command: any ParsableCommand.Type = Self.self
        for word in words {
            let subcommands = command.configuration.subcommands
            command = subcommands.first { $0.configuration.commandName == String(word) } ?? command
        }
        // A request without a command has the options of one with it.
        if command == Self.self { command = GetCommand.self }
        let path = command == GetCommand.self ? "bluebonnet get" : words.dropLast().joined(separator: " ")
        let isRequest = path == "bluebonnet get"
        let text = UsageMessage(
            sentence,
            command: path,
            options: { UsageMessage.options(in: helpMessage(for: command)) },
            requestOptions: { isRequest ? [] : UsageMessage.options(in: helpMessage(for: GetCommand.self)) },
            arguments: Array(CommandLine.arguments.dropFirst())
        ).text
        return .usage(text)
    }
}
