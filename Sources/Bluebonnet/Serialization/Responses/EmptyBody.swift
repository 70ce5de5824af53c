/// What to decode when the body of a response does not matter: `let _: EmptyBody = try await api.delete("users/42")`.
///
/// Decodes from a body that is not there and from any that is.
public struct EmptyBody: Decodable, Sendable, Hashable, EmptyBodyRepresentable {
    /// The one value.
    public static var emptyBody: Self { Self() }

    /// Makes the one value.
    public init() {}

    /// Reads nothing.
    public init(from decoder: any Decoder) {}
}
