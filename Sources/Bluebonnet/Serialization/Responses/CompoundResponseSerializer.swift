public import FoundationEssentials

/// Tries several serializers in order; the first that can read the response wins.
///
/// ```swift
/// enum Status { case json(JSONValue), text(String) }
/// let response = try await api.get(
///     "status",
///     as: .compound(.trying(.json, as: Status.json), .trying(.string, as: Status.text))
/// )
/// ```
///
/// A serializer can read a response when it returns a value, and also when it refuses the response
/// only for its status but has parsed its body: then its error is thrown, with the value in
/// ``NetworkingError/parsedBody``. Therefore the order matters: put serializers of few responses
/// before those of all. `.data` and `.string` read all.
///
/// When none can, the error has the code that all of their errors have, else
/// ``NetworkingError/Code/responseSerializationFailed``; its message has all their messages, and
/// below it is a ``CompoundResponseError`` with their errors.
///
/// Each serializer validates for itself. The compound's own ``validation`` accepts everything by
/// default; what it refuses, no serializer can accept. It is checked first:
/// a response whose content type it refuses is not parsed; one that it refuses for its status or by
/// a rule is parsed, and the value is in ``NetworkingError/parsedBody`` if one of the serializers
/// can read it.
///
/// Counterpart of `AFCompoundResponseSerializer`, but a response that none can read is an error and
/// not `NSData`; put `.data` last for that.
public struct CompoundResponseSerializer<Output: Sendable>: ValidatingResponseSerializer {
    /// One of the serializers, with the conversion of its value.
    public struct Alternative: Sendable {
        fileprivate let isLengthy: Bool
        fileprivate let serialize: @Sendable (Data, ResponseHead, Request) -> Result<Output, NetworkingError>

        /// A serializer of the same output.
        ///
        /// - Parameter serializer: The serializer.
        /// - Returns: The alternative.
        public static func trying<Serializer: ResponseSerializer>(
            _ serializer: Serializer
        ) -> Alternative where Serializer.Output == Output {
            trying(serializer) { $0 }
        }

        /// A serializer of another output.
        ///
        /// - Parameters:
        ///   - serializer: The serializer.
        ///   - transform: Makes the output: the case of an enum, or a closure, which after a
        ///     leading dot must be marked `@Sendable`. When it throws, the next serializer is
        ///     tried.
        /// - Returns: The alternative.
        public static func trying<Serializer: ResponseSerializer>(
            _ serializer: Serializer,
            as transform: @escaping @Sendable (Serializer.Output) throws -> Output
        ) -> Alternative {
            Alternative(isLengthy: serializer.isLengthy) { body, head, request in
                do throws(NetworkingError) {
                    let value = try serializer.serialize(body, head: head, request: request)
                    do {
                        return .success(try transform(value))
                    } catch {
                        let message = "The response could not be used: \(error)"
                        throw NetworkingError(.responseSerializationFailed, message, underlying: error)
                    }
                } catch {
                    var error = error
                    if let body = error.parsedBody, let parsed = body as? Serializer.Output,
                        let value = try? transform(parsed)
                    {
                        error.parsedBody = value
                    }
                    return .failure(error.completed(request: request, response: head, body: body))
                }
            }
        }
    }

    /// The responses that are accepted, before any serializer is tried. Default: all.
    public var validation = ResponseValidation.none

    /// Whether one of the serializers is.
    public var isLengthy: Bool { alternatives.contains(where: \.isLengthy) }

    private let alternatives: [Alternative]

    /// Makes a serializer of several with the same output.
    ///
    /// - Parameter serializers: The serializers in the order they are tried.
    public init(_ serializers: [any ResponseSerializer<Output>]) {
        alternatives = serializers.map { Self.alternative($0) }
    }

    private static func alternative(_ serializer: some ResponseSerializer<Output>) -> Alternative {
        .trying(serializer)
    }

    /// Makes a serializer of several with different outputs.
    ///
    /// - Parameter alternatives: The serializers in the order they are tried.
    public init(_ alternatives: [Alternative]) {
        self.alternatives = alternatives
    }

    /// Tries the serializers in order.
    ///
    /// - Parameters:
    ///   - body: The decoded body bytes.
    ///   - head: Status and header fields.
    ///   - request: The request of the response.
    /// - Returns: The value of the first that has one.
    /// - Throws: ``NetworkingError``: that of the ``validation``, of the first serializer that
    /// parsed
    ///   the body of a refused response, or of all of them.
    public func serialize(_ body: Data, head: ResponseHead, request: Request) throws(NetworkingError) -> Output {
        guard var failure = validation.failure(body, head: head, request: request) else {
            return try firstValue(body, head, request)
        }
        guard !failure.contains(.unacceptableContentType) else { throw failure }
        do {
            failure.parsedBody = try firstValue(body, head, request)
        } catch {
            failure.parsedBody = error.parsedBody
        }
        throw failure
    }

    private func firstValue(_ body: Data, _ head: ResponseHead, _ request: Request) throws(NetworkingError) -> Output {
        var failures: [NetworkingError] = []
        for alternative in alternatives {
            switch alternative.serialize(body, head, request) {
            case .success(let value): return value
            case .failure(let error) where error.parsedBody != nil: throw error
            case .failure(let error): failures.append(error)
            }
        }
        let codes = Set(failures.map(\.code))
        throw NetworkingError(
            (codes.count == 1 ? codes.first : nil) ?? .responseSerializationFailed,
            CompoundResponseError(failures: failures).description,
            request: request,
            response: head,
            body: body,
            underlying: CompoundResponseError(failures: failures)
        )
    }
}

extension ResponseSerializer {
    /// Several serializers with the same output; the first that can read the response wins.
    ///
    /// - Parameter serializers: The serializers in the order they are tried.
    /// - Returns: The serializer.
    public static func compound<Output>(
        _ serializers: [any ResponseSerializer<Output>]
    ) -> Self where Self == CompoundResponseSerializer<Output> {
        Self(serializers)
    }

    /// Several serializers with different outputs; the first that can read the response wins.
    ///
    /// - Parameter alternatives: The serializers in the order they are tried, each with the
    ///   conversion of its value.
    /// - Returns: The serializer.
    public static func compound<Output>(
        _ alternatives: CompoundResponseSerializer<Output>.Alternative...
    ) -> Self where Self == CompoundResponseSerializer<Output> {
        Self(alternatives)
    }
}

/// The errors of all serializers of a ``CompoundResponseSerializer`` for a response that none could
/// read. No counterpart in AFNetworking or Alamofire.
public struct CompoundResponseError: Error, Sendable, CustomStringConvertible {
    /// The errors, in the order the serializers were tried.
    public let failures: [NetworkingError]

    /// The messages of all errors, numbered.
    public var description: String {
        let reasons = failures.enumerated().map { "\($0.offset + 1). \($0.element.message)" }
        return "None of \(failures.count) serializers could read the response: \(reasons.joined(separator: " "))"
    }
}
