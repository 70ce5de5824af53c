public import FoundationEssentials

/// A response serializer that validates by status codes and content types first.
///
/// These functions return a changed copy, to be called after a leading dot:
/// `as: .json.acceptingAnyStatus()`. A serializer in a variable can be changed, also behind
/// `any ValidatingResponseSerializer<JSONValue>`:
///
/// ```swift
/// api.responseSerializer.acceptableContentTypes.insert("text/html")
/// ```
///
/// Counterpart of the two properties of `AFHTTPResponseSerializer`.
public protocol ValidatingResponseSerializer<Output>: ResponseSerializer {
    /// The responses that are accepted.
    var validation: ResponseValidation { get set }
}

extension ValidatingResponseSerializer {
    /// The acceptable status codes; nil for any. See ``ResponseValidation/acceptableStatusCodes``.
    public var acceptableStatusCodes: Set<Int>? {
        get { validation.acceptableStatusCodes }
        set { validation.acceptableStatusCodes = newValue }
    }

    /// The acceptable media types in lower case; `["*/*"]` for any. See
    /// ``ResponseValidation/acceptableContentTypes``.
    public var acceptableContentTypes: Set<String> {
        get { validation.acceptableContentTypes }
        set { validation.acceptableContentTypes = newValue }
    }
}

extension ValidatingResponseSerializer {
    /// A copy of the serializer with another validation.
    ///
    /// - Parameter validation: The responses that are accepted.
    /// - Returns: The copy.
    public func validating(_ validation: ResponseValidation) -> Self {
        var copy = self
        copy.validation = validation
        return copy
    }

    /// A copy of the serializer that accepts these status codes.
    ///
    /// - Parameter statusCodes: The acceptable codes, for example `200..<400`.
    /// - Returns: The copy.
    public func accepting(statusCodes: some Sequence<Int>) -> Self {
        var copy = self
        copy.validation.acceptableStatusCodes = Set(statusCodes)
        return copy
    }

    /// A copy of the serializer that accepts these content types.
    ///
    /// - Parameter contentTypes: The acceptable media types in lower case, for example
    ///   `["application/problem+json"]`.
    /// - Returns: The copy.
    public func accepting(contentTypes: Set<String>) -> Self {
        var copy = self
        copy.validation.acceptableContentTypes = contentTypes
        return copy
    }

    /// A copy of the serializer that also accepts these content types.
    ///
    /// - Parameter contentTypes: More media types in lower case; patterns as in
    ///   ``ResponseValidation/acceptableContentTypes``, for example `["application/*+json"]`.
    /// - Returns: The copy.
    public func accepting(additionalContentTypes contentTypes: Set<String>) -> Self {
        var copy = self
        copy.validation.acceptableContentTypes.formUnion(contentTypes)
        return copy
    }

    /// A copy of the serializer that accepts the content types of the request's `Accept`.
    public func acceptingByAcceptHeader() -> Self {
        var copy = self
        copy.validation.followsAcceptHeader = true
        return copy
    }

    /// A copy of the serializer with one more rule, for responses whose status and content type are
    /// acceptable.
    ///
    /// After a leading dot the closure must be marked as sendable:
    /// `as: .json.requiring { @Sendable head, body, request in … }`.
    ///
    /// - Parameter check: Checks the head, the body and the request, and throws to refuse the
    ///   response; see ``ResponseRule``.
    /// - Returns: The copy.
    public func requiring(
        _ check: @escaping @Sendable (_ head: ResponseHead, _ body: Data, _ request: Request) throws -> Void
    ) -> Self {
        var copy = self
        copy.validation.rules.append(ResponseRule(check))
        return copy
    }

    /// A copy of the serializer that accepts every status code.
    public func acceptingAnyStatus() -> Self {
        var copy = self
        copy.validation.acceptableStatusCodes = nil
        return copy
    }

    /// A copy of the serializer that accepts every content type.
    public func acceptingAnyContentType() -> Self {
        var copy = self
        copy.validation.acceptableContentTypes = ResponseValidation.anyContentType
        return copy
    }
}

extension ValidatingResponseSerializer {
    /// Validates, parses, and chains the errors, as all of AFNetworking's serializers do.
    ///
    /// With a refused content type the body is not parsed. If only the status is refused, it is
    /// parsed, and the value is in ``NetworkingError/parsedBody``. A parsing error is the outer
    /// one, with that of the validation below it.
    ///
    /// `parse` throws an error with its message and the error below it; this method adds the
    /// request and the response.
    package func validated(
        _ body: Data,
        head: ResponseHead,
        request: Request,
        parse: (Data) throws(NetworkingError) -> Output
    ) throws(NetworkingError) -> Output {
        let failure = validation.failure(body, head: head, request: request)
        if let failure, failure.contains(.unacceptableContentType) { throw failure }
        let value: Output
        do {
            value = try parse(body)
        } catch {
            var error = error.completed(request: request, response: head, body: body)
            error.underlying = failure ?? error.underlying
            throw error
        }
        guard var failure else { return value }
        failure.parsedBody = value
        throw failure
    }
}
