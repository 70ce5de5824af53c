#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
import HTTPTypes

/// Which status codes and content types a response may have.
///
/// Answers to `acceptableStatusCodes` and `acceptableContentTypes` of `AFHTTPResponseSerializer`, with its error
/// texts.
public struct ResponseValidation: Sendable, Hashable {
    /// The acceptable status codes; nil for any. Default: 200 to 299.
    public var acceptableStatusCodes: Set<Int>?

    /// The acceptable media types in lower case and without parameters (`application/json`); nil for any. Default:
    /// nil.
    public var acceptableContentTypes: Set<String>?

    /// The status codes that are acceptable by default: 200 to 299.
    public static let successfulStatusCodes = Set(200..<300)

    /// The media types of `AFJSONResponseSerializer`: `application/json`, `text/json` and `text/javascript`.
    public static let jsonContentTypes: Set<String> = ["application/json", "text/json", "text/javascript"]

    /// Every status 2xx, every content type.
    public static let `default` = ResponseValidation()

    /// Every status 2xx, and the content types of JSON.
    public static let json = ResponseValidation(contentTypes: jsonContentTypes)

    /// Every status and every content type.
    public static let none = ResponseValidation(statusCodes: nil)

    /// Makes a validation.
    ///
    /// - Parameters:
    ///   - statusCodes: The acceptable status codes; nil for any. Default: 200 to 299.
    ///   - contentTypes: The acceptable media types in lower case; nil for any. Default: nil.
    public init(statusCodes: Set<Int>? = Self.successfulStatusCodes, contentTypes: Set<String>? = nil) {
        acceptableStatusCodes = statusCodes
        acceptableContentTypes = contentTypes
    }

    /// Checks a response.
    ///
    /// The content type does not matter for an empty body that is expected to be empty: the answer to HEAD, 204, 205
    /// and 304, and without a `Content-Type`. (AFNetworking accepted every empty body in silence.)
    ///
    /// - Parameters:
    ///   - body: The body bytes.
    ///   - head: Status and header fields.
    ///   - request: The request that was answered.
    /// - Throws: ``NetworkingError/Code/unacceptableStatusCode`` or ``NetworkingError/Code/unacceptableContentType``.
    ///   When both fail, the status is the error and the content type is below it.
    public func validate(_ body: Data, head: ResponseHead, request: Request) throws(NetworkingError) {
        if let failure = failure(body, head: head, request: request) { throw failure }
    }

    /// What ``validate(_:head:request:)`` throws, as a value.
    func failure(_ body: Data, head: ResponseHead, request: Request) -> NetworkingError? {
        var failure: NetworkingError?
        if let acceptableContentTypes {
            let type = head.mediaType
            let isAcceptable = type.map(acceptableContentTypes.contains) ?? false
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
        return failure
    }

    /// RFC 9110 §9.3.2 (HEAD), §15.3.5 (204), §15.3.6 (205), §15.4.5 (304), §8.3 (no type without content).
    private static func isRightlyEmpty(_ body: Data, type: String?, head: ResponseHead, request: Request) -> Bool {
        guard body.isEmpty else { return false }
        return type == nil || request.method == .head || [204, 205, 304].contains(head.statusCode)
    }
}
