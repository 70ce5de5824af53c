import Bluebonnet
import FoundationEssentials
import HTTPTypes

/// Sends one request and shows its response.
struct RequestRunner {
    /// The method; nil is GET without a body and POST with one.
    let method: HTTPRequest.Method?
    let options: RequestOptions
    /// Items beside those of the options.
    var items: [RequestItem] = []
    /// A body in place of that of the options.
    var body: [UInt8]?
    /// What a line for curl says of the response; nil for a request of this command.
    var curl: CurlOutput?

    /// The text at the end of the help of every request command.
    static var exitStatusHelp: String { "\nExit status:\n\(ExitStatus.help)" }

    /// Sends the request.
    ///
    /// - Throws: ``ExitStatus`` for a response of 4xx or 5xx and for a redirect that is shown,
    ///   ``CommandFailure`` for all other failures.
    func run() async throws {
        // One that sends nothing keeps nothing.
        let named = try options.sessions.named(sendingNothing: options.offline || options.curl)
        let (plan, keptHeaders) = try makePlan(named)
        if options.offline || options.curl { return try await showRequest(of: plan, named) }
        try await send(try job(plan, named, keptHeaders))
    }

    /// The request, and the names of the headers that the named session has added.
    private func makePlan(_ named: NamedSession?) throws -> (RequestPlan, keptHeaders: [String]) {
        var arguments = try arguments
        let kept = try named.map { named throws(CommandFailure) in try named.items(for: arguments) } ?? []
        arguments.parsedItems += kept
        // The timeout of the request also limits the program that writes the body to standard
        // input. It begins when the password has been typed.
        let deadline = options.connection.timeouts.request.map { ContinuousClock.now + $0 }
        let plan = try RequestPlan(arguments) { path throws(CommandFailure) in
            try RequestPlan.readFile(path, until: deadline)
        }
        if plan.request.body == nil, let hint = OptionHint.text(forProxyInItemsOf: options) {
            throw CommandFailure.usage(hint)
        }
        if method == nil, plan.request.body == nil, !options.ignoreStdin {
            StandardInput.tellIfUnsent()
        } else if !options.ignoreStdin, !options.chunked {
            // What is the body has been read, unless it is sent while it is read.
            StandardInput.tellIfLeftOver()
        }
        return (plan, kept.compactMap(\.headerName))
    }

    /// A request that is going to be sent.
    private struct Job: Sendable {
        let plan: RequestPlan
        let named: NamedSession?
        let configuration: SessionConfiguration
        let filter: JSONFilter?
        let observation: Observation?
        let display: ExchangeDisplay?
    }

    private func job(_ plan: RequestPlan, _ named: NamedSession?, _ keptHeaders: [String]) throws -> Job {
        let headers = ServerHeaders(keptHeaders + options.sessions.hostHeader, of: plan.request.url)
        // A request that has an effect is not sent where its response cannot be saved.
        if let savedPath, !options.saving.isOn { try OutputFile.checkFolder(of: savedPath) }
        let filter = try options.filter.map { text throws(CommandFailure) in try JSONFilter(text) }
        let observation = try options.observation.observation(ofOneRequest: true)
        var configuration = try configuration(of: plan, named)
        if let headers { configuration.hooks.taskWillPerformRedirection = { _, _, next in headers.request(next) } }
        if let observation { configuration.observers = [observation] }
        func display(_ heads: HeadWriter, _ parts: PrintedParts, showsAttempts: Bool) -> ExchangeDisplay {
            ExchangeDisplay(
                heads,
                parts: parts,
                showsAttempts: showsAttempts,
                version: version,
                offersCodings: configuration.decodesContent
            )
        }
        let verbose = options.verbose ? display(heads, .heads, showsAttempts: true) : nil
        if let verbose { configuration.observers += [RetryDisplay(heads: heads), verbose] as [any TaskObserver] }
        if options.shown.all { configuration.observers.append(display(output, parts, showsAttempts: false)) }
        return Job(
            plan: plan,
            named: named,
            configuration: configuration,
            filter: filter,
            observation: observation,
            display: verbose
        )
    }

