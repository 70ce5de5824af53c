import ArgumentParser

/// `bluebonnet [METHOD] URL [item ...]`: a request of any method, which need not be named.
struct SendCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: MainCommand.name,
        abstract: "Sends a request and shows the response.",
        usage: usage,
        discussion: """
            The method is GET without a body and POST with one, unless it is named in front of the URL.

            Examples:
              bluebonnet example.org
              bluebonnet :8080/users name=Ada age:=36
              bluebonnet PROPFIND :8080/files Depth:1
            \(RequestRunner.exitStatusHelp)
            """
    )

    /// The arguments, for the help of this command and of the whole.
    static let usage = "bluebonnet [<method>] <url> [<item> ...] [<options>]"

    @OptionGroup var options: RequestOptions

    func run() async throws {
        let words = try RequestWords([options.url] + options.items, besides: MainCommand.commandNames)
        if words.method == nil, words.items.isEmpty, CommandLine.arguments.contains("-I"), StandardInput.isTerminal {
            StandardStream.error.write(
                line: "bluebonnet: -I is --ignore-stdin, as in HTTPie; for curl's -I write head in front of the URL."
            )
        }
        var options = options
        (options.url, options.items) = (words.url, words.items)
        try await RequestRunner(method: words.method, options: options).runAlone()
    }
}

extension SendCommand {
    /// Reads usual arguments without ArgumentParser; nil for others.
    init?(plain arguments: some Collection<String>) {
        guard let options = RequestOptions(plain: arguments) else { return nil }
        self.init()
        self.options = options
    }
}
