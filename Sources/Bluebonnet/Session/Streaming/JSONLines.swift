import FoundationEssentials
import NIOCore

/// The values of a body of JSON lines (NDJSON): one JSON text a line, decoded while they come.
///
/// Lines end with LF or CRLF; blank lines are passed over, and the last line needs no end. Made by
/// ``ResponseStream/jsonLines(of:decoder:limit:)`` and
/// ``ResponseBody/jsonLines(of:decoder:limit:)``.
///
/// Counterpart of Alamofire's `DataStreamRequest.responseStreamDecodable`, which decodes each piece
/// as it comes.
public struct JSONLines<Value: Decodable & Sendable>: AsyncSequence, Sendable {
    /// A decoded line.
    public typealias Element = Value

    let makeReader: @Sendable () -> BodyReader
    let decoder: JSONBodyDecoder
    let limit: Int

    /// Makes the iterator.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(lines: LineReader(makeReader(), limit: limit), decoder: decoder)
    }

    /// Cuts the body into lines and decodes them.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var lines: LineReader
        fileprivate let decoder: JSONBodyDecoder

        /// The value of the next line that is not blank; nil at the end and after an error.
        ///
        /// - Throws: ``NetworkingError/Code/responseSerializationFailed`` for a line that cannot be
        ///   decoded, with the number of the line in its message and the line as its body;
        ///   ``NetworkingError/Code/lineTooLong`` for a line beyond the limit; every error that
        ///   ends a body early.
        public mutating func next() async throws(NetworkingError) -> Value? {
            while let line = try await lines.next() {
                if line.readableBytesView.allSatisfy(Self.isBlank) { continue }
                do throws(NetworkingError) {
                    return try decode(line)
                } catch {
                    throw lines.failed(error)
                }
            }
            return nil
        }

        /// Does the same as ``next()``, for `for try await`.
        ///
        /// - Throws: As ``next()``.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(NetworkingError) -> Value? {
            try await next()
        }

        private func decode(_ line: ByteBuffer) throws(NetworkingError) -> Value {
            do {
                return try decoder.decode(Value.self, from: line.readableBytesView)
            } catch {
                throw NetworkingError(
                    .responseSerializationFailed,
                    """
                    Line \(lines.number) of the response could not be decoded as \(Value.self): \
                    \(DecodableResponseSerializer<Value>.reason(error))
                    """,
                    body: Data(line.readableBytesView),
                    underlying: error
                )
            }
        }

        /// The whitespace of RFC 8259 §2 that may be in a line.
        private static func isBlank(_ byte: UInt8) -> Bool {
            byte == 0x20 || byte == 0x09 || byte == 0x0D
        }
    }
}

@available(*, unavailable)
extension JSONLines.AsyncIterator: Sendable {}

extension ResponseStream {
    /// The body as JSON lines (NDJSON), decoded one by one while they come.
    ///
    /// - Parameters:
    ///   - type: The type of a line. Default: inferred.
    ///   - decoder: The decoder with its strategies. Default: the default strategies.
    ///   - limit: The most bytes of a line. Default: 16 MiB.
    /// - Returns: The values; the request is sent when they are iterated.
    public func jsonLines<Value: Decodable & Sendable>(
        of type: Value.Type = Value.self,
        decoder: JSONBodyDecoder = JSONBodyDecoder(),
        limit: Int = 16 << 20
    ) -> JSONLines<Value> {
        JSONLines(makeReader: { BodyReader(self) }, decoder: decoder, limit: limit)
    }
}

extension ResponseBody {
    /// The body as JSON lines (NDJSON), decoded one by one while they come.
    ///
    /// - Parameters:
    ///   - type: The type of a line. Default: inferred.
    ///   - decoder: The decoder with its strategies. Default: the default strategies.
    ///   - limit: The most bytes of a line. Default: 16 MiB.
    /// - Returns: The values.
    public func jsonLines<Value: Decodable & Sendable>(
        of type: Value.Type = Value.self,
        decoder: JSONBodyDecoder = JSONBodyDecoder(),
        limit: Int = 16 << 20
    ) -> JSONLines<Value> {
        JSONLines(makeReader: { BodyReader(self) }, decoder: decoder, limit: limit)
    }
}
