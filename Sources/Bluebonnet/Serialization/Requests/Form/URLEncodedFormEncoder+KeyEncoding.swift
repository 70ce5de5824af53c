extension URLEncodedFormEncoder {
    /// How each key is changed before it becomes part of a name.
    ///
    /// Applies to the keys of types and of dictionaries, at every level.
    public enum KeyEncoding: Sendable {
        /// Keys as they are.
        case useDefaultKeys
        /// Words in lower case with `_` between them, as Foundation's `JSONEncoder` finds them: `myURLProperty` is
        /// `my_url_property`.
        case convertToSnakeCase
        /// The same words with `-` between them.
        case convertToKebabCase
        /// The first character in upper case: `userName` is `UserName`.
        case capitalized
        /// All in upper case.
        case uppercased
        /// All in lower case.
        case lowercased
        /// What the closure makes of the key.
        case custom(@Sendable (_ key: String) -> String)

        func encode(_ key: String) -> String {
            switch self {
            case .useDefaultKeys: key
            case .convertToSnakeCase: Self.words(of: key).joined(separator: "_")
            case .convertToKebabCase: Self.words(of: key).joined(separator: "-")
            case .capitalized: key.prefix(1).uppercased() + key.dropFirst()
            case .uppercased: key.uppercased()
            case .lowercased: key.lowercased()
            case .custom(let change): change(key)
            }
        }

        /// A word starts at a capital that follows something else, and at the last one of several capitals when a
        /// small letter follows them.
        private static func words(of key: String) -> [String] {
            let characters = Array(key)
            guard !characters.isEmpty else { return [] }
            var words: [String] = []
            var start = 0
            func cut(at index: Int) {
                words.append(String(characters[start..<index]).lowercased())
                start = index
            }
            var position = 1
            while let capital = characters[min(position, characters.count)...].firstIndex(where: \.isUppercase) {
                cut(at: capital)
                guard let small = characters[capital...].firstIndex(where: \.isLowercase) else { break }
                if small > capital + 1 { cut(at: small - 1) }
                position = small + 1
            }
            cut(at: characters.count)
            return words
        }
    }
}