    private func send(_ job: Job) async throws {
        let session = SessionManager(configuration: job.configuration)
        try await Observation.finishing(job.observation) {
            try await CookieJar.saving([job.configuration.cookieJar], and: [job.configuration.cache]) {
                try await send(job.plan, over: session, job.named, filter: job.filter, job.observation, job.display)
            }
        }
    }

    private func send(
        _ plan: RequestPlan,
        over session: SessionManager,
        _ named: NamedSession?,
        filter: JSONFilter?,
        _ observation: Observation?,
        _ display: ExchangeDisplay?
    ) async throws {
        if options.saving.isOn {
            defer { display?.finish() }
            try await download(plan, over: session)
            try named?.keep(plan.ownHeaderFields, for: plan.request.url)
            return
        }
        do {
            guard showsProgress(of: plan) || makesFile else {
                return try await exchange(plan, over: session, named, filter: filter, observation, display)
            }
            // Before the process ends, a half-written file and the progress bar must be removed.
            try await TerminationSignals.cancelling {
                guard showsProgress(of: plan) else {
                    return try await exchange(plan, over: session, named, filter: filter, observation, display)
                }
                try await ProgressDisplay.show(of: session) {
                    try await exchange(plan, over: session, named, filter: filter, observation, display)
                }
            }
        } catch let failure as NetworkingError {
            report(plan.request, failure.metrics, status: nil)
            if options.verbose, failure.response == nil { heads.write(attemptsOf: failure.metrics?.transactions.last) }
            throw CommandFailure(failure, ofRequest: true)
        }
    }

    private func exchange(
        _ plan: RequestPlan,
        over session: SessionManager,
        _ named: NamedSession?,
        filter: JSONFilter?,
        _ observation: Observation?,
        _ display: ExchangeDisplay?
    ) async throws {
        let startedAt = ContinuousClock.now
        let response: TransportResponse
        do {
            response = try await session.open(plan.request)
        } catch {
            showLastHead(of: error)
            throw error
        }
        try named?.keep(plan.ownHeaderFields, for: plan.request.url)
        if let display {
            if !display.hasRequest { heads.write(response.request, version: response.head.httpVersion) }
            heads.write(attemptsOf: response.metrics?.transactions.last)
            heads.write(response)
        }
        // A body that is saved is not recorded, too.
        let isSaved = savedPath != nil && response.head.status.code < 400
        try await show(isSaved ? response : observation?.watching(response) ?? response, filter: filter)
        observation?.note(plan.request, response.metrics)
        if display != nil { heads.write(timingsOf: response, in: startedAt.duration(to: .now)) }
        if parts.contains(.meta), let metrics = response.metrics { output.write(meta: metrics) }
        report(plan.request, response.metrics, status: response.head.status.code)
        guard options.checkStatus else { return }
        let status = ExitStatus(
            statusCode: response.head.status.code,
            followsRedirects: options.follow || curl != nil
        )
        if status != .success { throw status }
    }

    /// Shows the response that ends redirects, or an authentication, in an error: the others were
    /// shown when the next request was sent.
    private func showLastHead(of error: NetworkingError) {
        guard let head = error.response else { return }
        if options.verbose {
            heads.write(attemptsOf: error.metrics?.transactions.last)
            heads.write(head)
        }
        if options.shown.all, parts.contains(.responseHead) { output.write(head) }
    }

    /// The writer of `-v`.
    private var heads: HeadWriter {
        let style = OutputStyle(options.pretty, for: .error, theme: options.shown.style)
        return HeadWriter(stream: .error, style: style, hidesSecrets: true)
    }

    /// The writer of heads to standard output.
    private var output: HeadWriter { HeadWriter(stream: .output, style: style) }

    /// The parts that are shown on standard output. A response to HEAD is only a head, and what one
    /// to OPTIONS says is in its head (RFC 9110 §9.3.7).
    private var parts: PrintedParts {
        var usual = PrintedParts.responseBody
        if options.include || method == .head || method == .options { usual.insert(.responseHead) }
        return options.shown.parts(usual: usual)
    }

