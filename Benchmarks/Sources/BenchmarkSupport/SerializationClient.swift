#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// One library that reads and writes documents, as the benchmarks use it.
public protocol SerializationClient: Sendable {
    /// Parses a document into the library's own dynamic values.
    ///
    /// - Returns: The number of elements of the array at the top, or under the first key of the
    ///   object there.
    func value(_ document: Data) throws -> Int

    /// Decodes a document.
    ///
    /// - Returns: The decoded value.
    func decode<Value: Decodable>(_ type: Value.Type, _ document: Data) throws -> Value

    /// Writes ``EncodedSamples/people`` as a query string by AFNetworking's rules, which are
    /// Alamofire's too.
    ///
    /// - Returns: The number of bytes.
    func query() throws -> Int

    /// Writes ``EncodedSamples/texts`` and ``EncodedSamples/file`` as a multipart form.
    ///
    /// - Returns: The number of bytes, without the boundaries.
    func multipart() throws -> Int

    /// Finds the cookies of one request in a jar of 10,000. Only for clients that have a jar.
    ///
    /// - Returns: The number of cookies.
    func cookies() throws -> Int

    /// Decodes a photo of 12 megapixels to an image that fits into 320 × 240. Only for clients that
    /// decode images.
    ///
    /// - Returns: The number of pixels.
    func thumbnail(_ document: Data) throws -> Int
}

extension SerializationClient {
    /// Throws ``NoSuchWorkload``.
    public func cookies() throws -> Int { throw NoSuchWorkload() }

    /// Throws ``NoSuchWorkload``.
    public func thumbnail(_ document: Data) throws -> Int { throw NoSuchWorkload() }
}
