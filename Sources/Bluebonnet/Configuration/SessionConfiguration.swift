public import HTTPTypes
public import NIOCore

/// Everything a session can be told before it starts, as a value.
///
/// Counterpart of `NSURLSessionConfiguration`. Later changes to a copy do not reach a running
/// session.
public struct SessionConfiguration: Sendable {
    /// The timeouts of requests that have none themselves.
    public var timeouts = Timeouts()

    /// The limits of what a response may cost.
    public var limits = Limits()

    /// The treatment of redirects. Default: follow.
    public var redirectPolicy = RedirectPolicy.follow

    /// Whether redirects from `https` to `http` are followed, for all to read. Default: true. With
    /// false, they fail with ``NetworkingError/Code/redirectRefused``, whatever the policy of the
    /// request, unless that hands them to the caller.
    public var followsInsecureRedirects = true

    /// Whether a redirect from `https` to `http` may take the body of the request along, for all to
    /// read. Default: false, it fails with ``NetworkingError/Code/redirectRefused``.
    ///
    /// A request without a body, or one that becomes a GET, follows in either case, unless
    /// ``followsInsecureRedirects`` is false. Fields that are secret by their names never go to
    /// another origin.
    public var sendsBodiesOnInsecureRedirects = false

    /// Connections per origin (scheme, host, port). Default: 6. At least 1. Hosts that share HTTP/2
    /// connections count as one.
    public var maximumConnectionsPerHost = 6

    /// The versions of HTTP that are spoken. Default: automatic, HTTP/2 where the server speaks it
    /// over TLS, else HTTP/1.1.
    public var httpVersions = HTTPVersionPolicy.automatic

    /// The time a connection may be idle before it is closed. Default: 60 seconds. Less where the
    /// server says so: a second before the time of its `Keep-Alive` field is over. One is closed
    /// for each that is made while the session has more connections than half of the files that
    /// the process may have open (`RLIMIT_NOFILE`).
    public var idleConnectionTimeout: Duration = .seconds(60)

    /// Header fields for every request of the session that lacks them. Default: none.
    ///
    /// What is printed of a configuration shows their names alone.
    public var additionalHeaderFields: HTTPFields {
        get { concealedHeaderFields.fields }
        _modify { yield &concealedHeaderFields.fields }
    }

    private var concealedHeaderFields = ConcealedFields([:])

    /// Whether content coding is undone (gzip, x-gzip and deflate; `br` with the package trait
    /// `Brotli`, `zstd` with `Zstd`), and `Accept-Encoding` sent by requests that lack it. Default:
    /// true.
    public var decodesContent = true

    /// The authorities that the session trusts, and its client certificate.
    public var tls = TLSSettings()

    /// The proxies of the session. Default: those of the variables `https_proxy`, `no_proxy` and so
    /// on of the process, as in curl and URLSession (``ProxyConfiguration/environment``).
    ///
    /// ``Request/proxies`` of a request wins over it.
    public var proxies = ProxyConfiguration.environment

    /// The authorities that the session trusts for proxies over TLS, and its client certificate for
    /// them. Default: the system's authorities, and no certificate. ``TLSSettings/hostIdentities``
    /// are not used.
    public var proxyTLS = TLSSettings()

    /// The rules by which proxies over TLS are trusted. Default: valid certificates for the host of
    /// the proxy. The policies and pins for servers have no effect on proxies, nor this one on
    /// servers.
    public var proxySecurityPolicy = SecurityPolicy()

    /// The hosts that are reached by `https` only, because they have asked for it (RFC 6797).
    /// Default: nil, `http` stays `http`.
    public var strictTransportSecurity: StrictTransportSecurity?

    /// The rules by which servers are trusted, and their pins. Default: valid certificates for the
    /// host of the URL, without pins.
    public var securityPolicy = SecurityPolicy()

    /// The policies of single hosts, in place of ``securityPolicy``. Default: none.
    public var hostSecurityPolicies: HostSecurityPolicies = [:]

    /// Pins of hosts that can be replaced while the session runs, in place of those of its
    /// policies. Default: nil, none.
    public var pinList: PinList?

    /// The store of the credentials that outlive the session: it is asked when a server wants some,
    /// and gets those that are accepted and ``Credential/Persistence/permanent``. Default: nil,
    /// they are kept in memory.
    public var credentialStore: (any CredentialStore)?

    /// The cache of responses (RFC 9111); sessions of one user may share it. Default: nil, nothing
    /// is stored.
    ///
    /// Counterpart of `URLCache` of `NSURLSessionConfiguration`, which has one by default.
    public var cache: HTTPCache?

    /// The users and passwords of a `.netrc`, for servers that ask for some. Default: nil, none.
    ///
    /// An entry is for its host and every port of it. `default` is only for the origin of the
    /// request itself, and no password goes to `http` where a redirect leads there from `https`.
    public var netrc: Netrc?

    /// The cookies of the session: those that servers set are stored there, and sent back to them.
    /// Several sessions may have the same one. Default: nil, cookies are neither sent nor stored.
    public var cookieJar: CookieJar?

    /// Whose cookies are stored in the ``cookieJar``. Default: always, those of every server.
    public var cookiePolicy = CookiePolicy.always

    /// The size in bytes from which a body waits for `100 Continue`, as ``Request/expectsContinue``
    /// says; a body of unknown length counts as large. Default: nil, never unless the request asks
    /// for it. 1 MiB is what curl does.
    public var continueThreshold: Int?

    /// Whether the uploads of the session, which are the tasks of ``SessionManager/uploadTasks``,
    /// are offered to servers as resumable ones. Default: automatic; a server that does not know
    /// the draft ignores the offer, which is two header fields.
    public var resumableUploads = ResumableUploads.automatic

