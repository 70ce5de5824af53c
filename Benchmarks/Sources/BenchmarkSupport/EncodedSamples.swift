#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The values that the `encode-…` workloads encode.
public enum EncodedSamples {
    /// One person in a filter, as programs send it in a query: name, age, a flag and two tags.
    public struct Person: Sendable {
        /// Text that needs escapes.
        public let name: String
        /// A whole number.
        public let age: Int
        /// A flag.
        public let isActive: Bool
        /// An array.
        public let tags: [String]
    }

    /// Twelve people with four members each: 48 nested parameters.
    public static let people: [Person] = (0..<12).map { index in
        Person(
            name: "Ada Lovelace & Söhne \(index)",
            age: 20 + index,
            isActive: index.isMultiple(of: 2),
            tags: ["first", "a/b c"]
        )
    }

    /// The texts of a form.
    public static let texts: [(name: String, value: String)] = (0..<20).map { index in
        (name: "field\(index)", value: "the value of field \(index), as long as such values are")
    }

    /// The content of a file.
    public static let file = Data(repeating: 0x61, count: 100_000)
}
