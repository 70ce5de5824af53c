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
    /// - Throws: ``ExitStatus`` for an answer of 4xx or 5xx, ``CommandFailure`` for everything else that is no success.
    func run() async throws {
        let plan = try RequestPlan(arguments)
        let session = SessionManager(configuration: configuration(of: plan))
        let error = HeadWriter(stream: .error, style: OutputStyle(options.pretty, for: .error))
        let startedAt = ContinuousClock.now
        do {
            let answer = try await session.stream(plan.request)
            if options.verbose { error.write(answer) }
            try await show(answer)
            if options.verbose {
                var timings = answer.timings
                timings.total = startedAt.duration(to: .now)
                error.write(timings)
            }
            guard options.checkStatus else { return }
            let status = ExitStatus(statusCode: answer.head.status.code)
            if status != .success { throw status }
        } catch let failure as NetworkingError {
            if options.verbose, failure.response == nil { error.write(failure.request ?? plan.request) }
            throw CommandFailure(failure)
        }
    }

    private var arguments: RequestPlan.Arguments {
        RequestPlan.Arguments(
            method: method,
            url: options.url,
            items: options.items,
            isForm: options.form,
            defaultScheme: options.defaultScheme,
            unixSocket: options.unixSocket
        )
    }

    private func configuration(of plan: RequestPlan) -> SessionConfiguration {
        var configuration = SessionConfiguration()
        options.connection.apply(to: &configuration)
        configuration.redirectPolicy = options.follow ? .follow : .manual
        configuration.limits.redirects = options.maxRedirects
        configuration.decodesContent = plan.decodesContent
        return configuration
    }

    private func show(_ answer: TransportResponse) async throws {
        let style = OutputStyle(options.pretty, for: .output)
        // The answer to a HEAD is its head.
        if options.include || method == .head {
            HeadWriter(stream: .output, style: style).write(answer.head)
        }
        if let path = options.output, path != "-" {
            guard answer.head.status.code >= 400 else {
                try await answer.body.write(toPath: path)
                return
            }
            StandardStream.error.write(line: "bluebonnet: \(answer.head.status): nothing was written to \(path).")
        }
        let outcome = try await BodyPrinter(style: style, output: .output).print(answer.body, of: answer.head)
        if outcome == .withheld {
            let type = answer.head.mediaType ?? "no type given"
            StandardStream.error.write(
                line: "bluebonnet: The body is binary (\(type)) and is not shown on a terminal; save it with -o FILE."
            )
        }
    }
}
