public import FoundationEssentials

/// Your own check of a response, as part of a ``ResponseValidation``.
///
/// A stream is validated before its body is read: a rule then gets a body of one space.
///
/// Counterpart of Alamofire's `validate` closures; users of AFNetworking overrode
/// `validateResponse:data:error:`.
public struct ResponseRule: Sendable, Hashable {
    /// The closure, in a class, so that a rule has an identity.
    private final class Check: Sendable {
        let run: @Sendable (ResponseHead, Data, Request) throws -> Void

        init(_ run: @escaping @Sendable (ResponseHead, Data, Request) throws -> Void) {
            self.run = run
        }
    }

    private let check: Check

    /// Makes a rule.
    ///
    /// - Parameter check: Checks the head, the body and the request, and throws to refuse the
    ///   response. A ``NetworkingError`` becomes the error of the request as it is; any other is
    ///   below ``NetworkingError/Code/responseRefused``.
    public init(_ check: @escaping @Sendable (_ head: ResponseHead, _ body: Data, _ request: Request) throws -> Void) {
        self.check = Check(check)
    }

    func refusal(_ head: ResponseHead, _ body: Data, _ request: Request) -> NetworkingError? {
        do {
            try check.run(head, body, request)
            return nil
        } catch let error as NetworkingError {
            return error.completed(request: request, response: head, body: body)
        } catch {
            return NetworkingError(
                .responseRefused,
                "Request failed: the response was refused: \(error)",
                request: request,
                response: head,
                body: body,
                underlying: error
            )
        }
    }

    /// Whether one rule is a copy of the other.
    public static func == (left: ResponseRule, right: ResponseRule) -> Bool { left.check === right.check }

    /// Feeds the identity into the hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(check)) }
}
