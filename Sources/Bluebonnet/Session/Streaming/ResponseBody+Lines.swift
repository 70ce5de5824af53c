import NIOCore

extension ResponseBody {
    /// The body as lines of text, ended by LF or CRLF, decoded as UTF-8 with replacement; read with
    /// back-pressure.
    ///
    /// A line longer than ``Limits/line`` ends the sequence with
    /// ``NetworkingError/Code/lineTooLong``.
    public var lines: Lines { Lines { BodyReader(self) } }

    /// The lines of a body, while they come.
    ///
    /// Counterpart of Alamofire's `DataStreamRequest.responseStreamString`, which does not cut into
    /// lines.
    public struct Lines: AsyncSequence, Sendable {
        /// One line, without its end.
        public typealias Element = String

        let makeReader: @Sendable () -> BodyReader

        /// Makes the iterator. A body is read by one iterator; a stream sends its request when
        /// the first line is read.
        public func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(lines: LineReader(makeReader()))
        }

        /// Cuts the pieces of a body into lines.
        public struct AsyncIterator: AsyncIteratorProtocol {
            fileprivate var lines: LineReader

            /// The next line; nil at the end and after an error. A last line without an end counts
            /// when it is not empty.
            ///
            /// - Throws: ``NetworkingError``, as the body or the stream does, and
            ///   ``NetworkingError/Code/lineTooLong``.
            public mutating func next() async throws(NetworkingError) -> String? {
                try await lines.next().map { String(decoding: $0.readableBytesView, as: UTF8.self) }
            }

            /// Does the same as ``next()``, for `for try await`.
            ///
            /// - Throws: As ``next()``.
            public mutating func next(
                isolation actor: isolated (any Actor)?
            ) async throws(NetworkingError) -> String? {
                try await next()
            }
        }
    }
}

@available(*, unavailable)
extension ResponseBody.Lines.AsyncIterator: Sendable {}

extension ResponseStream {
    /// The lines of a streamed response.
    public typealias Lines = ResponseBody.Lines

    /// The body as lines of text; see ``ResponseBody/lines``.
    public var lines: Lines { Lines { BodyReader(self) } }
}

/// Reads a body line by line.
struct LineReader {
    private var reader: BodyReader
    private var splitter: LineSplitter
    /// The most bytes of a line; nil for the limit of the body.
    private let limit: Int?
    private var isAtEnd = false

    /// - Parameters:
    ///   - reader: Brings the pieces.
    ///   - limit: The most bytes of a line without its end. Default: that of the body.
    init(_ reader: BodyReader, limit: Int? = nil) {
        self.reader = reader
        self.limit = limit
        splitter = LineSplitter(limit: limit ?? .max)
    }

    /// The number of the last line.
    var number: Int { splitter.count }

    /// The next line without its end; nil at the end and after an error.
    mutating func next() async throws(NetworkingError) -> ByteBuffer? {
        do {
            while !isAtEnd {
                if let line = try splitter.next() { return line }
                guard let piece = try await reader.next() else {
                    isAtEnd = true
                    return try splitter.finish()
                }
                if limit == nil { splitter.limit = reader.lineLimit }
                splitter.push(piece)
            }
            return nil
        } catch let error as LineSplitter.LineTooLong {
            throw failed(
                NetworkingError(
                    .lineTooLong,
                    "Line \(error.number) of the response is longer than the \(splitter.limit) bytes allowed."
                )
            )
        } catch {
            isAtEnd = true
            throw NetworkingError.wrapping(error)
        }
    }

    /// Ends the reading with an error.
    mutating func failed(_ error: NetworkingError) -> NetworkingError {
        isAtEnd = true
        return reader.failed(error)
    }
}