    /// The version of HTTP, where the options or the scheme decide it.
    private var version: HTTPVersion? {
        switch options.connection.version {
        case .http1: return .http1_1
        case .priorKnowledge: return .http2
        case .http2, nil:
            let url = URLShorthand.expand(options.url, scheme: options.defaultScheme)
            let isSecure = url.lowercased().hasPrefix("https")
            return isSecure ? options.connection.version.map { _ in .http2 } : .http1_1
        }
    }

    /// Whether a body is read from a file or written to one, and standard error is a terminal.
    private func showsProgress(of plan: RequestPlan) -> Bool {
        let isLarge = plan.request.body.map { $0.data == nil } ?? false
        guard !options.shown.quiet else { return false }
        return (isLarge || savedPath != nil) && OutputStyle(.auto, for: .error).redraws
    }

    /// The path of the file that the body is written to; nil for standard output.
    var savedPath: String? { options.output.flatMap { $0 == "-" ? nil : $0 } }

    /// Whether the body is written to a temporary file, which is removed when the request fails.
    private var makesFile: Bool {
        savedPath.map { [.missing, .regular].contains(FileKind(path: $0)) } ?? false
    }

    /// Whether standard input may be the body. A request without a method takes no input that the
    /// calling program has as well: a loop of a script reads its list from it.
    private var takesStandardInput: Bool {
        !options.ignoreStdin && StandardInput.isPiped && (method != nil || !StandardInput.isShared)
    }

    private var arguments: RequestPlan.Arguments {
        get throws(CommandFailure) {
            RequestPlan.Arguments(
                method: method,
                url: options.url,
                items: options.items,
                parsedItems: items,
                isJSON: options.json,
                isForm: options.form,
                isMultipart: options.multipart,
                boundary: options.boundary,
                literal: body ?? options.raw.map { Array($0.utf8) },
                isChunked: options.chunked,
                compresses: options.compress,
                defaultScheme: options.defaultScheme,
                keepsDotSegments: options.pathAsIs,
                unixSocket: options.unixSocket,
                credentials: try options.authentication.credentials(),
                usesDigest: options.authentication.usesDigest,
                takesStandardInput: takesStandardInput
            )
        }
    }

    private func configuration(of plan: RequestPlan, _ named: NamedSession?) throws(CommandFailure)
        -> SessionConfiguration
    {
        var configuration = SessionConfiguration()
        try options.connection.apply(to: &configuration)
        if let others = options.sessions.trustOfOthers {
            try configuration.limitTrust(to: [plan.request.url], otherwise: others)
        }
        try options.authentication.apply(to: &configuration)
        configuration.cookieJar =
            if let named { try named.jar() } else { try options.sessions.cookies.jar(ofOneRequest: true) }
        try options.cache.apply(to: &configuration)
        options.retries.apply(to: &configuration)
        if let curl, var policy = configuration.retryPolicy {
            curl.apply(to: &policy)
            configuration.retryPolicy = policy
        }
        configuration.redirectPolicy = options.follow ? .follow : .manual
        configuration.followsInsecureRedirects = options.insecureRedirects
        configuration.sendsBodiesOnInsecureRedirects = options.bodyOnInsecureRedirects
        configuration.limits.redirects = options.maxRedirects
        configuration.decodesContent = plan.decodesContent && !options.rawOutput && curl?.decodesContent ?? true
        return configuration
    }

    /// Shows the request that would be sent, after all interceptors.
    private func showRequest(of plan: RequestPlan, _ named: NamedSession?) async throws {
        var configuration = try configuration(of: plan, named)
        let transport: any Transport
        if options.curl {
            let cookies = CurlCookies(options, named, hasOwn: plan.request.headerFields.contains(.cookie))
            if cookies.areRead { configuration.cookieJar = nil }
            transport = CurlTransport(
                words: options.curlWords + cookies.words,
                notes: options.curlNotes + cookies.notes
            )
        } else {
            let parts = options.shown.parts(usual: .request)
            transport = OfflineTransport(style: style, output: .output, parts: parts)
        }
        let session = SessionManager(configuration: configuration, transport: transport)
        do {
            _ = try await session.open(plan.request)
        } catch {
            throw CommandFailure(error, ofRequest: true)
        }
    }

