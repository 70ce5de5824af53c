import ArgumentParser
import Bluebonnet

#if Images
    import BluebonnetImages
#endif

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
        discussion: """
            Examples:
              bluebonnet get example.org/users page==2 Accept:application/json
              bluebonnet post :8080/post name=Ada age:=36 tags:='["a","b"]'
              bluebonnet post :8080/post --form name=Ada
              bluebonnet put :8080/put @photo.png
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
        subcommands: requestCommands + [
            DownloadCommand.self, UploadCommand.self, BatchCommand.self, WebSocketCommand.self, TrustCommand.self,
            CookiesCommand.self,
            CacheCommand.self, ImageCommand.self, ReachabilityCommand.self, ServeCommand.self, DemoCommand.self,
        ]
    )

    private static let requestCommands: [any RequestCommand.Type] = [
        GetCommand.self, HeadCommand.self, PostCommand.self, PutCommand.self, PatchCommand.self, DeleteCommand.self,
        OptionsCommand.self,
    ]

    /// Runs the command as ArgumentParser does, with the exit statuses of ``ExitStatus``. It does
    /// not run on the main actor, whose thread waits until the process ends: coming back to it
    /// would need another thread.
    @concurrent static func main() async {
        #if Images
            ImageHelperProcess.serveIfRequested()
        #endif
        StandardStream.replaceClosed()
        do {
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

    /// Lets the named subcommand parse its arguments: parsing them in this command costs a tenth of
    /// a short run, and ArgumentParser a third, which arguments without options do not need. Where
    /// that fails, this command parses them again, since its messages name both commands.
    private static func parse(_ arguments: [String]) throws -> any ParsableCommand {
        let verb = requestCommands.first { $0.name == arguments.first }
        if let command = verb?.init(plain: arguments.dropFirst()) { return command }
        let named = configuration.subcommands.first { $0.configuration.commandName == arguments.first }
        if let command = try? named?.parseAsRoot(Array(arguments.dropFirst())) { return command }
        return try parseAsRoot(arguments)
    }

    /// Prints the error or the help and ends the process.
    private static func finish(with error: any Error) -> Never {
        switch error {
        case let status as ExitStatus:
            status.exit()
        case let failure as CommandFailure:
            StandardStream.error.write(line: "bluebonnet: \(failure.message)")
            failure.status.exit()
        default:
            let isRequestForHelp = exitCode(for: error).isSuccess
            let stream = isRequestForHelp ? StandardStream.output : StandardStream.error
            stream.write(line: fullMessage(for: error))
            (isRequestForHelp ? ExitStatus.success : ExitStatus.usage).exit()
        }
    }
}
