import HTTPTypes

/// Header fields of which descriptions show only the names: any value may be a secret.
struct ConcealedFields: Sendable, CustomStringConvertible, CustomReflectable {
    /// The fields as they are sent or were received.
    var fields: HTTPFields

    init(_ fields: HTTPFields) {
        self.fields = fields
    }

    /// The names in their order: `[Accept-Language, Authorization]`.
    var description: String { "[\(fields.map { "\($0.name)" }.joined(separator: ", "))]" }

    /// Nothing, so that `dump` shows no value.
    var customMirror: Mirror { Mirror(self, children: []) }
}
