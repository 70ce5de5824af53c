/// What each serializer of a ``CompoundResponseSerializer`` said of a response that none could read.
public struct CompoundResponseError: Error, Sendable, CustomStringConvertible {
    /// The errors, in the order the serializers were tried.
    public let failures: [NetworkingError]

    /// All the sentences, numbered.
    public var description: String {
        let reasons = failures.enumerated().map { "\($0.offset + 1). \($0.element.message)" }
        return "None of \(failures.count) serializers could read the response: \(reasons.joined(separator: " "))"
    }
}
