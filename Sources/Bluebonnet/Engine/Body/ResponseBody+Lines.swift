import NIOCore

extension ResponseBody {
    /// The body as lines of text, ended by LF or CRLF, decoded as UTF-8 with replacement; read with back-pressure.
    ///
    /// A line longer than ``Limits/line`` ends it with ``NetworkingError/Code/lineTooLong``.
    public var lines: Lines { Lines(body: self) }

    /// The lines of a body.
    public struct Lines: AsyncSequence, Sendable {
        /// One line, without its end.
        public typealias Element = String

        let body: ResponseBody

        /// Makes the iterator. A body is read by one iterator.
        public func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(body: body)
        }

        /// Cuts the pieces of a body into lines.
        public struct AsyncIterator: AsyncIteratorProtocol {
            private let body: ResponseBody
            private var buffers: Buffers
            private var pending: [UInt8] = []
            private var ready: [String] = []
            private var isAtEnd = false
            private var failure: NetworkingError?

            init(body: ResponseBody) {
                self.body = body
                buffers = body.makeBuffers()
            }

            /// The next line; nil at the end. A last line without an end counts when it is not empty.
            ///
            /// - Throws: ``NetworkingError``, as the body does, and ``NetworkingError/Code/lineTooLong``.
            public mutating func next() async throws -> String? {
                while ready.isEmpty, !isAtEnd {
                    guard let buffer = try await buffers.next() else {
                        isAtEnd = true
                        if !pending.isEmpty { ready = [takeLine()] }
                        break
                    }
                    do throws(NetworkingError) {
                        try cut(buffer.readableBytesView)
                    } catch {
                        // After the lines before it.
                        failure = error
                        isAtEnd = true
                    }
                    ready.reverse()
                }
                if let line = ready.popLast() { return line }
                if let failure { throw failure }
                return nil
            }

            private mutating func cut(_ bytes: some Collection<UInt8>) throws(NetworkingError) {
                var rest = bytes[...]
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    try append(rest[..<end])
                    ready.append(takeLine())
                    rest = rest[rest.index(after: end)...]
                }
                try append(rest)
            }

            private mutating func append(_ bytes: some Collection<UInt8>) throws(NetworkingError) {
                guard bytes.count <= body.lineLimit - pending.count else {
                    throw NetworkingError(
                        .lineTooLong,
                        "A line of the response body is longer than the \(body.lineLimit) bytes allowed."
                    )
                }
                pending.append(contentsOf: bytes)
            }

            private mutating func takeLine() -> String {
                defer { pending.removeAll(keepingCapacity: true) }
                if pending.last == UInt8(ascii: "\r") { pending.removeLast() }
                return String(decoding: pending, as: UTF8.self)
            }
        }
    }
}

@available(*, unavailable)
extension ResponseBody.Lines.AsyncIterator: Sendable {}
