/// What a value has encoded, in its order, before names are made of it.
enum FormValue {
    /// Nothing was encoded.
    case nothing
    case null
    case text(String)
    case array(FormArray)
    case object(FormObject)
    /// What this encoder has or will have, such as the one that `superEncoder()` returned.
    case deferred(FormTreeEncoder)

    /// What stands here once every encoder has been used.
    var resolved: FormValue {
        var value = self
        while case .deferred(let encoder) = value { value = encoder.value }
        return value
    }

    /// What this is, when it cannot be the top of a form.
    var keylessName: String? {
        switch resolved {
        case .null, .object: nil
        case .array(let array): array.isSet ? "a set" : "an array"
        case .text: "a single value"
        case .nothing, .deferred: "a value that encodes nothing"
        }
    }
}
