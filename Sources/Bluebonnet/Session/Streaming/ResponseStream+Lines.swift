extension ResponseStream {
    /// The body as lines of text; see ``ResponseBody/lines``.
    public var lines: Lines { Lines(stream: self) }

    /// The lines of a streamed response.
    public struct Lines: AsyncSequence, Sendable {
        /// One line, without its end.
        public typealias Element = String

        let stream: ResponseStream

        /// Makes the iterator; it sends the request when it is first asked.
        public func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(state: .unsent(stream))
        }

        /// Sends the request and cuts the body into lines.
        public struct AsyncIterator: AsyncIteratorProtocol {
            fileprivate enum State {
                case unsent(ResponseStream)
                case reading(ResponseBody.Lines.AsyncIterator, TransportResponse)
                case ended
            }

            private var state: State

            fileprivate init(state: State) {
                self.state = state
            }

            /// The next line; nil at the end and after an error.
            ///
            /// - Throws: ``NetworkingError``, as ``ResponseStream`` and ``ResponseBody/lines`` do.
            public mutating func next() async throws -> String? {
                if case .unsent(let stream) = state {
                    state = .ended
                    let response = try await stream.response()
                    state = .reading(response.body.lines.makeAsyncIterator(), response)
                }
                guard case .reading(var lines, let response) = state else { return nil }
                state = .ended
                do {
                    guard let line = try await lines.next() else { return nil }
                    state = .reading(lines, response)
                    return line
                } catch {
                    throw NetworkingError.wrapping(error).completed(request: response.request, response: response.head)
                }
            }
        }
    }
}

@available(*, unavailable)
extension ResponseStream.Lines.AsyncIterator: Sendable {}