    /// The user's interceptors, outermost first. They run before those of the request and the
    /// built-in ones. Default: none.
    public var interceptors: [any Interceptor] = []

    /// Which requests are sent again after a failure. Default: nil, none, as in AFNetworking;
    /// except those that the engine sends again by itself, because the server certainly has not
    /// processed them, or has closed an idle connection.
    ///
    /// ``Request/retryPolicy`` of a request wins over it.
    public var retryPolicy: RetryPolicy?

    /// Those who decide whether a request is sent again, before the ``retryPolicy`` and behind
    /// ``Request/retriers``. Default: none.
    public var retriers: [any Retrier] = []

    /// The most retries of the session, as a part of its requests. Default: a tenth, and ten a
    /// second. Nil: no limit.
    public var retryBudget: RetryBudget? = RetryBudget()

    /// The most requests within a time, to each host and in all. Default: nil, no limit.
    public var rateLimits: RateLimits?

    /// Those who learn what came of each task, in this order; ``HARRecorder`` is one. Default:
    /// none.
    public var observers: [any TaskObserver] = []

    /// Finds the addresses of host names. Default: the system does.
    public var nameResolver: any NameResolver = SystemNameResolver()

    /// Addresses that are used in place of a lookup. Default: none.
    public var addressOverrides = AddressOverrides()

    /// Hosts and ports that are connected to in place of those of the URL. Default: none.
    public var endpointOverrides = EndpointOverrides()

    /// The families of the addresses that are connected to. Default: both. With one, names are
    /// looked up in it alone, and a URL with an address of the other one fails with
    /// ``NetworkingError/Code/connectFailed``.
    ///
    /// Counterpart of `-4` and `-6` of curl.
    public var addressFamilies: Set<IPAddress.Family> = [.ipv4, .ipv6]

    /// The address or the interface of this machine that connections are made from. Default: nil,
    /// the system chooses.
    public var localBinding: LocalBinding?

    /// The event loops the session's connections live on: for programs that run SwiftNIO
    /// themselves. Must be a `MultiThreadedEventLoopGroup` or one of its loops, and live longer
    /// than the session: once it is shut down, requests fail with
    /// ``NetworkingError/Code/connectFailed``. Default: nil, NIO's process-wide group with a thread
    /// per core.
    public var eventLoopGroup: (any EventLoopGroup)?

    /// Whether a task waits for a network where there is none, rather than fail: when no connection
    /// could be made, and no route leads to the host, it is sent again as soon as there is one.
    /// Default: false, as in AFNetworking.
    ///
    /// ``Timeouts/request`` limits the wait, and nothing else does. A task whose connection was
    /// lost does not wait: for that there is ``OfflineRetrier``. A request that does not allow some
    /// networks (``RequestProperties/allowsExpensiveNetworkAccess``,
    /// ``RequestProperties/allowsCellularAccess``) waits for another one.
    /// ``SessionHooks/taskIsWaitingForConnectivity`` tells of the wait.
    ///
    /// Counterpart of `waitsForConnectivity` of `NSURLSessionConfiguration`.
    public var waitsForConnectivity = false

    /// The journal of downloads and uploads, which then outlive the process: the session gives them
    /// back as ``SessionManager/restoredTasks`` when the program was ended or the machine lost
    /// power, and continues them. Default: nil, they end with the process.
    ///
    /// `SessionConfiguration.persistent(identifier:directory:)` of the product `BluebonnetStores`
    /// opens one in a database.
    public var transferJournal: TransferJournal?

    /// Whether ``SessionManager/restoredTasks`` begin when the session is made; otherwise each of
    /// them waits for its ``SessionTask/resume()``. Default: false.
    public var resumesTransfers = false

    /// The hooks of the session; nil where none is set.
    var callHooks: (any CallHooks)?

    /// The pause of a resumable upload after so many failures in a row. Default: 0, 1, 2, 4, 8, 16
    /// and 30 seconds.
    var pauseOfUpload: @Sendable (_ failures: Int) -> Duration = { failures in
        failures <= 1 ? .zero : .seconds(min(1 << min(failures - 2, 5), 30))
    }

    /// Tells of the network. Default: that of the process.
    var networkMonitor = NetworkMonitor.process

    /// The clocks, the waits and the random numbers of retries. Default: the system's.
    var retryTiming = RetryTiming()

    /// When connections of HTTP/2 are tested. Default: after 10 seconds without use, or 20 of
    /// silence.
    var healthTimes = HealthTimes()

    /// Whether a stream of HTTP/2 has no larger window than the link needs: 1 MiB at first in place
    /// of 8, and more when a probe has found that the link holds more. Default: false.
    ///
    /// For the command, which has a bound for its memory: a file is written more slowly than a
    /// server nearby sends, so that a whole window waits in memory.
    package var sparesMemory = false

    /// Makes the default configuration.
    public init() {}
}

/// The treatment of redirects (RFC 9110 §15.4).
///
/// Counterpart of `setTaskWillPerformHTTPRedirectionBlock:` in AFNetworking, and of `Redirector` in
/// Alamofire.
public struct RedirectPolicy: Sendable, Hashable, CustomStringConvertible {
    /// The name of the policy: `follow`.
    public let description: String

    /// Follow, up to ``Limits/redirects`` times; from `https` to `http` only without a body, unless
    /// ``SessionConfiguration/sendsBodiesOnInsecureRedirects``, and not at all where
    /// ``SessionConfiguration/followsInsecureRedirects`` is false. The default.
    public static let follow = RedirectPolicy(description: "follow")
    /// Hand the 3xx response to the caller.
    public static let manual = RedirectPolicy(description: "manual")
    /// Fail with ``NetworkingError/Code/redirectRefused``.
    public static let error = RedirectPolicy(description: "error")
}
