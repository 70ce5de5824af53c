public import FoundationEssentials
public import HTTPTypes

/// One HTTP request, as a value: the message to be sent, and the choices that hold for this request
/// alone.
///
/// Counterpart of `NSMutableURLRequest` in AFNetworking.
public struct Request: Sendable {
    private struct Contents: Sendable {
        var method: HTTPRequest.Method
        var url: URL
        /// The URL taken apart, if that has been done already.
        var target: RequestTarget?
        var headerFields: HTTPFields
        var body: RequestBody?
        /// Behind a reference, which keeps requests small: few have timeouts.
        var timeouts: CopyOnWrite<Timeouts>?
        var properties: RequestProperties?
        var redirectPolicy: RedirectPolicy?
        var expectsContinue: Bool?
        var upgrade: ProtocolUpgrade?
        var taskDescription: String?
        var interceptors: [any Interceptor] = []
        /// Behind a reference: few requests have a credential.
        var access: CopyOnWrite<Access>?
        /// Behind a reference: few requests have a policy of retries of their own.
        var retries: CopyOnWrite<Retries>?
        /// Behind a reference: few requests have proxies of their own.
        var proxies: CopyOnWrite<ProxyConfiguration>?

        /// Takes user and password out of the URL, so that nobody sees them in it.
        mutating func takeCredential() {
            guard url.absoluteString.utf8.contains(UInt8(ascii: "@")), let (plain, credential) = url.splitCredential()
            else { return }
            (url, target) = (plain, nil)
            if let credential {
                access = CopyOnWrite(Access(credential: credential, origin: try? RequestTarget(plain).origin))
            }
        }
    }

    /// A credential of the request, and the origin that alone may get it; nil until the first
    /// request is sent.
    struct Access: Sendable {
        var credential: Credential
        var origin: Origin?
    }

    /// What a request says of its retries.
    private struct Retries: Sendable {
        var policy: RetryPolicy?
        var retriers: [any Retrier] = []

        var isDefault: Bool { policy == nil && retriers.isEmpty }
    }

    /// One reference: requests are handed from layer to layer.
    private var contents: CopyOnWrite<Contents>

    /// The method. Default: GET.
    public var method: HTTPRequest.Method {
        get { contents.value.method }
        _modify { yield &contents.unique.value.method }
    }

    /// The absolute URL. `http`, `https`, and for Unix-domain sockets
    /// `http+unix://%2Fpath%2Fto%2Fsocket/target`.
    ///
    /// User and password of a URL, as in `https://user:password@example.com/`, are taken out of it
    /// at once and become the ``credential``, sent before the server asks for it. No log, error or
    /// event shows them.
    public var url: URL {
        get { contents.value.url }
        _modify {
            defer {
                contents.value.target = nil
                contents.value.takeCredential()
            }
            yield &contents.unique.value.url
        }
    }

    /// The header fields, sent in this order, repeats and spelling kept.
    ///
    /// `Host`, and `Content-Length` or `Transfer-Encoding` for a body, are added by the engine when
    /// they are not here. `HTTPFields` replaces the control characters of a value, such as a line
    /// end, with spaces.
    public var headerFields: HTTPFields {
        get { contents.value.headerFields }
        _modify { yield &contents.unique.value.headerFields }
    }

    /// The body, or nil for none.
    public var body: RequestBody? {
        get { contents.value.body }
        _modify { yield &contents.unique.value.body }
    }

    /// The choices that a serializer has set, or you. Default: none.
    public var properties: RequestProperties {
        get { contents.value.properties ?? RequestProperties() }
        set { contents.value.properties = newValue == RequestProperties() ? nil : newValue }
    }

