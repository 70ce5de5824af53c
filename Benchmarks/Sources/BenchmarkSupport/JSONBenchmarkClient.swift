#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// One JSON library, as the benchmarks use it.
public protocol JSONBenchmarkClient: Sendable {
    /// Parses a document into the library's own dynamic values.
    ///
    /// - Returns: The number of elements of the array at the top, or under the first key of the object there.
    func value(_ document: Data) throws -> Int

    /// Decodes a document.
    ///
    /// - Returns: What came out.
    func decode<Value: Decodable>(_ type: Value.Type, _ document: Data) throws -> Value
}
