import FoundationEssentials
import HTTPTypes

/// Follows redirects (RFC 9110 §15.4): 301, 302, 303, 307 and 308 with a `Location`.
///
/// - A 303 becomes GET (HEAD stays HEAD); a 301 or 302 turns POST into GET and leaves other methods
///   as they are; 307 and 308 repeat the request. A request that becomes GET loses its body and the
///   fields that describe it.
/// - On the way to another origin, fields that were meant for the first one are left out:
///   Authorization, Cookie and their like, the subprotocols of a WebSocket, in which some servers
///   take a token, and all that ``SecretNames`` takes for a secret.
/// - A body does not go from `https` to `http`, unless
///   ``SessionConfiguration/sendsBodiesOnInsecureRedirects`` allows it; and nothing does where
///   ``SessionConfiguration/followsInsecureRedirects`` is false.
/// - Several `Location` fields that differ are refused, as by browsers.
///   A credential of the request is for its first origin. User and password of a `Location` are not
///   used.
/// - `http+unix` URLs are never reached by a redirect from elsewhere.
enum Redirects {
    /// Sends a request of one hop.
    typealias Send = (Request, ExchangeContext) async throws -> TransportResponse

    /// Whether a response asks for another request.
    static func isRedirect(_ response: TransportResponse) -> Bool {
        switch response.statusCode {
        case 301, 302, 303, 307, 308: response.contains(.location)
        default: false
        }
    }

    /// Sends the requests that redirects ask for, until a response is not a redirect or the policy
    /// leaves it to the caller.
    ///
    /// - Parameters:
    ///   - first: The response to the request.
    ///   - request: The request as it came from the interceptors.
    ///   - context: Its context.
    ///   - send: Sends the further requests.
    /// - Returns: The last response.
    /// - Throws: ``NetworkingError``, and what `send` throws.
    static func follow(
        _ first: TransportResponse,
        to request: Request,
        context: ExchangeContext,
        send: Send
    ) async throws -> TransportResponse {
        let policy = request.redirectPolicy ?? context.settings.configuration.redirectPolicy
        var (request, response, context) = (request, first, context)
        var redirects: [URL] = []
        var retries = 0
        while true {
            retries += response.retries
            guard policy != .manual, isRedirect(response) else {
                response.retries = retries
                response.redirects = redirects
                return response
            }
            let proposed: Request
            do throws(NetworkingError) {
                guard policy == .follow else {
                    throw NetworkingError(
                        .redirectRefused,
                        "\(request) was redirected, and its redirect policy does not allow that."
                    )
                }
                guard redirects.count < context.settings.configuration.limits.redirects else {
                    throw NetworkingError(
                        .tooManyRedirects,
                        "\(request) was redirected more than \(context.configuration.limits.redirects) times."
                    )
                }
                proposed = try Self.request(
                    after: request,
                    status: response.head.status.code,
                    location: try Self.location(in: response.head, of: request),
                    followsInsecurely: context.settings.configuration.followsInsecureRedirects,
                    sendsBodiesOpenly: context.settings.configuration.sendsBodiesOnInsecureRedirects,
                    strictTransportSecurity: context.settings.configuration.strictTransportSecurity
                )
            } catch {
                throw error.completed(request: request, response: response.head)
            }
            guard let next = try await Self.request(proposed, after: request, response, context) else {
                response.retries = retries
                response.redirects = redirects
                return response
            }
            // The URL that was sent, too: a hook may have left it to the list of secure hosts.
            let urls = [request.url, response.request.url, next.url]
            context = context.forHop(wasSecure: context.wasSecure || urls.contains { origin(of: $0)?.isSecure == true })
            request = next
            redirects.append(request.url)
            // A short body is read so that its connection can be used again; a long or slow one is
            // not worth that.
            await response.body.discard()
            try context.checkStopped()
            context.call.noteRedirect()
            response = try await send(request, context)
        }
    }

    /// The request of the next hop, as a hook wants it; nil where the hook does not follow.
    ///
    /// - Throws: ``NetworkingError/Code/requestBodyNotReplayable`` where its body was sent and
    ///   nobody has another one.
    private static func request(
        _ proposed: Request,
        after request: Request,
        _ response: TransportResponse,
        _ context: ExchangeContext
    ) async throws -> Request? {
        var next = proposed
        var isBodyNew = response.isRequestBodyUntouched
        if let lane = context.call.hooks, let hook = lane.hooks.taskWillPerformRedirection {
            let (task, head) = (context.call.presented, response.head)
            guard let wanted = try await lane.call(in: context, { await hook(task, head, proposed) }) else {
                return nil
            }
            next = wanted
            if next.body?.use?.hasBegun == false { isBodyNew = true }
        }
        guard let body = next.body, !body.isReplayable, !isBodyNew else { return next }
        guard let newBody = try await context.newBody() else {
            throw NetworkingError(
                .requestBodyNotReplayable,
                "\(request) was redirected with its body, and the source of the body can be read only once."
            ).completed(request: request, response: response.head)
        }
        next.body = newBody
        return next
    }

