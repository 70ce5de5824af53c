/// The type to decode when the body of a response does not matter:
/// `let _: EmptyBody = try await api.delete("users/42")`.
///
/// It can be decoded from every body and from an empty one. A call that wants no result needs no
/// type: `try await api.delete("users/42")`. Counterpart of `Empty` in Alamofire.
public struct EmptyBody: Decodable, Sendable, Hashable, EmptyBodyRepresentable {
    /// The only value.
    public static var emptyBody: Self { Self() }

    /// Makes the only value.
    public init() {}

    /// Reads nothing.
    public init(from decoder: any Decoder) {}
}

/// A type that has a value for a response without a body.
///
/// Optionals have one (nil), ``EmptyBody`` and ``JSONValue`` too; conform your own type if it has a
/// natural one. Counterpart of `EmptyResponse` in Alamofire.
public protocol EmptyBodyRepresentable {
    /// The value of a response without a body.
    static var emptyBody: Self { get }
}

extension Optional: EmptyBodyRepresentable {
    /// Nil.
    public static var emptyBody: Self { nil }
}

extension JSONValue: EmptyBodyRepresentable {
    /// `null`.
    public static var emptyBody: Self { .null }
}
