public import HTTPTypes

/// Turns a method, a URL and parameters into a request: default header fields, and parameters as
/// query or body.
///
/// Counterpart of `AFURLRequestSerialization`. Serializers are values: changing one never changes a
/// request under way. Its settings can be changed behind `any RequestSerializer`, too:
///
/// ```swift
/// api.requestSerializer.timeoutInterval = .seconds(20)
/// api.requestSerializer.methodsEncodingParametersInURI.insert(.post)
/// ```
public protocol RequestSerializer: Sendable {
    /// The header fields and properties of every request, and the rules of parameters.
    var settings: RequestSerializerSettings { get set }

    /// Adds the default header fields, and the parameters as query or body.
    ///
    /// It may be called several times for one request: for its parameters, its `query:` and its
    /// `body:`. A signature of the whole request belongs into an ``Interceptor``.
    ///
    /// - Parameters:
    ///   - request: Method, URL and the fields that are already decided.
    ///   - parameters: The parameters. Where they are empty, neither a query nor a body nor a
    ///     `Content-Type` is added.
    ///   - destination: The place of the parameters. ``ParameterDestination/methodDependent`` is
    ///     the place that the settings choose; the others win over the settings.
    /// - Returns: The request to send.
    /// - Throws: ``NetworkingError/Code/requestSerializationFailed``; nothing is sent then.
    func serialize(
        _ request: consuming Request,
        parameters: Parameters,
        to destination: ParameterDestination
    ) throws(NetworkingError) -> Request
}

extension RequestSerializer {
    /// Adds the default header fields, and the parameters where the settings say.
    ///
    /// - Parameters:
    ///   - request: Method, URL and the fields that are already decided.
    ///   - parameters: The parameters. Default: none.
    /// - Returns: The request to send.
    /// - Throws: ``NetworkingError/Code/requestSerializationFailed``; nothing is sent then.
    public func serialize(
        _ request: consuming Request,
        parameters: Parameters = Parameters()
    ) throws(NetworkingError) -> Request {
        try serialize(request, parameters: parameters, to: .methodDependent)
    }

    /// Adds the defaults of a serializer to a request: the default header fields that it does not
    /// have, all of one name together, and the properties that it has no value for.
    ///
    /// For serializers of your own, which call it first.
    ///
    /// - Parameter request: The request.
    public func applyDefaults(to request: inout Request) {
        settings.applyDefaults(to: &request)
    }
}

/// The settings one by one.
extension RequestSerializer {
    /// The default header fields; see ``RequestSerializerSettings/headerFields``.
    public var headerFields: HTTPFields {
        get { settings.headerFields }
        set { settings.headerFields = newValue }
    }

    /// The properties of every request; see ``RequestSerializerSettings/properties``.
    public var properties: RequestProperties {
        get { settings.properties }
        set { settings.properties = newValue }
    }

    /// The rules of queries and form bodies; see ``RequestSerializerSettings/parameterEncoding``.
    public var parameterEncoding: ParameterEncoding {
        get { settings.parameterEncoding }
        set { settings.parameterEncoding = newValue }
    }

    /// The place of parameters; see ``RequestSerializerSettings/parameterDestination``.
    public var parameterDestination: ParameterDestination {
        get { settings.parameterDestination }
        set { settings.parameterDestination = newValue }
    }

    /// The methods whose parameters go into the query. Default: GET, HEAD and DELETE. Counterpart
    /// of `HTTPMethodsEncodingParametersInURI`.
    public var methodsEncodingParametersInURI: Set<HTTPRequest.Method> {
        get { settings.methodsEncodingParametersInURI }
        set { settings.methodsEncodingParametersInURI = newValue }
    }

    /// The charset of form bodies; see ``RequestSerializerSettings/stringEncoding``.
    public var stringEncoding: Charset {
        get { settings.stringEncoding }
        set { settings.stringEncoding = newValue }
    }

    /// The longest time without a byte of the response; see ``RequestProperties/timeoutInterval``.
    public var timeoutInterval: Duration? {
        get { settings.properties.timeoutInterval }
        set { settings.properties.timeoutInterval = newValue }
    }

    /// The use of a stored response; see ``RequestProperties/cachePolicy``.
    public var cachePolicy: CachePolicy? {
        get { settings.properties.cachePolicy }
        set { settings.properties.cachePolicy = newValue }
    }

    /// The urgency of the response; see ``RequestProperties/priority``. Counterpart of
    /// `networkServiceType`.
    public var priority: RequestPriority? {
        get { settings.properties.priority }
        set { settings.properties.priority = newValue }
    }

    /// Whether cookies are sent and stored; see ``RequestProperties/handlesCookies``. Counterpart
    /// of `HTTPShouldHandleCookies`.
    public var handlesCookies: Bool? {
        get { settings.properties.handlesCookies }
        set { settings.properties.handlesCookies = newValue }
    }

    /// Whether the request may use a network that costs money; see
    /// ``RequestProperties/allowsExpensiveNetworkAccess``.
    public var allowsExpensiveNetworkAccess: Bool? {
        get { settings.properties.allowsExpensiveNetworkAccess }
        set { settings.properties.allowsExpensiveNetworkAccess = newValue }
    }

    /// Whether the request may use a mobile network; see
    /// ``RequestProperties/allowsCellularAccess``. Counterpart of `allowsCellularAccess`.
    public var allowsCellularAccess: Bool? {
        get { settings.properties.allowsCellularAccess }
        set { settings.properties.allowsCellularAccess = newValue }
    }

    /// Whether the request may be sent before the response to an earlier one; see
    /// ``RequestProperties/usesPipelining``. Counterpart of `HTTPShouldUsePipelining`.
    public var usesPipelining: Bool? {
        get { settings.properties.usesPipelining }
        set { settings.properties.usesPipelining = newValue }
    }
}
