import HTTPTypes

/// Compresses request bodies and says so in `Content-Encoding` (RFC 9110 §8.4): an interceptor for
/// a session or for one request.
///
/// Use it with servers that are known to undo it; unlike for responses, nothing is negotiated. A
/// body in memory is compressed before it is sent, and gets a new `Content-Length`. A file or a
/// sequence is compressed while it is sent, in blocks and chunked, because its new length is not
/// known before the end; small pieces may wait inside until there is more. Both can be sent again
/// if the body could. Progress counts compressed bytes.
///
/// Counterpart of Alamofire's `DeflateRequestCompressor`.
///
/// ```swift
/// configuration.interceptors = [RequestCompression(.gzip, threshold: 4096)]
/// request.interceptors = [RequestCompression(.deflate, threshold: 0)]
/// ```
public struct RequestCompression: Interceptor {
    /// A content coding (RFC 9110 §8.4.1).
    public struct Coding: Sendable, Hashable, CustomStringConvertible {
        let format: Deflater.Format

        /// RFC 1952.
        public static let gzip = Coding(format: .gzip)
        /// RFC 1950: the zlib format, with its header and checksum.
        public static let deflate = Coding(format: .deflate)

        /// The name as it is in `Content-Encoding`: `gzip` or `deflate`.
        public var description: String { format.rawValue }
    }

    /// The treatment of a request that has a `Content-Encoding` already.
    public enum DuplicateHeaderPolicy: Sendable, Hashable {
        /// Fail with ``NetworkingError/Code/requestAdaptationFailed``.
        case error
        /// Compress, and name only this coding.
        case replace
        /// Send it as it is.
        case skip
    }

    /// The coding to apply. Default: gzip.
    public var coding: Coding

    /// Bodies of fewer bytes are sent as they are; those of unknown length are always compressed.
    /// Default: 1024, below which little is gained and headers weigh more.
    public var threshold: Int

    /// From 1, fastest, to 9, smallest; other numbers count as the nearest. Default: 6.
    public var level: Int

    /// The treatment of a request that has a `Content-Encoding` already. Default: fail.
    public var duplicateHeaderPolicy: DuplicateHeaderPolicy

    /// Decides about requests whose bodies are large enough. Default: all of them.
    public var shouldCompress: @Sendable (Request) -> Bool

    /// Makes a compression.
    ///
    /// - Parameters:
    ///   - coding: The coding to apply. Default: gzip.
    ///   - threshold: Bodies of fewer bytes are sent as they are. Default: 1024.
    ///   - level: From 1, fastest, to 9, smallest. Default: 6.
    ///   - duplicateHeaderPolicy: The treatment of a request that has a `Content-Encoding` already.
    ///     Default: fail.
    ///   - shouldCompress: Decides about requests whose bodies are large enough. Default: all of
    ///     them.
    public init(
        _ coding: Coding = .gzip,
        threshold: Int = 1024,
        level: Int = 6,
        duplicateHeaderPolicy: DuplicateHeaderPolicy = .error,
        shouldCompress: @escaping @Sendable (Request) -> Bool = { _ in true }
    ) {
        self.coding = coding
        self.threshold = threshold
        self.level = level
        self.duplicateHeaderPolicy = duplicateHeaderPolicy
        self.shouldCompress = shouldCompress
    }

    /// The request with its body compressed, or as it is where there is nothing to compress.
    ///
    /// A `Content-Length` among the fields is removed; the engine adds the new one.
    ///
    /// - Parameter request: The request.
    /// - Returns: The request to send.
    /// - Throws: ``NetworkingError/Code/requestAdaptationFailed`` for a request that has a
    ///   `Content-Encoding` already, if that is the policy.
    public func compress(_ request: Request) async throws(NetworkingError) -> Request {
        guard let body = request.body, body.length != 0, body.length ?? .max >= threshold, shouldCompress(request)
        else { return request }
        if request.headerFields.contains(.contentEncoding) {
            switch duplicateHeaderPolicy {
            case .skip: return request
            case .replace: break
            case .error: throw refusal(of: request, "it has a Content-Encoding already")
            }
        }
        var compressed = request
        compressed.headerFields[.contentEncoding] = coding.description
        compressed.headerFields[.contentLength] = nil
        do {
            compressed.body = try await compress(body)
        } catch {
            throw refusal(of: request, "\(error)", error)
        }
        return compressed
    }

    private func compress(_ body: RequestBody) async throws -> RequestBody {
        let (format, level) = (coding.format, level)
        guard body.isInMemory, body.length ?? 0 > Computation.inlineSize,
            Computation.belongsElsewhere(caller: #isolation)
        else {
            return try body.compressed(format, level: level)
        }
        return try await Computation.elsewhere { try body.compressed(format, level: level) }
    }

    private func refusal(of request: Request, _ reason: String, _ cause: (any Error)? = nil) -> NetworkingError {
        NetworkingError(
            .requestAdaptationFailed,
            "\(request) cannot be compressed: \(reason).",
            request: request,
            underlying: cause
        )
    }

    /// Compresses the body and sends the request on.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - context: The task's choices.
    ///   - next: The rest of the way.
    /// - Returns: The response.
    /// - Throws: ``NetworkingError/Code/requestAdaptationFailed``, and what the rest of the way
    ///   throws.
    public func intercept(
        _ request: Request,
        context: ExchangeContext,
        next: Next
    ) async throws -> TransportResponse {
        try await next(try await compress(request))
    }
}
