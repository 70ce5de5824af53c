#if Images
    import Bluebonnet
    public import FoundationEssentials

    extension ImageDecoder {
        /// The image of a sequence of bytes, while they come: parts of it, and at the end the
        /// whole.
        ///
        /// <!-- snippet:
        /// import Bluebonnet
        /// import BluebonnetImages
        /// import Foundation
        /// let api = HTTPSessionManager(baseURL: "https://api.example.com")
        /// -->
        /// ```swift
        /// let response = try await api.stream("photo.jpg").open()
        /// for try await image in ImageDecoder().images(from: response.body) {
        ///     print(image.metadata.isPartial, image.width)
        /// }
        /// ```
        ///
        /// Images are decoded on the threads for images, not where the loop runs. See
        /// ``ProgressiveImageDecoder`` for the formats that have parts.
        ///
        /// - Parameter bytes: The bytes of one encoded image.
        /// - Returns: The images. The loop throws what the bytes throw, and ``ImageDecodingError``.
        public func images<Bytes: AsyncSequence>(from bytes: Bytes) -> PartialImages<Bytes>
        where Bytes.Element == Data {
            PartialImages(bytes: bytes, decoder: self)
        }
    }

    /// The parts of an image whose bytes come, and the whole image. See
    /// ``ImageDecoder/images(from:)``.
    ///
    /// No counterpart in AFNetworking or AlamofireImage.
    public struct PartialImages<Bytes: AsyncSequence>: AsyncSequence where Bytes.Element == Data {
        fileprivate let bytes: Bytes
        fileprivate let decoder: ImageDecoder

        init(bytes: Bytes, decoder: ImageDecoder) {
            self.bytes = bytes
            self.decoder = decoder
        }

        /// Begins with the first bytes.
        public func makeAsyncIterator() -> Iterator {
            Iterator(bytes: bytes.makeAsyncIterator(), decoder: ProgressiveImageDecoder(decoder))
        }

        /// One loop over the images.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate var bytes: Bytes.AsyncIterator
            fileprivate let decoder: ProgressiveImageDecoder
            private var isOver = false

            fileprivate init(bytes: Bytes.AsyncIterator, decoder: ProgressiveImageDecoder) {
                self.bytes = bytes
                self.decoder = decoder
            }

            /// The next image; nil after the whole one.
            ///
            /// - Returns: The image.
            /// - Throws: ``ImageDecodingError``, `CancellationError`, and what the bytes throw.
            public mutating func next() async throws -> Image? {
                guard !isOver else { return nil }
                do {
                    while let data = try await bytes.next(isolation: #isolation) {
                        if let image = try await ImageWork.run({ [decoder] in try decoder.append(data) }) {
                            return image
                        }
                    }
                    isOver = true
                    return try await ImageWork.run { [decoder] in try decoder.finish() }
                } catch {
                    isOver = true
                    throw error
                }
            }
        }
    }
#endif
