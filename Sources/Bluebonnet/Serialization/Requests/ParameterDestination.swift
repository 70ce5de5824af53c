/// Where ``HTTPRequestSerializer`` puts parameters.
public enum ParameterDestination: Sendable, Hashable {
    /// Into the query for the methods of ``HTTPRequestSerializer/methodsEncodingParametersInURI``, else into the body.
    case methodDependent
    /// Into the query, whatever the method.
    case queryString
    /// Into the body, whatever the method.
    case httpBody
}
