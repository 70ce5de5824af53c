#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Why a value cannot be written as JSON.
public struct JSONWritingError: Error, Sendable, Hashable {
    /// What is wrong, as a sentence.
    public let message: String
    /// The way to the value that could not be written, such as `prices[3]`; empty at the top.
    public let path: String
}

extension JSONWritingError: CustomStringConvertible, LocalizedError {
    /// The sentence with the way to the value.
    public var description: String {
        path.isEmpty ? "\(message)." : "\(message) (at \(path))."
    }

    /// The same sentence, for those who ask through Foundation.
    public var errorDescription: String? { description }
}
