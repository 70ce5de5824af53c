/// A way to prove who one is (RFC 9110 §11.1): the first word of a challenge. Its case does not
/// matter. A struct, so that a new one does not break a `switch`.
///
/// Counterpart of `NSURLProtectionSpace.authenticationMethod`.
public struct AuthenticationScheme: Sendable, Hashable, CustomStringConvertible {
    /// The name in lower case: `basic`.
    public let name: String

    /// Makes a scheme of its name.
    ///
    /// - Parameter name: The name, in any case.
    public init(_ name: String) {
        self.name = String(decoding: name.utf8.map(ASCII.lowercased), as: UTF8.self)
    }

    /// User and password, readable for whoever reads the request (RFC 7617).
    public static let basic = AuthenticationScheme("basic")
    /// User and password, proved by a hash (RFC 7616).
    public static let digest = AuthenticationScheme("digest")
    /// A token (RFC 6750).
    public static let bearer = AuthenticationScheme("bearer")

    /// The ``name``.
    public var description: String { name }
}
