/// A type that has a value for a response without a body.
///
/// Optionals have one (nil), ``EmptyBody`` and ``JSONValue`` too; conform your own type if it has a natural one.
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
