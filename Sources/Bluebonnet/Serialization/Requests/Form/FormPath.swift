/// The keys on the way to a value; made into an array only for those who ask.
final class FormPath {
    private let parent: FormPath?
    private let key: any CodingKey

    init(_ parent: FormPath?, _ key: any CodingKey) {
        self.parent = parent
        self.key = key
    }

    static func keys(_ path: FormPath?) -> [any CodingKey] {
        var keys: [any CodingKey] = []
        var next = path
        while let path = next {
            keys.append(path.key)
            next = path.parent
        }
        keys.reverse()
        return keys
    }

    /// The way as a person writes it: `orders[2].price`.
    static func description(of keys: [any CodingKey]) -> String {
        JSONPath.text(
            of: keys.map { key in
                if let index = key.intValue, key is CodingPathKey { "[\(index)]" } else { key.stringValue }
            }
        )
    }
}
