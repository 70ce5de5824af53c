import HTTPTypes

extension RequestSerializer {
    /// Adds the default header fields that the request does not have; several of one name are added together.
    func addHeaderFields(to request: inout Request) {
        guard !request.headerFields.isEmpty else {
            // The usual case shares the storage instead of copying field by field.
            request.headerFields = headerFields
            return
        }
        let decided = request.headerFields
        for field in headerFields where !decided.contains(field.name) {
            request.headerFields.append(field)
        }
    }
}
