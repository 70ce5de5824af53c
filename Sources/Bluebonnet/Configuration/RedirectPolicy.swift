/// What to do when the server redirects (RFC 9110 §15.4).
public struct RedirectPolicy: Sendable, Hashable, CustomStringConvertible {
    /// The name of the policy: `follow`.
    public let description: String

    /// Follow, up to ``Limits/redirects`` times; from `https` to `http` only without a body, unless
    /// ``SessionConfiguration/sendsBodiesOnInsecureRedirects``. The default.
    public static let follow = RedirectPolicy(description: "follow")
    /// Hand the 3xx response to the caller.
    public static let manual = RedirectPolicy(description: "manual")
    /// Fail with ``NetworkingError/Code/redirectRefused``.
    public static let error = RedirectPolicy(description: "error")
}
