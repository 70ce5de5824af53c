#if Images
    import Bluebonnet
    import FoundationEssentials
    import HTTPTypes
    import Synchronization

    /// Reads the body of a response along with the task that collects it, and hands over the parts
    /// of its image that are there.
    struct ImageParts: Interceptor {
        let core: ImageDownloader.Core
        let transfer: Int

        func intercept(_ request: Request, context: ExchangeContext, next: Next) async throws -> TransportResponse {
            var response = try await next(request)
            // Of a response that will be refused, nobody is to see a part.
            guard response.head.status == .ok, core.accepts(response.head, to: request) else { return response }
            let reader = Reader(core, transfer, length: Self.length(response.head.headerFields))
            let body = response.body
            response.body = .stream(
                body.map { data in
                    await reader.take(data)
                    return data
                },
                trailers: [:]
            )
            return response
        }

        /// The length of the body that is read; nil where the fields do not say it: that of an
        /// encoded body is another one (RFC 9110 §8.6).
        static func length(_ fields: HTTPFields) -> Int? {
            guard fields[.contentEncoding] == nil else { return nil }
            return fields[.contentLength].flatMap { Int($0) }
        }

        /// The part of one response.
        private final class Reader: Sendable {
            private struct State {
                var received = 0
                var isOver = false
            }

            private let core: ImageDownloader.Core
            private let transfer: Int
            private let length: Int?
            private let decoder: ProgressiveImageDecoder
            private let state = Mutex(State())

            init(_ core: ImageDownloader.Core, _ transfer: Int, length: Int?) {
                (self.core, self.transfer, self.length) = (core, transfer, length)
                var decoder = core.decoder
                // An image that is made smaller while it is decoded has no parts.
                decoder.targetSize = nil
                self.decoder = ProgressiveImageDecoder(decoder)
            }

            /// Takes a piece. The transfer waits until its part is decoded, so that there is one at
            /// a time.
            func take(_ data: Data) async {
                let isOver = state.withLock { state in
                    state.received += data.count
                    // The whole image is decoded by itself.
                    if let length, state.received >= length { state.isOver = true }
                    return state.isOver
                }
                guard !isOver else { return }
                do {
                    guard let part = try await ImageWork.run({ [decoder] in try decoder.append(data) }) else { return }
                    await core.show(part, of: transfer)
                } catch {
                    // The whole image will tell what is wrong with it.
                    state.withLock { $0.isOver = true }
                }
            }
        }
    }

    extension ImageRequest {
        /// A part of the image as it is wanted: within the size, or that of the decoder, and
        /// processed.
        ///
        /// - Throws: What a processor throws.
        func processed(part: Image, by decoder: ImageDecoder) throws -> Image {
            let size = (targetSize ?? decoder.targetSize).map { ImageProcessor.resized(to: $0) }
            return try ([size].compactMap(\.self) + processors).reduce(part) { try $1.process($0) }
        }
    }
#endif
