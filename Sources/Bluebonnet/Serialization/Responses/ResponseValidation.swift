public import FoundationEssentials
import HTTPTypes

/// The status codes and content types that a response may have, and other rules for it.
///
/// Counterpart of `acceptableStatusCodes` and `acceptableContentTypes` of
/// `AFHTTPResponseSerializer`, with its error texts. The rules are the counterpart of Alamofire's
/// `validate` closures.
public struct ResponseValidation: Sendable, Hashable {
    /// The acceptable status codes; nil for any. Default: 200 to 299.
    public var acceptableStatusCodes: Set<Int>?

    /// The acceptable media types in lower case and without parameters. Default: `["*/*"]`, which
    /// is any.
    ///
    /// `application/json` is one type, `text/*` all types of text, `*/*` every type and also none,
    /// and `application/*+json` all types with the suffix of JSON (RFC 6839).
    public var acceptableContentTypes: Set<String> {
        didSet { acceptsAnyContentType = acceptableContentTypes.contains("*/*") }
    }

    /// Kept, so that the responses of most requests cost no lookup.
    private var acceptsAnyContentType: Bool

    /// Whether the content type must be one of the request's `Accept`, instead of
    /// ``acceptableContentTypes``. A request without `Accept` takes any. Default: false.
    public var followsAcceptHeader = false

    /// Other rules, checked in order when the status and the content type are
    /// acceptable, up to the first that refuses. Default: none.
    public var rules: [ResponseRule] = []

    /// The status codes that are acceptable by default: 200 to 299.
    public static let successfulStatusCodes = Set(200..<300)

    /// The pattern of every media type, `["*/*"]`, which also accepts a response without a type.
    public static let anyContentType: Set<String> = ["*/*"]

    /// The media types of `AFJSONResponseSerializer`: `application/json`, `text/json` and
    /// `text/javascript`.
    public static let jsonContentTypes: Set<String> = ["application/json", "text/json", "text/javascript"]

    /// ``jsonContentTypes`` and every type with the suffix `+json` (RFC 6839), such as
    /// `application/problem+json`.
    public static let jsonContentTypesWithSuffix = jsonContentTypes.union(["*/*+json"])

    /// Every status 2xx, every content type.
    public static let `default` = ResponseValidation()

    /// Every status 2xx, and the content types of JSON.
    ///
    /// As in AFNetworking, `application/problem+json` and similar types are not among them;
    /// ``jsonWithSuffix`` has them.
    public static let json = ResponseValidation(contentTypes: jsonContentTypes)

    /// Every status 2xx, the content types of JSON and every type with the suffix `+json`.
    public static let jsonWithSuffix = ResponseValidation(contentTypes: jsonContentTypesWithSuffix)

    /// Every status 2xx, and the content types of the request's `Accept`, as in Alamofire's
    /// `validate()`.
    public static let byAcceptHeader: ResponseValidation = {
        var validation = ResponseValidation()
        validation.followsAcceptHeader = true
        return validation
    }()

    /// Every status and every content type.
    public static let none = ResponseValidation(statusCodes: nil)

    /// Makes a validation.
    ///
    /// - Parameters:
    ///   - statusCodes: The acceptable status codes; nil for any. Default: 200 to 299.
    ///   - contentTypes: The acceptable media types in lower case. Default: any.
    public init(
        statusCodes: Set<Int>? = Self.successfulStatusCodes,
        contentTypes: Set<String> = Self.anyContentType
    ) {
        acceptableStatusCodes = statusCodes
        acceptableContentTypes = contentTypes
        acceptsAnyContentType = contentTypes.contains("*/*")
    }

    /// A copy of the validation with one more rule.
    ///
    /// - Parameter check: Throws to refuse; see ``ResponseRule``.
    /// - Returns: The copy.
    public func requiring(
        _ check: @escaping @Sendable (ResponseHead, Data, Request) throws -> Void
    ) -> ResponseValidation {
        var copy = self
        copy.rules.append(ResponseRule(check))
        return copy
    }

    /// Checks a response.
    ///
    /// The content type does not matter for an empty body that is expected to be empty: the
    /// response to HEAD, 204, 205 and 304, and without a `Content-Type`. (AFNetworking accepted
    /// every empty body in silence.)
    ///
    /// - Parameters:
    ///   - body: The body bytes.
    ///   - head: Status and header fields.
    ///   - request: The request of the response.
    /// - Throws: ``NetworkingError/Code/unacceptableStatusCode``,
    ///   ``NetworkingError/Code/unacceptableContentType`` or
    ///   ``NetworkingError/Code/responseRefused``. When status and type fail, the status is the
    ///   error and the content type is below it.
    public func validate(_ body: Data, head: ResponseHead, request: Request) throws(NetworkingError) {
        if let failure = failure(body, head: head, request: request) { throw failure }
    }

    /// The error that ``validate(_:head:request:)`` throws; nil for none.
    func failure(_ body: Data, head: ResponseHead, request: Request) -> NetworkingError? {
        var failure: NetworkingError?
        if let acceptableContentTypes = contentTypes(for: request) {
            let type = head.mediaType
            let isAcceptable = MediaTypePattern.accept(type, acceptableContentTypes)
            if !isAcceptable, !Self.isRightlyEmpty(body, type: type, head: head, request: request) {
                failure = NetworkingError(
                    .unacceptableContentType,
                    "Request failed: unacceptable content-type: \(type ?? "(none)")",
                    request: request,
                    response: head,
                    body: body
                )
            }
        }
        let code = head.statusCode
        if let acceptableStatusCodes, !acceptableStatusCodes.contains(code) {
            failure = NetworkingError(
                .unacceptableStatusCode,
                "Request failed: \(Self.reason(code)) (\(code))",
                request: request,
                response: head,
                body: body,
                underlying: failure
            )
        }
        if failure != nil || rules.isEmpty { return failure }
        for rule in rules {
            if let refusal = rule.refusal(head, body, request) { return refusal }
        }
        return nil
    }

    private func contentTypes(for request: Request) -> Set<String>? {
        guard followsAcceptHeader else { return acceptsAnyContentType ? nil : acceptableContentTypes }
        return request.headerFields[.accept].map(MediaTypePattern.patterns(ofAccept:)) ?? nil
    }

    /// Whether a response is empty as it must be: RFC 9110 §9.3.2 (HEAD), §15.3.5 (204), §15.3.6
    /// (205), §15.4.5 (304), §8.3 (no type without content).
    private static func isRightlyEmpty(_ body: Data, type: String?, head: ResponseHead, request: Request) -> Bool {
        guard body.isEmpty else { return false }
        return type == nil || request.method == .head || [204, 205, 304].contains(head.statusCode)
    }
}
