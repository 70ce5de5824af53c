public import FoundationEssentials

/// The proxy for each request of a session, or of one request.
///
/// Where a proxy is chosen, the request is sent through it or not at all: there is no way around
/// it, also not when it cannot be reached. Requests to Unix-domain sockets have none.
///
/// Counterpart of `connectionProxyDictionary` of `NSURLSessionConfiguration`.
public struct ProxyConfiguration: Sendable {
    enum Source: Sendable {
        case rules(ProxyRules)
        case environment
        case resolver(@Sendable (URL) async throws -> Proxy?)
    }

    let source: Source

    /// No proxy.
    public static let direct = ProxyConfiguration(source: .rules(ProxyRules()))

    /// The proxies that the variables of the process name, with curl's rules:
    /// ``environment(_:credential:)``. They are read when the session is made; for
    /// ``Request/proxies``, when the request is sent.
    public static let environment = ProxyConfiguration(source: .environment)

    /// The proxies that these variables name, with curl's rules.
    ///
    /// - `http_proxy` is for `http`, `https_proxy` for `https`, and `all_proxy` for each of the two
    ///   that has no variable of its own. `no_proxy` has the ``ProxyExceptions``.
    /// - The names in upper case count where those in lower case are missing; but `HTTP_PROXY` is
    ///   ignored, and `http_proxy` where there is `REQUEST_METHOD`: in a program that is started by
    ///   CGI, the client may have set the first of them by a header field `Proxy`.
    /// - An empty variable counts as missing.
    /// - A variable that names no proxy fails the requests that it is for with
    ///   ``NetworkingError/Code/invalidProxy``.
    ///
    /// - Parameters:
    ///   - variables: The variables by their names.
    ///   - credential: The credential for the proxies, in place of those in their URLs. Default:
    ///     nil, those of the URLs.
    /// - Returns: The configuration.
    public static func environment(
        _ variables: [String: String],
        credential: Credential? = nil
    ) -> ProxyConfiguration {
        ProxyConfiguration(source: .rules(ProxyRules(environment: variables, credential: credential)))
    }

    /// The proxies that these variables name, with credentials for certain schemes alone.
    ///
    /// - Parameters:
    ///   - variables: The variables by their names.
    ///   - credential: The credential for the proxies; nil for those of their URLs.
    ///   - schemes: The schemes that each of the credentials may be sent with.
    /// - Returns: The configuration.
    package static func environment(
        _ variables: [String: String],
        credential: Credential?,
        schemes: Set<AuthenticationScheme>
    ) -> ProxyConfiguration {
        var rules = ProxyRules(environment: variables, credential: credential)
        rules.http = rules.http?.map { $0.limited(to: schemes) }
        rules.https = rules.https?.map { $0.limited(to: schemes) }
        return ProxyConfiguration(source: .rules(rules))
    }

    /// One proxy for all servers but the exceptions.
    ///
    /// - Parameters:
    ///   - proxy: The proxy.
    ///   - exceptions: The servers that are reached without it. Default: none.
    /// - Returns: The configuration.
    public static func proxy(_ proxy: Proxy, except exceptions: ProxyExceptions = .none) -> ProxyConfiguration {
        .proxies(http: proxy, https: proxy, except: exceptions)
    }

    /// One proxy for each scheme, for all servers but the exceptions.
    ///
    /// - Parameters:
    ///   - http: The proxy for `http`; nil for none.
    ///   - https: The proxy for `https`; nil for none.
    ///   - exceptions: The servers that are reached without a proxy. Default: none.
    /// - Returns: The configuration.
    public static func proxies(
        http: Proxy?,
        https: Proxy?,
        except exceptions: ProxyExceptions = .none
    ) -> ProxyConfiguration {
        ProxyConfiguration(
            source: .rules(
                ProxyRules(http: http.map { .success($0) }, https: https.map { .success($0) }, exceptions: exceptions)
            )
        )
    }

    /// A proxy that a closure chooses for each request, and for each hop of a redirect.
    ///
    /// - Parameter resolve: Returns the proxy for a URL, nil for none. What it throws fails the
    ///   request: a ``NetworkingError`` as it is, any other error as
    ///   ``NetworkingError/Code/invalidProxy``. The times of ``Timeouts/request`` and of
    ///   cancellation hold for it.
    /// - Returns: The configuration.
    public static func resolver(
        _ resolve: @escaping @Sendable (_ url: URL) async throws -> Proxy?
    ) -> ProxyConfiguration {
        ProxyConfiguration(source: .resolver(resolve))
    }
}

/// The proxies of a configuration that are known before a request is.
struct ProxyRules: Sendable {
    /// Nil for none; an error where a variable names no proxy.
    var http: Result<Proxy, NetworkingError>?
    var https: Result<Proxy, NetworkingError>?
    var exceptions = ProxyExceptions.none

    /// Whether no server is reached by a proxy.
    var isEmpty: Bool { http == nil && https == nil }

    /// The proxy for a server; nil for none.
    ///
    /// - Throws: ``NetworkingError/Code/invalidProxy`` where the rule for it names none.
    func proxy(for origin: Origin) throws(NetworkingError) -> Proxy? {
        guard let proxy = origin.isSecure ? https : http, case .host = origin.endpoint, !exceptions.contains(origin)
        else { return nil }
        return try proxy.get()
    }
}

extension ProxyRules {
    /// The rules of the variables of a process (see
    /// ``ProxyConfiguration/environment(_:credential:)``).
    init(environment variables: [String: String], credential: Credential? = nil) {
        func value(_ names: String...) -> (name: String, text: String)? {
            names.lazy.compactMap { name in variables[name].flatMap { $0.isEmpty ? nil : (name, $0) } }.first
        }
        func proxy(_ variable: (name: String, text: String)?) -> Result<Proxy, NetworkingError>? {
            guard let variable else { return nil }
            do throws(NetworkingError) {
                var proxy = try Proxy(variable.text)
                if let credential { proxy.credential = credential }
                return .success(proxy)
            } catch {
                let message = "The variable \(variable.name) names no proxy: \(error.message)"
                return .failure(NetworkingError(.invalidProxy, message))
            }
        }
        let all = value("all_proxy", "ALL_PROXY")
        // A CGI program gets the field `Proxy` of its client as HTTP_PROXY (RFC 3875 §4.1.18).
        let isCGI = variables["REQUEST_METHOD"] != nil
        http = proxy((isCGI ? nil : value("http_proxy")) ?? all)
        https = proxy(value("https_proxy", "HTTPS_PROXY") ?? all)
        exceptions = ProxyExceptions(value("no_proxy", "NO_PROXY")?.text ?? "")
    }
}
