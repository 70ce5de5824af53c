import HTTPTypes

extension RequestSerializer {
    /// Sets or removes a default header field by its name, in any case. Counterpart of
    /// `setValue:forHTTPHeaderField:`.
    ///
    /// - Parameters:
    ///   - value: The value, or nil to remove the field.
    ///   - name: The name of the field.
    /// - Throws: ``NetworkingError/Code/invalidRequest`` for an invalid name or value (RFC
    ///   9110 §5); nothing changes then.
    public mutating func setValue(_ value: String?, forHeaderField name: String) throws(NetworkingError) {
        guard let fieldName = HTTPField.Name(name) else {
            throw NetworkingError(.invalidRequest, "“\(name)” cannot be the name of a header (RFC 9110 §5.1).")
        }
        guard value.map(HTTPField.isValidValue) ?? true else {
            throw NetworkingError(.invalidRequest, "The value of \(name) has CR, LF or NUL in it (RFC 9110 §5.5).")
        }
        headerFields[fieldName] = value
    }

    /// The value of a default header field by its name, in any case. Counterpart of
    /// `valueForHTTPHeaderField:`.
    ///
    /// - Parameter name: The name of the field.
    /// - Returns: The value, several joined with commas; nil without the field.
    public func value(forHeaderField name: String) -> String? {
        HTTPField.Name(name).flatMap { headerFields[$0] }
    }
}
