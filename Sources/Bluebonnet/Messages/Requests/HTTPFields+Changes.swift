import HTTPTypes

extension HTTPFields {
    /// Adds the fields whose names are not here yet; several of one name stay together.
    mutating func addMissing(_ defaults: HTTPFields) {
        guard !isEmpty else {
            // The usual case shares the storage instead of copying field by field.
            self = defaults
            return
        }
        let decided = self
        for field in defaults where !decided.contains(field.name) { append(field) }
    }

    /// Removes the fields whose names in lower case fulfil a condition.
    mutating func removeAll(where isUnwanted: (String) -> Bool) {
        self = HTTPFields(filter { !isUnwanted($0.name.canonicalName) })
    }
}
