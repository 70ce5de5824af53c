/// The keys and values that keyed containers have taken, in the order in which the keys came.
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
