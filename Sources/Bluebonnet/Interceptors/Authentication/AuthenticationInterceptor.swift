import Synchronization

/// Puts a token into requests, refreshes it when the server refuses it, and sends the refused
/// requests again.
///
/// However many requests are refused at the same time, the token is refreshed once: they wait, and
/// are sent again with the new one; those that begin meanwhile wait before they are sent. A request
/// that was sent with an older token than the present one is only sent again. A refresh that fails
/// fails all requests that wait for it, once; the next one tries again. Stopping a request ends its
/// wait and not the refresh, since a server may have used up the old token by then.
///
/// <!-- snippet skipped: Accounts is the example of Authenticator -->
/// ```swift
/// let tokens = AuthenticationInterceptor(Accounts(accounts: accounts), token: saved)
/// configuration.interceptors = [tokens]
/// ```
///
/// A token goes with every request for which ``Authenticator/applies(to:)`` is true, whatever its
/// host: in a session for several servers, implement that. A redirect takes `Authorization` to no
/// other origin, and on the same origin anywhere; a refusal of a URL to which the token does not
/// apply refreshes nothing.
///
/// Counterpart of Alamofire's class of the same name.
public final class AuthenticationInterceptor<Source: Authenticator>: Interceptor {
    private let authenticator: Source
    private let state: Mutex<TokenState<Source.Token>>
    private let refreshes = SharedWork<Int, Result<Void, NetworkingError>>()
    /// The last refresh, for which the next one waits.
    private let lastRefresh = Mutex<Task<Void, Never>?>(nil)

    /// The most times that one request is sent.
    private static var mostAttempts: Int { 20 }

    /// Makes an interceptor.
    ///
    /// - Parameters:
    ///   - authenticator: Knows how requests carry the token, and how to get a new one.
    ///   - token: The token to begin with. Default: none; requests that need one fail until
    ///     ``token`` is set.
    ///   - limit: How often the token may be refreshed; nil for no limit. Default: five times
    ///     within 30 seconds.
    public init(_ authenticator: Source, token: Source.Token? = nil, limit: RefreshLimit? = RefreshLimit()) {
        self.authenticator = authenticator
        state = Mutex(TokenState(token, limit))
    }

    /// The present token; nil for none. A token that is set while another one is refreshed stays,
    /// and the requests that wait are sent with it at once.
    public var token: Source.Token? {
        get { state.withLock(\.token) }
        set {
            let refreshing = state.withLock { $0.set(newValue) }
            if let refreshing { refreshes.end(refreshing, with: .success(())) }
        }
    }

    /// Sends the request with the token.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - context: The task's choices.
    ///   - next: The rest of the way.
    /// - Returns: The response.
    /// - Throws: ``NetworkingError/Code/authenticationFailed`` where there is no token or a refresh
    ///   failed, ``NetworkingError/Code/tooManyRefreshes``,
    ///   ``NetworkingError/Code/requestBodyNotReplayable``, and what the rest of the way throws.
    public func intercept(
        _ request: Request,
        context: ExchangeContext,
        next: Next
    ) async throws -> TransportResponse {
        // The requests of a refresh itself would wait for ever.
        guard !RefreshScope.current.contains(ObjectIdentifier(self)), authenticator.applies(to: request) else {
            return try await next(request)
        }
        var request = request
        guard var held = state.withLock(\.held) else {
            throw NetworkingError(.authenticationFailed, "There is no token for \(request).", request: request)
        }
        // One that is being refreshed would be refused, too, after a body that may be read once.
        let needsRefresh = authenticator.needsRefresh(held.token)
        if needsRefresh || held.isBeingRefreshed {
            do throws(NetworkingError) {
                held = try await refreshed(after: held, request)
            } catch {
                // Tokens that end as soon as they are issued: the server may accept this one. It
                // also accepts one that was only about to end.
                let isGood = needsRefresh && !Task.isCancelled && !authenticator.hasEnded(held.token)
                guard isGood || error.code == .tooManyRefreshes else { throw error }
            }
        }
        var attempts = 0
        while true {
            attempts += 1
            // As it will be sent: by https to a host that has asked for that.
            let secured = try context.settings.configuration.strictTransportSecurity?.secured(request)
            let response = try await next(try authorized(request, held.token))
            guard isRefusal(response, to: secured ?? request), attempts < Self.mostAttempts else { return response }
            let isUntouched = response.isRequestBodyUntouched
            // Before the refresh, which may need the connection.
            await response.body.discard()
            do throws(NetworkingError) {
                held = try await refreshed(after: held, request)
            } catch {
                throw error.completed(request: request, response: response.head)
            }
            guard let body = request.body, !body.isReplayable, !isUntouched else { continue }
            guard let newBody = try await context.newBody() else {
                throw NetworkingError(
                    .requestBodyNotReplayable,
                    "\(request) was refused with its token, and the source of its body can be read only once."
                ).completed(request: request, response: response.head)
            }
            request.body = newBody
        }
    }

