import FoundationEssentials

/// An encoded value in its order, before it is written with names.
enum FormValue {
    /// Nothing was encoded.
    case nothing
    case null
    case text(String)
    /// The content of a part of a multipart form.
    case data(Data)
    case array(FormArray)
    case object(FormObject)
    /// The value of an encoder that may not be finished, such as that of `superEncoder()`.
    case deferred(FormTreeEncoder)

    /// The value itself, where it is that of an encoder.
    var resolved: FormValue {
        var value = self
        while case .deferred(let encoder) = value { value = encoder.value }
        return value
    }

    /// The kind of a value that cannot be the top of a form, for messages; nil for others.
    var keylessName: String? {
        switch resolved {
        case .null, .object: nil
        case .array(let array): array.isSet ? "a set" : "an array"
        case .text, .data: "a single value"
        case .nothing, .deferred: "a value that encodes nothing"
        }
    }
}

/// The elements that an unkeyed container has taken.
///
/// A reference, because containers are values that several parties may hold.
final class FormArray {
    var elements: [FormValue] = []
    /// Whether the elements come from a set, so that their order means nothing.
    var isSet = false
}

/// The keys and values that keyed containers have taken, in the order of the keys.
///
/// A reference, because containers are values that several parties may hold.
final class FormObject {
    private var values = NamedValues<FormValue>()

    var pairs: [(key: String, value: FormValue)] { values.pairs }

    subscript(key: String) -> FormValue? {
        get { values[key] }
        set { values[key] = newValue }
    }
}
