public import FoundationEssentials

/// A response serializer that validates by status codes and content types first.
///
/// The functions here make a changed copy, for choosing with a leading dot:
/// `as: .json.acceptingAnyStatus()`.
public protocol ValidatingResponseSerializer: ResponseSerializer {
    /// Which responses are accepted.
    var validation: ResponseValidation { get set }
}

extension ValidatingResponseSerializer {
    /// The same serializer with another validation.
    ///
    /// - Parameter validation: Which responses are accepted.
    /// - Returns: The copy.
    public func validating(_ validation: ResponseValidation) -> Self {
        var copy = self
        copy.validation = validation
        return copy
    }

    /// The same serializer, accepting these status codes.
    ///
    /// - Parameter statusCodes: The acceptable codes, for example `200..<400`.
    /// - Returns: The copy.
    public func accepting(statusCodes: some Sequence<Int>) -> Self {
        var copy = self
        copy.validation.acceptableStatusCodes = Set(statusCodes)
        return copy
    }

    /// The same serializer, accepting these content types.
    ///
    /// - Parameter contentTypes: The acceptable media types in lower case, for example
    ///   `["application/problem+json"]`.
    /// - Returns: The copy.
    public func accepting(contentTypes: Set<String>) -> Self {
        var copy = self
        copy.validation.acceptableContentTypes = contentTypes
        return copy
    }

    /// The same serializer, accepting these content types and those it accepted before.
    ///
    /// - Parameter contentTypes: More media types in lower case; patterns as in
    ///   ``ResponseValidation/acceptableContentTypes``, for example `["application/*+json"]`.
    /// - Returns: The copy.
    public func accepting(additionalContentTypes contentTypes: Set<String>) -> Self {
        var copy = self
        copy.validation.acceptableContentTypes?.formUnion(contentTypes)
        return copy
    }

    /// The same serializer, accepting the content types that the request's `Accept` asks for.
    public func acceptingByAcceptHeader() -> Self {
        var copy = self
        copy.validation.followsAcceptHeader = true
        return copy
    }

    /// The same serializer with one rule more, for responses whose status and content type are
    /// acceptable.
    ///
    /// After a leading dot the compiler wants to be told that the closure is sendable:
    /// `as: .json.requiring { @Sendable head, body, request in … }`.
    ///
    /// - Parameter check: Looks at the head, the body and the request, and throws to refuse the
    ///   response; see ``ResponseRule``.
    /// - Returns: The copy.
    public func requiring(
        _ check: @escaping @Sendable (_ head: ResponseHead, _ body: Data, _ request: Request) throws -> Void
    ) -> Self {
        var copy = self
        copy.validation.rules.append(ResponseRule(check))
        return copy
    }

    /// The same serializer, accepting every status code.
    public func acceptingAnyStatus() -> Self {
        var copy = self
        copy.validation.acceptableStatusCodes = nil
        return copy
    }

    /// The same serializer, accepting every content type.
    public func acceptingAnyContentType() -> Self {
        var copy = self
        copy.validation.acceptableContentTypes = nil
        return copy
    }
}

extension ValidatingResponseSerializer {
    /// Validates, parses, and chains what fails, as all of AFNetworking's serializers do.
    ///
    /// With a wrong content type the body is not parsed. With a bad status alone it is: what comes
    /// of it goes into ``NetworkingError/parsedBody``. A parsing error is the outer one, with the
    /// validation's below it.
    ///
    /// `parse` throws an error with its sentence and the fault below it; the rest is filled in
    /// here.
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
