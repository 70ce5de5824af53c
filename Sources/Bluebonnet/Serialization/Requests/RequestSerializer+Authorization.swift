#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import HTTPTypes

extension RequestSerializer {
    /// Sets `Authorization` to a user name and a password (RFC 7617): `Basic` and their Base64 in UTF-8.
    ///
    /// - Parameters:
    ///   - username: The user name. It cannot contain a colon: the server would take the rest for the password.
    ///   - password: The password.
    public mutating func setAuthorization(username: String, password: String) {
        headerFields[.authorization] = "Basic \(Data("\(username):\(password)".utf8).base64EncodedString())"
    }

    /// Sets `Authorization` to a bearer token (RFC 6750 §2.1).
    ///
    /// - Parameter bearerToken: The token.
    public mutating func setAuthorization(bearerToken: String) {
        headerFields[.authorization] = "Bearer \(bearerToken)"
    }

    /// Sets `Authorization` to `Token token="…"`, as AFNetworking's `setAuthorizationHeaderFieldWithToken:` did.
    ///
    /// - Parameter token: The token; `"` and `\\` are escaped (RFC 9110 §5.6.4).
    public mutating func setAuthorization(token: String) {
        let escaped = token.flatMap { $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)" }
        headerFields[.authorization] = "Token token=\"\(String(escaped))\""
    }

    /// Removes `Authorization`.
    public mutating func clearAuthorization() {
        headerFields[.authorization] = nil
    }
}
