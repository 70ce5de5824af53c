import NIOCore

extension ResponseBody {
    /// The body as lines of text, ended by LF or CRLF, decoded as UTF-8 with replacement; read with back-pressure.
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

            init(body: ResponseBody) {
                self.body = body
                buffers = body.makeBuffers()
            }

            /// The next line; nil at the end. A last line without an end counts when it is not empty.
            ///
            /// - Throws: ``NetworkingError``, as the body does.
            public mutating func next() async throws -> String? {
                while ready.isEmpty, !isAtEnd {
                    guard let buffer = try await buffers.next() else {
                        isAtEnd = true
                        if !pending.isEmpty { ready = [takeLine()] }
                        break
                    }
                    cut(buffer.readableBytesView)
                    ready.reverse()
                }
                return ready.popLast()
            }

            private mutating func cut(_ bytes: some Collection<UInt8>) {
                var rest = bytes[...]
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    pending.append(contentsOf: rest[..<end])
                    ready.append(takeLine())
                    rest = rest[rest.index(after: end)...]
                }
                pending.append(contentsOf: rest)
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
