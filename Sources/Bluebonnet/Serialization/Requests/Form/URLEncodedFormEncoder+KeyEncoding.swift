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
        ///
        /// As in Foundation, letters are found by scalars: a mark does not hide the letter before it.
        private static func words(of key: String) -> [String] {
            guard !key.isEmpty else { return [] }
            var words: [String] = []
            var start = key.startIndex
            func cut(at index: String.Index) {
                words.append(key[start..<index].lowercased())
                start = index
            }
            let scalars = key.unicodeScalars
            var position = key.index(after: start)
            while let capital = scalars[position...].firstIndex(where: isCapital) {
                cut(at: capital)
                guard let small = scalars[capital...].firstIndex(where: isSmall) else { break }
                if small != key.index(after: capital) { cut(at: key.index(before: small)) }
                position = scalars.index(after: small)
            }
            cut(at: key.endIndex)
            return words
        }

        private static func isCapital(_ scalar: Unicode.Scalar) -> Bool {
            let category = scalar.properties.generalCategory
            return category == .uppercaseLetter || category == .titlecaseLetter
        }

        private static func isSmall(_ scalar: Unicode.Scalar) -> Bool {
            scalar.properties.generalCategory == .lowercaseLetter
        }
    }
}