    /// The target of a redirect.
    ///
    /// RFC 9110 §10.2.2 has one `Location`. Two that are equal count as one; of two that differ it
    /// is not known which the server meant, and an attacker may have added one. Browsers refuse
    /// them too; curl takes the first.
    private static func location(in head: ResponseHead, of request: Request) throws(NetworkingError) -> String {
        let locations = head.values(for: .location)
        guard let first = locations.first, locations.allSatisfy({ $0.utf8.elementsEqual(first.utf8) }) else {
            throw NetworkingError(.invalidRedirect, "\(request) was redirected by Location fields that differ.")
        }
        return first
    }

    /// The request that a redirect asks for.
    static func request(
        after request: Request,
        status: Int,
        location: String,
        followsInsecurely: Bool = true,
        sendsBodiesOpenly: Bool = false,
        strictTransportSecurity: StrictTransportSecurity? = nil
    ) throws(NetworkingError) -> Request {
        var next = request
        let target = try target(of: location, from: request.url, mayBeWebSocket: request.upgrade == .webSocket)
        next.url = try strictTransportSecurity?.secured(target) ?? target
        // User and password of a Location are those of the server; they are not used.
        next.access = request.access
        let turnsIntoGET =
            switch status {
            case 303: request.method != .head
            case 301, 302: request.method == .post
            default: false
            }
        if turnsIntoGET {
            next.method = .get
            next.body = nil
            // RFC 9110 §15.4: fields that describe the content go with it.
            next.headerFields.removeAll { $0.hasPrefix("content-") || Self.contentFields.contains($0) }
        }
        let (from, to) = (origin(of: request.url), origin(of: next.url))
        let isInsecure = from?.isSecure == true && to?.isSecure != true
        // A WebSocket that was to be secure is secure.
        guard followsInsecurely && request.upgrade == nil || !isInsecure else {
            throw NetworkingError(
                .redirectRefused,
                "\(request) was redirected from https to http, and the session does not allow that."
            )
        }
        if let body = next.body, body.length != 0 {
            guard sendsBodiesOpenly || !isInsecure else {
                throw NetworkingError(
                    .redirectRefused,
                    """
                    \(request) was redirected from https to http with its body, and the session does not allow that. \
                    To allow it, set sendsBodiesOnInsecureRedirects in its configuration.
                    """
                )
            }
        }
        if from != to { next.headerFields.removeAll(where: isMeantForOrigin) }
        return next
    }

    /// Whether a field was meant for the origin that the request was for, and goes to no other.
    static func isMeantForOrigin(_ name: String) -> Bool {
        originFields.contains(name) || SecretNames.contains(name)
    }

    static func target(
        of location: String,
        from url: URL,
        mayBeWebSocket: Bool = false
    ) throws(NetworkingError) -> URL {
        guard !location.isEmpty, let relative = URL(string: URLText.encoded(location), relativeTo: url) else {
            throw NetworkingError(
                .invalidRedirect,
                "\(url.redactedDescription) redirects to something that is not a URL."
            )
        }
        let absolute = relative.absoluteURL
        // RFC 6455 §3: its URLs have schemes of their own.
        let target = mayBeWebSocket ? absolute.webSocketAsHTTP ?? absolute : absolute
        let scheme = target.scheme?.lowercased()
        let isWeb = scheme == "http" || scheme == "https"
        guard let place = origin(of: target), isWeb || place == origin(of: url) else {
            throw NetworkingError(
                .invalidRedirect,
                "\(url.redactedDescription) redirects to \(target.redactedDescription), where no redirect may lead."
            )
        }
        // RFC 9110 §10.2.2: a target without a fragment inherits the one it comes from.
        guard target.fragment == nil, let fragment = url.fragment(percentEncoded: true),
            var components = URLComponents(url: target, resolvingAgainstBaseURL: true)
        else { return target }
        components.percentEncodedFragment = fragment
        return components.url ?? target
    }

    static func origin(of url: URL) -> Origin? {
        try? RequestTarget(url).origin
    }

    /// The fields that describe the content, besides all that begin with `content-`.
    private static let contentFields: Set = [
        "transfer-encoding", "trailer", "last-modified", "digest", "repr-digest", "expect",
        "upload-complete", "upload-length", "upload-draft-interop-version",
    ]

    private static let originFields: Set = [
        "authorization", "proxy-authorization", "cookie", "cookie2", "host", "origin", "referer",
        "sec-websocket-protocol",
    ]
}
