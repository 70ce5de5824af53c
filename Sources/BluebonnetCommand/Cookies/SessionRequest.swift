import Bluebonnet
import FoundationEssentials
import HTTPTypes

/// A request of `download`, `upload` or `ws`, with what a named session and the settings for its
/// host have for it.
struct SessionRequest: Sendable {
    var request: Request
    /// The headers that are for its server alone; nil where there are none.
    let serverHeaders: ServerHeaders?
    private let ownHeaderFields: HTTPFields
    private let named: NamedSession?

    /// - Parameters:
    ///   - arguments: The arguments that decide what is sent.
    ///   - options: The options for sessions and settings.
    /// - Throws: ``CommandFailure`` with ``ExitStatus/usage``.
    init(_ arguments: RequestPlan.Arguments, _ options: SessionOptions) throws(CommandFailure) {
        named = try options.named()
        var arguments = arguments
        let kept = try named?.items(for: arguments) ?? []
        arguments.parsedItems += kept
        let plan = try RequestPlan(arguments) { path throws(CommandFailure) in
            try RequestPlan.readFile(path, until: nil)
        }
        request = plan.request
        ownHeaderFields = plan.ownHeaderFields
        serverHeaders = ServerHeaders(kept.compactMap(\.headerName) + options.hostHeader, of: plan.request.url)
    }

    /// A request without a session.
    init(_ request: Request) {
        (self.request, serverHeaders, ownHeaderFields, named) = (request, nil, [:], nil)
    }

    /// Has the session keep the headers of the request, which has got a response. A failure is
    /// told.
    ///
    /// - Returns: Whether they are kept, or there is nothing to keep.
    func keepHeaders() -> Bool {
        do throws(CommandFailure) {
            try named?.keep(ownHeaderFields, for: request.url)
            return true
        } catch {
            ErrorReport.write(error)
            return false
        }
    }
}

extension SessionConfiguration {
    /// Lets redirects of the requests take what is for one host alone to no other one.
    ///
    /// - Parameters:
    ///   - requests: The requests of the session.
    ///   - options: The options for sessions and settings.
    /// - Throws: ``CommandFailure`` for pins that are none.
    mutating func limit(_ requests: [SessionRequest], by options: SessionOptions) throws(CommandFailure) {
        if let others = options.trustOfOthers { try limitTrust(to: requests.map(\.request.url), otherwise: others) }
        var headers: [String: ServerHeaders] = [:]
        for request in requests { headers[NamedSession.origin(of: request.request.url)] = request.serverHeaders }
        guard !headers.isEmpty else { return }
        hooks.taskWillPerformRedirection = { [headers] task, _, next in
            headers[NamedSession.origin(of: task.originalRequest.url)]?.request(next) ?? next
        }
    }
}