    private func authorized(_ request: Request, _ token: Source.Token) throws(NetworkingError) -> Request {
        var authorized = request
        do {
            try authenticator.apply(token, to: &authorized)
        } catch {
            throw Self.failure(error, "The token could not be put into \(request)")
        }
        return authorized
    }

    /// Whether the server of the request refused its token. After a redirect to another origin
    /// nobody has seen it, also where a further one has led back; and one that has led to where the
    /// token does not apply says nothing about it.
    private func isRefusal(_ response: TransportResponse, to request: Request) -> Bool {
        guard authenticator.isRefusal(response.head, to: response.request) else { return false }
        guard !response.redirects.isEmpty else { return true }
        let origin = try? request.target.origin
        return response.redirects.allSatisfy { Redirects.origin(of: $0) == origin }
            // By https it may apply to neither, since the request was made for http.
            && (authenticator.applies(to: response.request) || !authenticator.applies(to: request))
    }

    // MARK: Refreshes

    /// The token after the one that was held: the present one if that is newer, or that of a
    /// refresh.
    private func refreshed(
        after held: TokenState<Source.Token>.Held,
        _ request: Request
    ) async throws(NetworkingError) -> TokenState<Source.Token>.Held {
        let result = await refreshes.outcome(of: held.generation) {
            self.state.withLock { $0.needsRefresh(after: held) }
        } begin: {
            self.beginRefresh(held)
        }
        switch result {
        case .failure(let error): throw error
        case .success: break
        case nil:
            if Task.isCancelled { throw NetworkingError(.cancelled, "The request was cancelled.") }
            if let error = state.withLock({ $0.failure(after: held) }) { throw error }
        }
        guard let newer = state.withLock(\.held) else {
            throw NetworkingError(.authenticationFailed, "There is no token for \(request) any more.")
        }
        return newer
    }

    /// Refreshes the token in a Swift task of its own: whoever began may be stopped.
    private func beginRefresh(_ held: TokenState<Source.Token>.Held) {
        switch state.withLock({ $0.beginRefresh(of: held.generation, at: .now) }) {
        case .begins: break
        case .isNewer: return refreshes.end(held.generation, with: .success(()))
        case .isTooMany:
            let error = NetworkingError(
                .tooManyRefreshes,
                "The token was refreshed too often in a short time, and is refused again."
            )
            return refreshes.end(held.generation, with: .failure(error))
        }
        lastRefresh.withLock { last in
            // One whose token was replaced meanwhile may go on still.
            last = Task { [last] in
                await last?.value
                await refresh(held)
            }
        }
    }

    private func refresh(_ held: TokenState<Source.Token>.Held) async {
        guard state.withLock({ $0.isRefreshing(held.generation) }) else { return }
        let result: Result<Source.Token, NetworkingError>
        do {
            let scope = RefreshScope.current.union([ObjectIdentifier(self)])
            let token = try await RefreshScope.$current.withValue(scope) {
                try await authenticator.refresh(held.token)
            }
            result = .success(token)
        } catch {
            result = .failure(Self.failure(error, "The token could not be refreshed"))
        }
        // In this order: who asks in between waits for the end of this one.
        let outcome = state.withLock { $0.endRefresh(result, of: held.generation) }
        refreshes.end(held.generation, with: outcome)
    }

    private static func failure(_ error: any Error, _ sentence: String) -> NetworkingError {
        error as? NetworkingError
            ?? NetworkingError(.authenticationFailed, "\(sentence): \(error)", underlying: error)
    }
}

/// The interceptors for which the present Swift task refreshes tokens: the refresh of one may send
/// requests through another.
private enum RefreshScope {
    @TaskLocal static var current: Set<ObjectIdentifier> = []
}
