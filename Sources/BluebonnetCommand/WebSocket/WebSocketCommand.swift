import ArgumentParser
import Bluebonnet
import FoundationEssentials
import HTTPTypes
import NIOCore

/// `bluebonnet ws`.
struct WebSocketCommand: NamedCommand {
    static let name = "ws"

    static let configuration = CommandConfiguration(
        commandName: name,
        _superCommandName: MainCommand.name,
        abstract: "Opens a WebSocket: lines are sent, and messages are printed.",
        discussion: """
            Each line of standard input is a message, and each message that comes is a line of \
            standard output. Behind the end of standard input, the WebSocket is closed when no \
            message has come for a second; on a terminal, ^D closes it at once.

            Examples:
              bluebonnet ws wss://example.org/feed --stay
              bluebonnet ws :8080/ws token==secret Origin:https://example.org
              echo hello | bluebonnet ws ws://localhost:8080/ws

            Exit status:
            \(ExitStatus.help)
            A WebSocket that the server has closed with 1000, 1001 or no code counts as a response with 2xx, and so \
            does one that the command has closed, when the server has taken everything. Another code counts as no \
            complete response.
            """
    )

    @Argument(
        help: ArgumentHelp(
            "The URL.",
            discussion: "ws:// may be left out; :8080/path is localhost:8080/path.",
            valueName: "url"
        )
    )
    var url: String

    @Argument(
        help: ArgumentHelp("Headers (Name:value) and query parameters (name==value).", valueName: "item")
    )
    var items: [String] = []

    @Option(
        name: .long,
        help: ArgumentHelp("A subprotocol, the preferred one first. (repeatable)", valueName: "name")
    )
    var subprotocol: [String] = []

    @Flag(name: .long, help: "Send lines as binary messages; they need not be UTF-8.")
    var binary = false

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Send a ping every so many seconds, and show the round trip on standard error.",
            valueName: "seconds"
        )
    )
    var ping: Double?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The time without a message after which the end of standard input closes. (default: 1; on a terminal 0)",
            valueName: "seconds"
        )
    )
    var wait: Double?

    @Flag(name: .long, help: "Stay connected at the end of standard input, until the server closes.")
    var stay = false

    @Flag(name: .long, help: "Open the WebSocket again when its connection was lost.")
    var reconnect = false

    @Flag(name: .long, help: "Do not offer compression (permessage-deflate).")
    var noCompression = false

    @Flag(
        name: .shortAndLong,
        help: "Show the heads and the timings of the opening on standard error, without passwords, tokens and cookies."
    )
    var verbose = false

    @Flag(name: .shortAndLong, help: "Show nothing but messages and errors.")
    var quiet = false

    @OptionGroup
    var observation: ObservationOptions

    @OptionGroup
    var sessions: SessionOptions

    @OptionGroup(title: "Authentication options")
    var authentication: AuthenticationOptions

    @OptionGroup
    var errors: ErrorOptions

    @OptionGroup(title: "Connection options")
    var connection: ConnectionOptions

    func validate() throws {
        if let wait, Seconds(wait) == nil {
            throw ValidationError("--wait must be a number of seconds from 0 to \(Seconds.mostText).")
        }
        guard let ping else { return }
        guard let seconds = Seconds(ping), seconds.duration > .zero else {
            throw ValidationError("--ping must be a number of seconds above 0 and up to \(Seconds.mostText).")
        }
    }

    func run() async throws {
        try await run(try job())
    }

    /// A WebSocket that is going to be opened.
    private struct Job: Sendable {
        let session: SessionManager
        let runner: WebSocketRunner
        let cookieJar: CookieJar?
        let observation: Observation?
    }

    private func job() throws -> Job {
        let arguments = RequestPlan.Arguments(
            method: .get,
            url: url,
            items: items,
            defaultScheme: "ws",
            credentials: try authentication.credentials(),
            usesDigest: authentication.usesDigest
        )
        let plan = try SessionRequest(arguments, sessions)
        guard plan.request.body == nil else { throw CommandFailure.usage("A WebSocket is opened without a body.") }
        NIOSingletons.groupLoopCountSuggestion = 1
        var configuration = SessionConfiguration()
        try connection.apply(to: &configuration)
        try authentication.apply(to: &configuration)
        configuration.cookieJar = try sessions.jar()
        try configuration.limit([plan], by: sessions)
        var options = WebSocketOptions()
        options.protocols = subprotocol
        if noCompression { options.compression = nil }
        if reconnect { options.reconnection = WebSocketReconnection() }
        let observation = try observation.observation()
        let notices = notices(of: plan.request, offersCodings: configuration.decodesContent)
        if let display = notices.verbose?.display { configuration.observers.append(display) }
        configuration.observers.append(notices)
        if let observation { configuration.observers.append(observation) }
        let session = SessionManager(configuration: configuration)
        let runner = WebSocketRunner(
            socket: session.webSocket(for: plan.request, options: options),
            isBinary: binary,
            pingInterval: ping.flatMap { Seconds($0)?.duration },
            patience: stay
                ? nil : wait.flatMap { Seconds($0)?.duration } ?? (StandardInput.isTerminal ? .zero : .seconds(1)),
            notices: notices,
            whenOpen: { plan.keepHeaders() }
        )
        return Job(
            session: session,
            runner: runner,
            cookieJar: configuration.cookieJar,
            observation: observation
        )
    }

    private func run(_ job: Job) async throws {
        // After a signal, the server is told before the process ends.
        try await Observation.finishing(job.observation) {
            try await CookieJar.saving([job.cookieJar]) {
                try await TerminationSignals.cancelling {
                    do {
                        try await job.runner.run()
                    } catch let error as NetworkingError {
                        await job.session.shutdown()
                        throw CommandFailure(error)
                    }
                    await job.session.shutdown()
                }
            }
        }
    }

    /// What is told on standard error.
    private func notices(of request: Request, offersCodings: Bool) -> WebSocketNotices {
        guard verbose else { return WebSocketNotices(typed: TypedLines(), isQuiet: quiet, verbose: nil) }
        let heads = HeadWriter(stream: .error, style: OutputStyle(.auto, for: .error), hidesSecrets: true)
        let isHTTP1 = connection.version != .priorKnowledge && request.url.scheme == "ws"
        let display = ExchangeDisplay(
            heads,
            parts: .heads,
            showsAttempts: false,
            version: isHTTP1 ? .http1_1 : nil,
            offersCodings: offersCodings
        )
        return WebSocketNotices(typed: TypedLines(), isQuiet: quiet, verbose: (heads, display))
    }
}
