import HTTPTypes

extension RequestSerializer {
    /// Sets `Authorization` to a user name and a password (RFC 7617): `Basic` and their Base64 in
    /// UTF-8.
    ///
    /// - Parameters:
    ///   - username: The user name. It cannot contain a colon: the server would take the rest for
    ///     the password.
    ///   - password: The password.
    /// - Throws: ``NetworkingError/Code/invalidRequest`` for a colon in the user name and for
    ///   control characters (RFC 7617 §2). `Authorization` is unchanged then.
    public mutating func setAuthorization(username: String, password: String) throws(NetworkingError) {
        headerFields[.authorization] = try RequestHeaders.basicCredentials(username: username, password: password)
    }

    /// Sets `Authorization` to a bearer token (RFC 6750 §2.1).
    ///
    /// - Parameter bearerToken: The token.
    /// - Throws: ``NetworkingError/Code/invalidRequest`` for a control character, such as the line
    ///   end of a file, and for a space at the end. `Authorization` is unchanged then.
    public mutating func setAuthorization(bearerToken: String) throws(NetworkingError) {
        try setAuthorization(checked: "Bearer \(bearerToken)")
    }

    /// Sets `Authorization` to `Token token="…"`, as AFNetworking's
    /// `setAuthorizationHeaderFieldWithToken:` did.
    ///
    /// - Parameter token: The token; `"` and `\\` are escaped (RFC 9110 §5.6.4).
    /// - Throws: ``NetworkingError/Code/invalidRequest`` for a control character. `Authorization`
    ///   is unchanged then.
    public mutating func setAuthorization(token: String) throws(NetworkingError) {
        // Scalars are compared: a quotation mark with an accent is one `Character`, and ends the
        // quotation, too.
        let escaped = token.unicodeScalars.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)" }
        try setAuthorization(checked: "Token token=\"\(escaped.joined())\"")
    }

    /// `HTTPFields` would send another credential than the one that was given.
    private mutating func setAuthorization(checked value: String) throws(NetworkingError) {
        try HTTPField.Name.authorization.check(value)
        headerFields[.authorization] = value
    }

    /// Removes `Authorization`.
    public mutating func clearAuthorization() {
        headerFields[.authorization] = nil
    }
}
