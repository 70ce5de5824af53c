/// One client library, as the benchmarks use it: through its public interface, the way its
/// documentation shows.
public protocol BenchmarkClient: Sendable {
    /// Fetches a small body as a whole.
    ///
    /// - Returns: The number of bytes in the body.
    func get(_ url: String) async throws -> Int

    /// Streams a body and throws it away.
    ///
    /// - Returns: The number of bytes that came.
    func download(_ url: String) async throws -> Int

    /// Streams a body into a file, which is replaced when it exists.
    ///
    /// - Returns: The number of bytes written.
    func download(_ url: String, to path: String) async throws -> Int

    /// Sends a file as the body of a PUT.
    ///
    /// - Returns: The number of bytes that the server says it received.
    func upload(_ path: String, to url: String) async throws -> Int

    /// Sends a file as the one part of a multipart form, with a POST. Only for clients that have
    /// such forms.
    ///
    /// - Returns: The number of bytes of the file that the server received.
    func uploadMultipart(_ path: String, to url: String) async throws -> Int

    /// Fetches a JSON document and decodes it into ``FlatRecord`` values.
    ///
    /// - Returns: The number of records.
    func records(_ url: String) async throws -> Int
}

extension BenchmarkClient {
    /// Most clients have no forms.
    public func uploadMultipart(_ path: String, to url: String) async throws -> Int { throw NoSuchWorkload() }
}
