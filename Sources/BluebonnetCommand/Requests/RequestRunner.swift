import Bluebonnet
import FoundationEssentials
import HTTPTypes

/// Sends one request and shows what comes back.
struct RequestRunner {
    let method: HTTPRequest.Method
    let options: RequestOptions

    /// The end of every request command's help.
    static var exitStatusHelp: String { "\nExit status:\n\(ExitStatus.help)" }

    /// Sends the request.
    ///
    /// - Throws: ``ExitStatus`` for a response of 4xx or 5xx, ``CommandFailure`` for all other
    ///   failures.
    func run() async throws {
        let arguments = try arguments
        // What writes the body takes no longer than the server may. The password has been typed
        // already.
        let deadline = options.connection.timeouts.request.map { ContinuousClock.now + $0 }
        let plan = try RequestPlan(arguments) { path throws(CommandFailure) in
            try RequestPlan.readFile(path, until: deadline)
        }
        if options.offline { return try await showRequest(of: plan) }
        let filter = try options.filter.map { text throws(CommandFailure) in try JSONFilter(text) }
        let session = SessionManager(configuration: configuration(of: plan))
        do {
            guard showsProgress(of: plan) || makesFile else {
                return try await exchange(plan, over: session, filter: filter)
            }
            // Something has to be put in order before the process ends: half a file, the line of
            // the bar.
            try await TerminationSignals.cancelling {
                guard showsProgress(of: plan) else { return try await exchange(plan, over: session, filter: filter) }
                try await ProgressDisplay.show(of: session) {
                    try await exchange(plan, over: session, filter: filter)
                }
            }
        } catch let failure as NetworkingError {
            if options.verbose, failure.response == nil { heads.write(failure.request ?? plan.request) }
            throw CommandFailure(failure)
        }
    }

    private func exchange(_ plan: RequestPlan, over session: SessionManager, filter: JSONFilter?) async throws {
        let startedAt = ContinuousClock.now
        let answer = try await session.stream(plan.request)
        if options.verbose { heads.write(answer) }
        try await show(answer, filter: filter)
        if options.verbose {
            var timings = answer.timings
            timings.total = startedAt.duration(to: .now)
            heads.write(timings)
        }
        guard options.checkStatus else { return }
        let status = ExitStatus(statusCode: answer.head.status.code)
        if status != .success { throw status }
    }

    /// Where `-v` writes to.
    private var heads: HeadWriter {
        HeadWriter(stream: .error, style: OutputStyle(options.pretty, for: .error), hidesSecrets: true)
    }

    /// Where a body comes from a file or goes into one, and a person looks on.
    private func showsProgress(of plan: RequestPlan) -> Bool {
        let isLarge = plan.request.body.map { $0.data == nil } ?? false
        return (isLarge || savedPath != nil) && OutputStyle(.auto, for: .error).redraws
    }

    /// The file that the body goes into; nil when that is standard output.
    private var savedPath: String? { options.output.flatMap { $0 == "-" ? nil : $0 } }

    /// Whether there is a file for the time being that has to go when the request fails.
    private var makesFile: Bool {
        savedPath.map { [.missing, .regular].contains(FileKind(path: $0)) } ?? false
    }

    private var arguments: RequestPlan.Arguments {
        get throws(CommandFailure) {
            RequestPlan.Arguments(
                method: method,
                url: options.url,
                items: options.items,
                isForm: options.form,
                isMultipart: options.multipart,
                compresses: options.compress,
                defaultScheme: options.defaultScheme,
                unixSocket: options.unixSocket,
                credentials: try options.authentication.credentials(),
                takesStandardInput: !options.ignoreStdin && StandardInput.isPiped
            )
        }
    }

    private func configuration(of plan: RequestPlan) -> SessionConfiguration {
        var configuration = SessionConfiguration()
        options.connection.apply(to: &configuration)
        configuration.redirectPolicy = options.follow ? .follow : .manual
        configuration.sendsBodiesOnInsecureRedirects = options.bodyOnInsecureRedirects
        configuration.limits.redirects = options.maxRedirects
        configuration.decodesContent = plan.decodesContent && !options.raw
        return configuration
    }

    /// Shows what would be sent, after all interceptors.
    private func showRequest(of plan: RequestPlan) async throws {
        let transport = OfflineTransport(style: style, output: .output)
        let session = SessionManager(configuration: configuration(of: plan), transport: transport)
        do {
            _ = try await session.stream(plan.request)
        } catch let failure as NetworkingError {
            throw CommandFailure(failure)
        }
    }

    private var style: OutputStyle { OutputStyle(options.raw ? .none : options.pretty, for: .output) }

    private func show(_ answer: TransportResponse, filter: JSONFilter?) async throws {
        // The answer to a HEAD is its head.
        if options.include || method == .head {
            HeadWriter(stream: .output, style: style).write(answer.head)
        }
        let isFailure = answer.head.status.code >= 400
        if let savedPath {
            guard isFailure else { return try await save(answer, as: savedPath) }
            StandardStream.error.write(line: "bluebonnet: \(answer.head.status): nothing was written to \(savedPath).")
        }
        // What follows is the output's, not the bar's.
        Terminal.shared.endStatus()
        let printer = BodyPrinter(
            style: style,
            output: .output,
            // An answer of 4xx or 5xx is another document than the one that the filter was made
            // for.
            filter: isFailure ? nil : filter,
            unquotesStrings: options.raw,
            showsLinesAtOnce: options.stream
        )
        let type = answer.head.mediaType ?? "no type given"
        switch try await printer.print(answer.body, mediaType: answer.head.mediaType) {
        case .shown: break
        case .empty:
            // Without a word a failure would look like a success.
            guard isFailure, savedPath == nil, method != .head, !options.include, !options.verbose else { break }
            StandardStream.error.write(line: "bluebonnet: \(answer.head.status)\(advice(for: answer))")
        case .withheld:
            StandardStream.error.write(
                line: "bluebonnet: The body is binary (\(type)) and is not shown on a terminal; save it with -o FILE."
            )
        case .notJSON:
            throw CommandFailure(message: "The answer is no JSON (\(type)); --filter needs JSON.", status: .transport)
        case .nothingPicked:
            throw CommandFailure(message: "Nothing in the answer is at “\(options.filter ?? "")”.", status: .transport)
        }
    }

    /// Streams the body into a file, and says so to a person.
    private func save(_ answer: TransportResponse, as path: String) async throws {
        let startedAt = ContinuousClock.now
        let count = try await answer.body.write(toPath: path)
        Terminal.shared.endStatus()
        guard OutputStyle(.auto, for: .error).redraws else { return }
        let duration = startedAt.duration(to: .now)
        StandardStream.error.write(line: ProgressBar.summary(of: path, bytes: count, duration: duration))
    }

    /// What to do about a failure that the server does not explain.
    private func advice(for answer: TransportResponse) -> String {
        guard answer.head.status == .unauthorized else { return "" }
        guard answer.request.headerFields.contains(.authorization) else {
            return ": the server wants credentials; say --auth USER:PASSWORD or --bearer TOKEN."
        }
        return ": the server does not accept these credentials."
    }
}
