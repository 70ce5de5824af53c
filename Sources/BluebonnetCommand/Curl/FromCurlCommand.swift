import ArgumentParser

/// `bluebonnet from-curl`.
struct FromCurlCommand: NamedCommand {
    static let name = "from-curl"

    static let configuration = CommandConfiguration(
        commandName: name,
        _superCommandName: MainCommand.name,
        abstract: "Sends the request of a line for curl, as browsers copy it.",
        usage: "bluebonnet from-curl [<options>] <line>",
        discussion: """
            The line is one argument in quotes, the words behind from-curl, or with - standard \
            input. It is split as bash splits it, and nothing in it is run. An option of curl \
            that is not supported is an error that names it. The options of this command \
            stand in front of the line.

            Examples:
              bluebonnet from-curl 'curl -H "Accept: text/html" https://example.org/'
              bluebonnet from-curl curl -d name=Ada localhost:8080/users
              xclip -o | bluebonnet from-curl --offline -
            \(RequestRunner.exitStatusHelp)
            """
    )

    @Flag(name: .long, help: "Print the request that would be sent, and send nothing.")
    var offline = false

    @Flag(name: .long, help: "Print the request for curl, and send nothing.")
    var curl = false

    @Flag(name: .shortAndLong, help: "Show both heads and the timings on standard error, as with curl's -v.")
    var verbose = false

    @Option(
        name: .long,
        help: ArgumentHelp("Format and colour JSON; auto does both on a terminal.", valueName: "style")
    )
    var pretty = PrettyPrinting.auto

    @Option(
        name: .long,
        help: ArgumentHelp("Show only a part of a JSON response, as with requests.", valueName: "path")
    )
    var filter: String?

    @OptionGroup
    var errors: ErrorOptions

    @Argument(parsing: .captureForPassthrough, help: ArgumentHelp("The line.", valueName: "line"))
    var line: [String] = []

    func run() async throws {
        // Behind the first word, everything is for curl.
        if ["--help", "-h"].contains(line.first) { throw CleanExit.helpRequest(self) }
        let read: @Sendable (String) throws(CommandFailure) -> [UInt8] = { path throws(CommandFailure) in
            try RequestPlan.readFile(path, until: nil)
        }
        let translation = try CurlTranslation(try CurlLine(try words), read: read)
        var options = translation.options
        (options.offline, options.curl) = (offline, curl)
        (options.pretty, options.filter) = (pretty, filter)
        options.verbose = options.verbose || verbose
        if filter != nil, options.output ?? "-" != "-" {
            throw CommandFailure.usage("The line has -o or -O, which saves the body, and cannot be used with --filter.")
        }
        if !offline, !curl, let path = options.output { try translation.output.makeFolder(of: path) }
        var runner = RequestRunner(method: translation.method, options: options)
        (runner.items, runner.body) = (translation.items, translation.body)
        runner.curl = translation.output
        try await runner.runAlone()
    }

    private static let ownOptions = "--offline, --curl, --verbose (-v), --pretty, --filter and --json-errors"

    private var words: [[UInt8]] {
        get throws(CommandFailure) {
            guard let only = line.first else { throw .usage("There is no line: bluebonnet from-curl 'curl …'.") }
            if only.utf8.count > 1, only.utf8.first == UInt8(ascii: "-") {
                throw .usage("“\(only)” is not an option of from-curl, which has \(Self.ownOptions).")
            }
            guard line.count == 1 else {
                if only.utf8.starts(with: "curl ".utf8) {
                    throw .usage("“\(line[1])” stands behind the line; in front of it stand \(Self.ownOptions).")
                }
                return line.map { Array($0.utf8) }
            }
            guard only == "-" else { return try ShellWords(only).words }
            let bytes = try RequestPlan.readFile("-", until: nil)
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw .usage("The line on standard input is not a text in UTF-8.")
            }
            return try ShellWords(text).words
        }
    }
}