    var style: OutputStyle {
        OutputStyle(options.rawOutput ? .none : options.pretty, for: .output, theme: options.shown.style)
    }

    private func show(_ response: TransportResponse, filter: JSONFilter?) async throws {
        if let curl, try await write(response, as: curl) { return }
        if !options.shown.all { write(response.request, version: response.head.httpVersion) }
        if curl == nil, parts.contains(.responseHead) { output.write(response.head) }
        let isFailure = response.head.status.code >= 400
        if curl == nil, let savedPath {
            guard isFailure else { return try await save(response.body, as: savedPath) }
            tellStatus(of: response, ": nothing was written to \(savedPath).")
        }
        // The output begins here, and the bar must not be in it.
        Terminal.shared.endStatus()
        guard parts.contains(.responseBody) else {
            if options.shown.quiet, isFailure, savedPath == nil { tellStatus(of: response) }
            return
        }
        let printer = BodyPrinter(
            style: style,
            output: .output,
            // A response with 4xx or 5xx is another document than the one that the filter is for.
            filter: isFailure ? nil : filter,
            unquotesStrings: options.rawOutput,
            showsLinesAtOnce: options.stream
        )
        let type = response.head.mediaType ?? "no type given"
        let contentType = options.shown.contentType(of: response.head[.contentType])
        switch try await printer.print(response.body, contentType: contentType) {
        case .shown: break
        case .empty:
            // Without this line a failure would look like a success.
            guard isFailure, savedPath == nil, !parts.contains(.responseHead), !options.verbose else { break }
            tellStatus(of: response)
        case .withheld:
            tell("The body is binary (\(type)) and is not shown on a terminal; save it with -o FILE.")
        case .notJSON:
            throw CommandFailure(message: "The response is not JSON (\(type)); --filter needs it.", status: .transport)
        case .nothingPicked:
            throw CommandFailure(message: "The response has nothing at “\(options.filter ?? "")”.", status: .transport)
        }
    }

    /// Writes what is shown of a request.
    private func write(_ request: Request, version: HTTPVersion) {
        if parts.contains(.requestHead) { output.write(request, version: version) }
        if parts.contains(.requestBody), let body = request.body { output.write(body, of: request) }
    }

    /// Writes the status of a response that is a failure.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - text: What follows the status in the message. Default: an advice, if there is one.
    func tellStatus(of response: TransportResponse, _ text: String? = nil) {
        var failure = CommandFailure(response.head)
        failure.message += text ?? advice(for: response)
        if !options.checkStatus { failure.status = .success }
        ErrorReport.write(failure)
    }

    /// Writes a line with words of the server's.
    private func tell(_ text: String) {
        StandardStream.error.write(line: "bluebonnet: \(ShownText.harmless(text))")
    }

    /// Streams the body into a file, and prints a summary on a terminal.
    ///
    /// - Parameters:
    ///   - body: The body.
    ///   - path: The path of the file.
    ///   - replaces: Whether a file that exists is replaced. Default: yes.
    /// - Throws: `NetworkingError`.
    func save(_ body: ResponseBody, as path: String, replaces: Bool = true) async throws {
        let startedAt = ContinuousClock.now
        let count = try await body.write(toPath: path, replaces: replaces)
        Terminal.shared.endStatus()
        guard !options.shown.quiet, OutputStyle(.auto, for: .error).redraws else { return }
        let duration = startedAt.duration(to: .now)
        StandardStream.error.write(line: ProgressBar.summary(of: path, bytes: count, duration: duration))
    }

    /// The advice about a failure that the server does not explain.
    private func advice(for response: TransportResponse) -> String {
        guard response.head.status == .unauthorized else { return "" }
        guard response.request.headerFields.contains(.authorization) else {
            return ": the server needs credentials; add --auth USER:PASSWORD or --bearer TOKEN."
        }
        return ": the server does not accept these credentials."
    }
}
