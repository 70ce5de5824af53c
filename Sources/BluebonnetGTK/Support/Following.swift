#if GTK
    /// The stream that a widget follows, at most one.
    @MainActor
    final class Following {
        private var work: Task<Void, Never>?

        deinit {
            work?.cancel()
        }

        /// Follows a stream, in place of another one, of which nothing is heard any more.
        ///
        /// - Parameters:
        ///   - stream: The stream.
        ///   - each: Called with each element.
        ///   - end: Called when the stream has ended. Default: nobody.
        func follow<Element: Sendable>(
            _ stream: AsyncStream<Element>,
            each: @escaping @MainActor (Element) -> Void,
            end: @escaping @MainActor () -> Void = {}
        ) {
            stop()
            work = Task {
                for await element in stream {
                    guard !Task.isCancelled else { return }
                    each(element)
                }
                if !Task.isCancelled { end() }
            }
        }

        /// Follows nothing any more.
        func stop() {
            work?.cancel()
            work = nil
        }
    }
#endif
