public import FoundationEssentials

extension URLEncodedFormEncoder {
    /// How the name of an array's element is made from the name of the array.
    public enum ArrayEncoding: Sendable {
        /// Brackets after the name: `a[]=1&a[]=2`.
        case brackets
        /// The name as it is: `a=1&a=2`.
        case noBrackets
        /// Brackets with the index, from 0 on: `a[0]=1&a[1]=2`. Elements that
        /// ``NilEncoding/dropKey`` drops do not count.
        case indexInBrackets
        /// What the closure makes of the whole unescaped name of the array and the index of the
        /// element.
        case custom(@Sendable (_ key: String, _ index: Int) -> String)
    }

    /// How booleans are written.
    public enum BoolEncoding: Sendable, Hashable {
        /// The digits `1` and `0`.
        case numeric
        /// The words `true` and `false`.
        case literal

        func text(of value: Bool) -> String {
            switch self {
            case .numeric: value ? "1" : "0"
            case .literal: value ? "true" : "false"
            }
        }
    }

    /// How `Data` is written.
    public enum DataEncoding: Sendable {
        /// As `Data` encodes itself: an array of bytes as numbers.
        case deferredToData
        /// As Base64 (RFC 4648 §4), with padding.
        case base64
        /// As the closure writes it.
        case custom(@Sendable (Data) throws -> String)

        /// Nil when the data is to encode itself.
        func text(of data: Data) throws -> String? {
            switch self {
            case .deferredToData: nil
            case .base64: data.base64EncodedString()
            case .custom(let write): try write(data)
            }
        }
    }

    /// How `Date` is written.
    public enum DateEncoding: Sendable {
        /// As `Date` encodes itself: seconds since the start of 2001, UTC, as a `Double`.
        case deferredToDate
        /// Seconds since the start of 1970, UTC, as a `Double`: `1700000000.0`.
        case secondsSince1970
        /// Milliseconds since the start of 1970, UTC, as a `Double`: `1700000000000.0`.
        case millisecondsSince1970
        /// An RFC 3339 timestamp in UTC, whole seconds: `2026-01-31T12:34:56Z`.
        case iso8601
        /// As the closure formats it.
        case formatted(@Sendable (Date) -> String)
        /// As the closure writes it, which may refuse.
        case custom(@Sendable (Date) throws -> String)

        /// Nil when the date is to encode itself.
        func text(of date: Date) throws -> String? {
            switch self {
            case .deferredToDate: nil
            case .secondsSince1970: date.timeIntervalSince1970.description
            case .millisecondsSince1970: (date.timeIntervalSince1970 * 1000).description
            case .iso8601: date.formatted(.iso8601)
            case .formatted(let format): format(date)
            case .custom(let write): try write(date)
            }
        }
    }

    /// How each key is changed before it becomes part of a name.
    ///
    /// Applies to the keys of types and of dictionaries, at every level.
    public enum KeyEncoding: Sendable {
        /// Keys as they are.
        case useDefaultKeys
        /// Words in lower case with `_` between them, as Foundation's `JSONEncoder` finds them:
        /// `myURLProperty` is `my_url_property`.
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

        /// A word starts at a capital that follows something else, and at the last one of several
        /// capitals when a small letter follows them.
        ///
        /// As in Foundation, letters are found by scalars: a mark does not hide the letter before
        /// it.
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

    /// How the key of a nested object is joined to the name of that object.
    public enum KeyPathEncoding: Sendable {
        /// In brackets: `a[b]=1`.
        case brackets
        /// After a dot: `a.b=1`.
        case dots
        /// What the closure makes of the inner key is appended to the name of the object,
        /// unescaped: `"[b]"` for `b` is the same as ``brackets``.
        case custom(@Sendable (_ key: String) -> String)
    }

    /// How nil and null are written: properties that are nil, elements of arrays, nulls of a
    /// `JSONValue`.
    ///
    /// A property is seen when its type encodes it with `encode`, `encodeNil` or `encodeIfPresent`,
    /// as types do whose conformance the compiler wrote.
    public enum NilEncoding: Sendable {
        /// Not at all.
        case dropKey
        /// A name without value: `a=`.
        case dropValue
        /// The word: `a=null`.
        case null
        /// A name without `=`, as AFNetworking wrote it: `a`.
        case bareKey
        /// What the closure returns is the value, which is then escaped; nil drops the key.
        case custom(@Sendable () -> String?)
    }

    /// How a space is written, in names and in values.
    public enum SpaceEncoding: Sendable, Hashable {
        /// As `%20`.
        case percentEscaped
        /// As `+`; a plus sign is then always `%2B`.
        case plusReplaced
    }
}