    /// Some of ``properties``, without a copy of them.
    var timeoutInterval: Duration? { contents.value.properties?.timeoutInterval }
    var requestTimeout: Duration? { contents.value.properties?.requestTimeout }
    var allowsExpensiveNetworkAccess: Bool? { contents.value.properties?.allowsExpensiveNetworkAccess }
    var allowsCellularAccess: Bool? { contents.value.properties?.allowsCellularAccess }
    /// Whether there are networks that it may not use.
    var refusesNetworks: Bool { allowsExpensiveNetworkAccess == false || allowsCellularAccess == false }
    var cachePolicy: CachePolicy? { contents.value.properties?.cachePolicy }
    var resumableUploads: ResumableUploads? { contents.value.properties?.resumableUploads }
    var handlesCookies: Bool? { contents.value.properties?.handlesCookies }

    /// The timeouts of this request where they differ from the session's. Default: the session's.
    public var timeouts: Timeouts? {
        get { contents.value.timeouts?.value }
        set { contents.unique.value.timeouts = newValue.map { CopyOnWrite($0) } }
    }

    /// The treatment of redirects. Default: the session's ``SessionConfiguration/redirectPolicy``.
    public var redirectPolicy: RedirectPolicy? {
        get { contents.value.redirectPolicy }
        _modify { yield &contents.unique.value.redirectPolicy }
    }

    /// Whether the body waits for `100 Continue`: the head is sent alone with
    /// `Expect: 100-continue`, and the body follows after that response, or when
    /// ``Timeouts/continueWait`` is over (RFC 9110 §10.1.1).
    ///
    /// A server that refuses the request then costs no upload: its response is delivered, and the
    /// body is not sent. One that refuses the expectation itself (417) gets the request again
    /// without it. Nothing is expected for a request without a body. A field `Expect: 100-continue`
    /// among ``headerFields`` has the same effect. Default: nil, which is the session's
    /// ``SessionConfiguration/continueThreshold``.
    public var expectsContinue: Bool? {
        get { contents.value.expectsContinue }
        _modify { yield &contents.unique.value.expectsContinue }
    }

    /// The protocol that the connection is to go on with; nil, the default, for HTTP alone.
    var upgrade: ProtocolUpgrade? {
        get { contents.value.upgrade }
        set { contents.unique.value.upgrade = newValue }
    }

    /// A text of yours for the task, to know it again: after a restart of the program, too, where
    /// the session has a ``SessionConfiguration/transferJournal``. It is not sent. Default: nil.
    ///
    /// Counterpart of `NSURLSessionTask.taskDescription`, which belongs to the task.
    public var taskDescription: String? {
        get { contents.value.taskDescription }
        _modify { yield &contents.unique.value.taskDescription }
    }

    /// The credential for the server of the request, before those that the session knows. Default:
    /// that of the ``url``, or none.
    ///
    /// It is sent when the server asks for it, and from then on at once; one that
    /// ``Credential/isPreemptive`` is sent at once from the start. A redirect to another origin
    /// does not get it. A request with a field `Authorization` of its own does not use it.
    ///
    /// Other requests of the session do not get it, whatever its persistence. One that is
    /// ``Credential/Persistence/permanent`` is stored, too, when the server has accepted it.
    public var credential: Credential? {
        get { contents.value.access?.value.credential }
        set { contents.unique.value.access = newValue.map { CopyOnWrite(Access(credential: $0)) } }
    }

    /// Whether there is a ``credential``, without a copy of it.
    var hasCredential: Bool { contents.value.access != nil }

    /// The credential, and the only origin that it is for.
    var access: Access? {
        get { contents.value.access?.value }
        set { contents.unique.value.access = newValue.map { CopyOnWrite($0) } }
    }

    /// The proxies of this request, also for the hops of its redirects. Default: nil, which is the
    /// session's ``SessionConfiguration/proxies``. With ``ProxyConfiguration/direct`` it has none.
    ///
    /// A ``SessionConfiguration/transferJournal`` does not keep them: after a restart of the
    /// program the session's count.
    public var proxies: ProxyConfiguration? {
        get { contents.value.proxies?.value }
        set { contents.unique.value.proxies = newValue.map { CopyOnWrite($0) } }
    }

    /// Whether there are ``proxies``, without a copy of them.
    var hasProxies: Bool { contents.value.proxies != nil }

