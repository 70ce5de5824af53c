public import HTTPTypes

/// What every ``RequestSerializer`` has: the header fields and properties of its requests, and the
/// rules of parameters.
///
/// Each is also a property of the serializer itself. Counterpart of the properties of
/// `AFHTTPRequestSerializer`; unlike there, a copy of a serializer has all of them.
public struct RequestSerializerSettings: Sendable {
    /// The default header fields; the case of names does not matter. A request's own field of the
    /// same name wins. Default: ``HTTPRequestSerializer/defaultHeaderFields``.
    ///
    /// What is printed of a serializer shows their names alone.
    public var headerFields: HTTPFields {
        get { concealedHeaderFields.fields }
        _modify { yield &concealedHeaderFields.fields }
    }

    private var concealedHeaderFields = ConcealedFields(HTTPRequestSerializer.defaultHeaderFields)

    /// The properties that are set on every request without a value for them. Default: none.
    public var properties = RequestProperties()

    /// The rules by which parameters become the text of a query or a form body. Default:
    /// ``ParameterEncoding/standard``, AFNetworking's rules.
    public var parameterEncoding = ParameterEncoding.standard

    /// The place of parameters. Default: ``ParameterDestination/methodDependent``.
    public var parameterDestination = ParameterDestination.methodDependent

    /// The methods whose parameters go into the query. Default: GET, HEAD and DELETE. Counterpart
    /// of `HTTPMethodsEncodingParametersInURI`.
    public var methodsEncodingParametersInURI: Set<HTTPRequest.Method> = Self.defaultMethodsEncodingParametersInURI

    /// The charset of form bodies: names and values are escaped as its bytes, and the
    /// `Content-Type` names it. Default: UTF-8, which is not named.
    ///
    /// Queries are UTF-8 always (RFC 3986 §2.5), and so is JSON.
    public var stringEncoding = Charset.utf8

    private static let defaultMethodsEncodingParametersInURI: Set<HTTPRequest.Method> = [.get, .head, .delete]

    /// Makes the settings of a new serializer.
    public init() {}

    /// Adds the default header fields and the properties that the request does not have.
    func applyDefaults(to request: inout Request) {
        request.headerFields.addMissing(headerFields)
        guard properties != RequestProperties() else { return }
        request.properties = request.properties.filled(from: properties)
        if let priority = request.properties.priority?.description, !priority.isEmpty,
            !request.headerFields.contains(.priority)
        {
            request.headerFields[.priority] = priority
        }
    }

    /// Adds the defaults, and the parameters: as query where they belong there, else by a closure
    /// that sets the body. Errors get the request.
    func serialize(
        _ request: consuming Request,
        _ parameters: Parameters,
        to destination: ParameterDestination,
        setBody: (inout Request) throws(NetworkingError) -> Void
    ) throws(NetworkingError) -> Request {
        var request = request
        applyDefaults(to: &request)
        guard !parameters.isEmpty else { return request }
        do {
            if encodesInURI(request.method, destination) {
                try request.appendQuery(try parameterEncoding.encode(parameters, for: request))
            } else {
                try setBody(&request)
            }
        } catch {
            throw error.completed(request: request)
        }
        return request
    }

    /// Whether parameters go into the query; methods are compared in upper case, as AFNetworking
    /// does.
    private func encodesInURI(_ method: HTTPRequest.Method, _ destination: ParameterDestination) -> Bool {
        switch destination == .methodDependent ? parameterDestination : destination {
        case .queryString: return true
        case .httpBody: return false
        case .methodDependent: break
        }
        return methodsEncodingParametersInURI.contains(method)
            || HTTPRequest.Method(method.rawValue.uppercased()).map(methodsEncodingParametersInURI.contains) ?? false
    }
}

/// The place where a ``RequestSerializer`` puts parameters.
///
/// Counterpart of the `Destination` of Alamofire's `URLEncoding`; in AFNetworking the method
/// decided.
public enum ParameterDestination: Sendable, Hashable {
    /// Into the query for the methods of ``RequestSerializer/methodsEncodingParametersInURI``, else
    /// into the body.
    case methodDependent
    /// Into the query, for all methods.
    case queryString
    /// Into the body, for all methods.
    case httpBody
}
