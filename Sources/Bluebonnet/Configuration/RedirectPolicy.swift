/// What to do when the server redirects (RFC 9110 §15.4).
public enum RedirectPolicy: Sendable, Hashable {
    /// Follow, up to ``Limits/redirects`` times; from `https` to `http` only without a body, unless
    /// ``SessionConfiguration/sendsBodiesOnInsecureRedirects``. The default.
    case follow
    /// Hand the 3xx response to the caller.
    case manual
    /// Fail with ``NetworkingError/Code/redirectRefused``.
    case error
}