    /// Interceptors of this request alone: they run after the session's and before the built-in
    /// ones, outermost first. Default: none.
    ///
    /// Set them before you hand the request to the session: interceptors cannot add to them.
    public var interceptors: [any Interceptor] {
        get { contents.value.interceptors }
        _modify { yield &contents.unique.value.interceptors }
    }

    /// Whether the request is sent again after a failure. Default: nil, which is the session's
    /// ``SessionConfiguration/retryPolicy``. ``RetryPolicy/never`` has it sent once.
    ///
    /// A ``SessionConfiguration/transferJournal`` does not keep it: after a restart of the program
    /// the session's policy counts.
    public var retryPolicy: RetryPolicy? {
        get { contents.value.retries?.value.policy }
        set { setRetries { $0.policy = newValue } }
    }

    /// Those who decide whether the request is sent again, before the session's. Default: none.
    public var retriers: [any Retrier] {
        get { contents.value.retries?.value.retriers ?? [] }
        set { setRetries { $0.retriers = newValue } }
    }

    /// Whether there is a ``retryPolicy`` or one of ``retriers``, without a copy of them.
    var hasRetries: Bool { contents.value.retries != nil }

    private mutating func setRetries(_ change: (inout Retries) -> Void) {
        var retries = contents.value.retries?.value ?? Retries()
        change(&retries)
        contents.unique.value.retries = retries.isDefault ? nil : CopyOnWrite(retries)
    }

    /// Makes a request.
    ///
    /// - Parameters:
    ///   - method: The method. Default: GET.
    ///   - url: The absolute URL.
    ///   - headerFields: The header fields. Default: none.
    ///   - body: The body. Default: none.
    public init(
        method: HTTPRequest.Method = .get,
        url: URL,
        headerFields: HTTPFields = [:],
        body: RequestBody? = nil
    ) {
        var contents = Contents(method: method, url: url, headerFields: headerFields, body: body)
        contents.takeCredential()
        self.contents = CopyOnWrite(contents)
    }

    /// Makes a request for a URL that may have been taken apart already.
    init(method: HTTPRequest.Method, url: URL, target: RequestTarget?, headerFields: HTTPFields) {
        contents = CopyOnWrite(Contents(method: method, url: url, target: target, headerFields: headerFields))
    }

    /// Replaces the URL by one that may have been taken apart already.
    mutating func setURL(_ url: URL, target: RequestTarget?) {
        contents.unique.value.url = url
        contents.unique.value.target = target
    }

    /// The URL taken apart, if that has been done already.
    var knownTarget: RequestTarget? { contents.value.target }

    /// The URL taken apart, for the engine.
    var target: RequestTarget {
        get throws(NetworkingError) {
            if let target = contents.value.target { return target }
            return try RequestTarget(url)
        }
    }
}

extension Request: CustomStringConvertible, CustomReflectable {
    /// Method and URL, without credentials and query values.
    public var description: String { "\(method.rawValue) \(url.redactedDescription)" }

    /// The names of the header fields, so that `dump` shows no secret.
    public var customMirror: Mirror { Mirror(self, children: ["headerFields": ConcealedFields(headerFields)]) }
}

/// A request as it was sent: with the `Accept-Encoding` that the engine wrote behind its fields.
/// The two are put together only when ``request`` is read.
struct SentRequest: Sendable {
    /// The request as it came to the engine.
    let base: Request
    private let offer: ContentCoding.Offer?

    init(_ base: Request, offer: ContentCoding.Offer? = nil) {
        self.base = base
        self.offer = offer
    }

    var request: Request {
        guard let offer else { return base }
        var request = base
        request.headerFields.append(HTTPField(name: .acceptEncoding, value: offer.value))
        return request
    }

    /// The same without its body and its settings: for a record that is kept long.
    var bare: SentRequest {
        SentRequest(
            Request(method: base.method, url: base.url, headerFields: base.headerFields),
            offer: offer
        )
    }
}
