extension URLEncodedFormEncoder {
    /// A set of ASCII characters that stay as they are in names and values.
    ///
    /// All others are percent-escaped. Characters that would break the form are escaped even when
    /// they are in the set: control characters, the space, `%`, `&`, `#`, and `=` in a name. In the
    /// query of a URL those are escaped, too, which a query cannot have (RFC 3986 §3.4): `[` and
    /// `]` stay in form bodies only.
    ///
    /// ```swift
    /// var encoder = URLEncodedFormEncoder()
    /// encoder.allowedCharacters = .query.union("[]")  // a[]=1 instead of a%5B%5D=1
    /// ```
    public struct AllowedCharacters: Sendable, Hashable, ExpressibleByStringLiteral {
        private var low: UInt64 = 0
        private var high: UInt64 = 0

        /// Makes the set of the characters of a text.
        ///
        /// - Parameter characters: The characters. Those outside of ASCII are left out: they are
        ///   always escaped.
        public init(_ characters: some StringProtocol) {
            for byte in characters.utf8 { insert(byte) }
        }

        /// Makes the set of the characters of a literal.
        ///
        /// - Parameter value: The characters. Those outside of ASCII are left out: they are always
        ///   escaped.
        public init(stringLiteral value: String) {
            self.init(value)
        }

        private static let alphanumerics: AllowedCharacters =
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

        /// `A–Z a–z 0–9 - . _ ~ / ?`, which AFNetworking and Alamofire do not escape (RFC 3986
        /// §3.4).
        public static let query = alphanumerics.union("-._~/?")

        /// `A–Z a–z 0–9 - . _ ~`, the unreserved characters of RFC 3986 §2.3.
        public static let unreserved = alphanumerics.union("-._~")

        /// `A–Z a–z 0–9 * - . _`, which are not in the URL Standard's form percent-encode set.
        public static let whatwg = alphanumerics.union("*-._")

        /// Whether a character is in the set.
        ///
        /// - Parameter byte: The ASCII code of the character.
        /// - Returns: Whether it is in the set; false from 128 on.
        public func contains(_ byte: UInt8) -> Bool {
            switch byte {
            case ..<64: low & (1 << UInt64(byte)) != 0
            case ..<128: high & (1 << UInt64(byte - 64)) != 0
            default: false
            }
        }

        /// Returns the characters of both sets.
        ///
        /// - Parameter other: The other set.
        /// - Returns: The characters that are in one of them.
        public func union(_ other: AllowedCharacters) -> AllowedCharacters {
            var result = self
            result.low |= other.low
            result.high |= other.high
            return result
        }

        /// Returns the set without some characters.
        ///
        /// - Parameter other: The characters to remove.
        /// - Returns: The characters that are only in this set.
        public func subtracting(_ other: AllowedCharacters) -> AllowedCharacters {
            var result = self
            result.low &= ~other.low
            result.high &= ~other.high
            return result
        }

        /// The codes of control characters, of the space, and of `% & #`.
        static let neverAllowed: AllowedCharacters = {
            var set: AllowedCharacters = " %&#\u{7F}"
            for byte in UInt8(0)..<32 { set.insert(byte) }
            return set
        }()

        private mutating func insert(_ byte: UInt8) {
            switch byte {
            case ..<64: low |= 1 << UInt64(byte)
            case ..<128: high |= 1 << UInt64(byte - 64)
            default: break
            }
        }
    }
}
