import HTTPTypes

extension RequestSerializer {
    /// Sets or removes a default header field by its name, in any case. Counterpart of
    /// `setValue:forHTTPHeaderField:`.
    ///
    /// - Parameters:
    ///   - value: The value, or nil to remove the field.
    ///   - name: The name of the field.
    /// - Throws: ``NetworkingError/Code/invalidRequest`` for a name that is not a token, and for a
    ///   value with a control character, or with white space at an end (RFC 9110 §5). Nothing
    ///   changes then.
    public mutating func setValue(_ value: String?, forHeaderField name: String) throws(NetworkingError) {
        let fieldName = try HTTPField.Name(checked: name)
        if let value { try fieldName.check(value) }
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
