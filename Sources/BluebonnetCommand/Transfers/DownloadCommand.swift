import ArgumentParser
import Bluebonnet
import NIOCore

/// `bluebonnet download`.
struct DownloadCommand: NamedCommand {
    static let name = "download"

    static let configuration = CommandConfiguration(
        commandName: name,
        _superCommandName: MainCommand.name,
        abstract: "Downloads files, several at once, and continues those that were interrupted.",
        discussion: """
            A file has the name that the server suggests, and is never a half one: until it is \
            complete, its bytes are in NAME.bluebonnet beside it. A file that exists is not \
            replaced. After Ctrl-C, SIGTERM, a lost connection or the end of the process, the \
            same command with --continue goes on.

            Examples:
              bluebonnet download example.org/big.iso
              bluebonnet download example.org/big.iso -o disk.iso --continue
              bluebonnet download example.org/a.zip example.org/b.zip -d downloads
              bluebonnet download -i list.txt -j 8 --continue
              bluebonnet download example.org/big.iso --checksum sha256:9f86d0…
              bluebonnet download example.org/big.iso --segments 4
              bluebonnet download example.org/data.tar -o - | tar x

            Exit status:
               0  every file is there
               1  no complete response, a file that cannot be written, another digest
               2  bad usage: options, a list, or a URL that cannot be a request
               4  a response with status 4xx
               5  a response with status 5xx
               6  too many redirects
              28  a timeout
              60  the certificate is not trusted, or TLS failed
            Where several downloads fail for different reasons, it is 1.
            """
    )

    @Argument(
        help: ArgumentHelp(
            "The URLs.",
            discussion: "http:// may be left out; :8080/path is localhost:8080/path.",
            valueName: "url"
        )
    )
    var urls: [String] = []

    @OptionGroup(title: "Download options")
    var options: DownloadOptions

    @OptionGroup(title: "Transfer options")
    var transfer: TransferOptions

    @OptionGroup(title: "Authentication options")
    var authentication: AuthenticationOptions

    @OptionGroup(title: "Connection options")
    var connection: ConnectionOptions

    func run() async throws {
        let entries = try options.entries(urls)
        try options.checkPlaces()
        // One request needs one event loop, as in `get`.
        if entries.count == 1 { NIOSingletons.groupLoopCountSuggestion = 1 }
        OpenFileLimit.raise()
        let observation = try transfer.observation.observation()
        let plan = try DownloadPlan(entries, self, observation)
        let runner = DownloadRunner(
            items: plan.items,
            sessions: plan.sessions,
            options: options,
            isQuiet: transfer.quiet
        )
        // After a signal, what was received is kept before the process ends.
        let status = try await CookieJar.saving(plan.jars, and: plan.caches) {
            try await TerminationSignals.cancelling { try await runner.run(jobs: transfer.jobs) }
        }
        try observation?.finish()
        if status != .success { throw status }
    }
}
