public import FoundationEssentials

/// The reason why a text is not JSON, and the place.
///
/// Counterpart of the error of `NSJSONSerialization` (`NSCocoaErrorDomain`, 3840), which
/// AFNetworking passed on, and of `jsonSerializationFailed` in Alamofire's `AFError`.
public struct JSONParsingError: Error, Sendable, Hashable {
    /// The kind of a parsing error; compare it with the static members.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Value {
            case empty, unexpectedEnd, syntax, number, string, encoding, tooDeep, tooLarge, fragment
        }

        private let value: Value

        private init(_ value: Value) {
            self.value = value
        }

        /// The name of the kind, as that of its static member.
        public var description: String { "\(value)" }

        /// The text is empty or has only whitespace.
        public static let empty = Code(.empty)
        /// The text ends inside a value.
        public static let unexpectedEnd = Code(.unexpectedEnd)
        /// A character is at a place where JSON does not allow it.
        public static let syntax = Code(.syntax)
        /// A number is not written as JSON writes numbers.
        public static let number = Code(.number)
        /// A string has a control character or an escape that JSON does not know.
        public static let string = Code(.string)
        /// The bytes are not valid UTF-8, or not valid UTF-16 or UTF-32 where they begin like it.
        public static let encoding = Code(.encoding)
        /// Arrays and objects are nested deeper than allowed.
        public static let tooDeep = Code(.tooDeep)
        /// The text has four gigabytes or more.
        public static let tooLarge = Code(.tooLarge)
        /// The text is neither an object nor an array, and only these were allowed.
        public static let fragment = Code(.fragment)
    }

    /// The kind of the error.
    public let code: Code
    /// The error as a sentence without the place.
    public let message: String
    /// The line of the error, from 1.
    public let line: Int
    /// The column of the error in Unicode scalars, from 1.
    public let column: Int
    /// The byte offset of the error, from 0; for UTF-16 and UTF-32 input, the offset in its UTF-8
    /// form.
    public let offset: Int
    /// The path of the value that could not be read, such as `users[3].name`; empty at the top.
    public let path: String
}

extension JSONParsingError: CustomStringConvertible, LocalizedError, DocumentParsingError {
    /// The sentence with its place, as in "… at line 3, column 14 (in users[3].name)".
    public var description: String {
        "\(message) at line \(line), column \(column)\(path.isEmpty ? "" : " (in \(path))")."
    }

    /// The ``description``, for Foundation.
    public var errorDescription: String? { description }
}
