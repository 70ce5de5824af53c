import ArgumentParser

/// `bluebonnet from-curl`.
struct FromCurlCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "from-curl",
        _superCommandName: MainCommand.name,
        abstract: "Sends the request of a line for curl, as browsers copy it.",
        usage: "bluebonnet from-curl [--offline] [--curl] <line>",
        discussion: """
            The line is one argument in quotes, the words behind from-curl, or with - standard \
            input. It is split as bash splits it, and nothing in it is run. An option of curl \
            that is not supported is an error that names it.

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
        if !offline, !curl, let path = options.output { try translation.output.makeFolder(of: path) }
        var runner = RequestRunner(method: translation.method, options: options)
        (runner.items, runner.body) = (translation.items, translation.body)
        runner.curl = translation.output
        try await runner.runAlone()
    }

    private var words: [[UInt8]] {
        get throws(CommandFailure) {
            guard let only = line.first else { throw .usage("There is no line: bluebonnet from-curl 'curl …'.") }
            guard line.count == 1 else {
                if only.utf8.starts(with: "curl ".utf8) {
                    throw .usage("“\(line[1])” stands behind the line; --offline and --curl stand in front of it.")
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
