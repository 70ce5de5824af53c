/// One client library, as the benchmarks use it: through its public interface, the way its
/// documentation shows.
public protocol BenchmarkClient: Sendable {
    /// Fetches a small body as a whole.
    ///
    /// - Returns: The number of bytes in the body.
    func get(_ url: String) async throws -> Int

    /// Streams a body and throws it away.
    ///
    /// - Returns: The number of bytes received.
    func download(_ url: String) async throws -> Int

    /// Streams a body that is fetched anew and stored in the cache, and then again from the cache.
    /// Only for clients that have one.
    ///
    /// - Returns: The number of bytes received by both.
    func downloadThroughCache(_ url: String) async throws -> Int

    /// Streams a body into a file, which is replaced when it exists.
    ///
    /// - Returns: The number of bytes written.
    func download(_ url: String, to path: String) async throws -> Int

    /// Sends a file as the body of a PUT.
    ///
    /// - Returns: The number of bytes that the server says it received.
    func upload(_ path: String, to url: String) async throws -> Int

    /// Sends a file as the only part of a multipart form, with a PUT. Only for clients that have
    /// such forms.
    ///
    /// - Returns: The number of bytes of the file that the server received.
    func uploadMultipart(_ path: String, to url: String) async throws -> Int

    /// Opens a WebSocket, and sends small messages that come back, a number of them on their way at
    /// a time. Only for clients that have WebSockets.
    ///
    /// - Returns: The number of messages that came back.
    func echo(_ messages: Int, inFlight: Int, at url: String) async throws -> Int

    /// Fetches a JSON document and decodes it into ``FlatRecord`` values.
    ///
    /// - Returns: The number of records.
    func records(_ url: String) async throws -> Int
}

extension BenchmarkClient {
    /// Throws ``NoSuchWorkload``: most clients have no multipart forms.
    public func uploadMultipart(_ path: String, to url: String) async throws -> Int { throw NoSuchWorkload() }

    /// Throws ``NoSuchWorkload``: most clients have no WebSockets.
    public func echo(_ messages: Int, inFlight: Int, at url: String) async throws -> Int { throw NoSuchWorkload() }

    /// Throws ``NoSuchWorkload``: most clients have no cache.
    public func downloadThroughCache(_ url: String) async throws -> Int { throw NoSuchWorkload() }
}

/// The response of the upload sink: the number of body bytes that it received, in decimal.
public enum SinkResponse {
    /// A response body that is not a number.
    public struct Unreadable: Error {}

    /// Reads the number.
    ///
    /// - Parameter body: The body of the response.
    /// - Returns: The number of bytes that the sink received.
    /// - Throws: ``Unreadable`` when the body is not a number.
    public static func received(_ body: some Collection<UInt8>) throws -> Int {
        guard let number = Int(String(decoding: body, as: UTF8.self)) else { throw Unreadable() }
        return number
    }
}
