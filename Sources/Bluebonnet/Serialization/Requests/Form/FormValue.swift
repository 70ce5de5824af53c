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
    /// Objects with more keys than this get an index.
    private static let largestWithoutIndex = 16

    private(set) var pairs: [(key: String, value: FormValue)] = []
    private var index: [String: Int] = [:]

    /// The value of a key. Setting a key again replaces its value in its place.
    subscript(key: String) -> FormValue? {
        get { position(of: key).map { pairs[$0].value } }
        set {
            let newValue = newValue ?? .nothing
            if let position = position(of: key) {
                pairs[position].value = newValue
                return
            }
            pairs.append((key, newValue))
            if pairs.count == Self.largestWithoutIndex + 1 {
                for (position, pair) in pairs.enumerated() { index[pair.key] = position }
            } else if pairs.count > Self.largestWithoutIndex {
                index[key] = pairs.count - 1
            }
        }
    }

    private func position(of key: String) -> Int? {
        pairs.count > Self.largestWithoutIndex ? index[key] : pairs.firstIndex { $0.key == key }
    }
}
