public import FoundationEssentials

extension URLEncodedFormEncoder {
    /// The way in which the name of an array's element is made from the name of the array.
    public enum ArrayEncoding: Sendable {
        /// Brackets after the name: `a[]=1&a[]=2`.
        case brackets
        /// The name as it is: `a=1&a=2`.
        case noBrackets
        /// Brackets with the index, from 0 on: `a[0]=1&a[1]=2`. Elements that
        /// ``NilEncoding/dropKey`` drops do not count.
        case indexInBrackets
        /// The result of the closure for the whole unescaped name of the array and the index of the
        /// element.
        case custom(@Sendable (_ key: String, _ index: Int) -> String)
    }

    /// The format of booleans.
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

    /// The format of `Data`.
    public enum DataEncoding: Sendable {
        /// As `Data` encodes itself: an array of bytes as numbers.
        case deferredToData
        /// As Base64 (RFC 4648 §4), with padding.
        case base64
        /// As the closure writes it.
        case custom(@Sendable (Data) throws -> String)

        /// The text; nil when the data must encode itself.
        func text(of data: Data) throws -> String? {
            switch self {
            case .deferredToData: nil
            case .base64: data.base64EncodedString()
            case .custom(let write): try write(data)
            }
        }
    }

    /// The format of `Date`.
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
        /// As the closure writes it, which may throw.
        case custom(@Sendable (Date) throws -> String)

        /// The text; nil when the date must encode itself.
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

    /// The change of each key before it becomes part of a name.
    ///
    /// Applies to the keys of types and of dictionaries, at every level.
    public enum KeyEncoding: Sendable {
        /// Keys as they are.
        case useDefaultKeys
        /// Words in lower case with `_` between them, as Foundation's `JSONEncoder` finds them:
        /// `myURLProperty` is `my_url_property`.
        case convertToSnakeCase
        /// Words as in ``convertToSnakeCase``, with `-` between them.
        case convertToKebabCase
        /// The first character in upper case: `userName` is `UserName`.
        case capitalized
        /// All in upper case.
        case uppercased
        /// All in lower case.
        case lowercased
        /// The result of the closure for the key.
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

        /// The words of a key. A word starts at a capital that does not follow a capital, and at
        /// the last one of several capitals when a small letter follows them.
        ///
        /// As in Foundation, scalars are compared: a combining mark does not hide the letter before
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

    /// The way in which the key of a nested object is added to the name of that object.
    public enum KeyPathEncoding: Sendable {
        /// In brackets: `a[b]=1`.
        case brackets
        /// After a dot: `a.b=1`.
        case dots
        /// The result of the closure for the inner key is appended to the name of the object,
        /// unescaped: `"[b]"` for `b` is the same as ``brackets``.
        case custom(@Sendable (_ key: String) -> String)
    }

    /// The format of nil and null: properties that are nil, elements of arrays, nulls of a
    /// `JSONValue`.
    ///
    /// A property is seen when its type encodes it with `encode`, `encodeNil` or `encodeIfPresent`,
    /// as types do whose conformance the compiler wrote.
    public enum NilEncoding: Sendable {
        /// They are not written.
        case dropKey
        /// A name without value: `a=`.
        case dropValue
        /// The word: `a=null`.
        case null
        /// A name without `=`, as AFNetworking wrote it: `a`.
        case bareKey
        /// The result of the closure is the value, which is then escaped; nil drops the key.
        case custom(@Sendable () -> String?)
    }

    /// The format of a space, in names and in values.
    public enum SpaceEncoding: Sendable, Hashable {
        /// As `%20`.
        case percentEscaped
        /// As `+`; a plus sign is then always `%2B`.
        case plusReplaced
    }
}
