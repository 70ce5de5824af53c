#if Images
    public import FoundationEssentials
    import Synchronization

    /// Decodes an image while its bytes come, and gives the part of it that is there.
    ///
    /// PNG, JPEG, GIF and Windows bitmaps have parts; for other formats, with an
    /// ``ImageDecoder/helper`` and where the image is made smaller, only the whole image is given.
    /// A part has the size of the whole image; what has not come yet is transparent, black or grey,
    /// or a coarse picture in a progressive JPEG.
    ///
    /// The methods decode on the calling thread, one at a time. ``ImageDecoder/images(from:)`` is
    /// the same for a sequence of bytes, and decodes elsewhere.
    ///
    /// No counterpart in AFNetworking or AlamofireImage.
    public final class ProgressiveImageDecoder: Sendable {
        /// A plan, and its loader.
        // @unchecked Sendable: the loader is not; it is used under the lock of its decoder only, so
        // that it may go from one thread to another.
        fileprivate struct Feed: @unchecked Sendable {
            var plan: DecodingPlan
            var loader: PixbufLoader
            /// The number of bytes that the loader has got.
            var count = 0
            var scans = JPEGScans()
            var firstFrame = GIFFirstFrame()
        }

        private struct State {
            var data = Data()
            var feed: Feed?
            /// Whether there are no parts: the format has none, or a loader has failed.
            var isWholeOnly = false
            /// The number of bytes at which the next part is given, or the beginning is looked at
            /// again.
            var nextPart = 1
        }

        private let decoder: ImageDecoder
        private let state = Mutex(State())

        /// Makes a decoder for one image.
        ///
        /// - Parameter decoder: Formats, limits, scale. Default: the default decoder.
        public init(_ decoder: ImageDecoder = ImageDecoder()) {
            self.decoder = decoder
        }

        /// Takes more bytes.
        ///
        /// A part is given when the bytes have become a quarter more than they were for the last
        /// one: all parts together cost a fixed multiple of the last. Of an animation, the parts
        /// end with the first frame.
        ///
        /// - Parameter data: The next bytes.
        /// - Returns: A part of the image, with ``Image/Metadata/isPartial``; nil where there is no
        ///   new one.
        /// - Throws: ``ImageDecodingError`` when the image exceeds a limit, or its format is not
        ///   allowed. What is malformed is told by ``finish()``.
        public func append(_ data: Data) throws(ImageDecodingError) -> Image? {
            let result = state.withLock { state -> Result<Image?, ImageDecodingError> in
                Result { () throws(ImageDecodingError) in try add(data, to: &state) }
            }
            return try result.get()
        }

        /// Takes the end of the bytes.
        ///
        /// - Returns: The whole image, with all frames.
        /// - Throws: ``ImageDecodingError``.
        public func finish() throws(ImageDecodingError) -> Image {
            let data = state.withLock { state in
                state.feed = nil
                state.isWholeOnly = true
                return state.data
            }
            return try decoder.decode(data)
        }

        private func add(_ data: Data, to state: inout State) throws(ImageDecodingError) -> Image? {
            // Nothing more is kept behind the limit, either.
            if state.data.count <= decoder.limits.maximumByteCount { state.data.append(data) }
            guard state.data.count <= decoder.limits.maximumByteCount else {
                throw ImageDecodingError(
                    .tooManyBytes,
                    "The image has more bytes than the limit, \(decoder.limits.maximumByteCount)."
                )
            }
            guard !state.isWholeOnly else { return nil }
            do throws(ImageDecodingError) {
                if state.feed == nil, state.data.count >= state.nextPart {
                    guard let plan = try begin(state.data) else {
                        // A beginning without an end must not be read for each piece of it.
                        state.nextPart = state.data.count + state.data.count / 4
                        return nil
                    }
                    state.feed = Feed(plan: plan, loader: try PixbufLoader(plan))
                }
                try state.feed?.take(state.data)
            } catch {
                state.feed = nil
                state.isWholeOnly = true
                // The whole bytes may tell more, but a limit stays one.
                guard error.isFinal else { return nil }
                throw error
            }
            guard let feed = state.feed, state.data.count >= state.nextPart else { return nil }
            guard let image = feed.plan.partialImage(of: feed.loader, decoder) else { return nil }
            state.nextPart = state.data.count + max(state.data.count / 4, 1)
            if feed.firstFrame.end != nil {
                // Later parts would be the same.
                state.feed = nil
                state.isWholeOnly = true
            }
            return image
        }

        /// The plan for a format with parts; nil until there are enough bytes for it.
        private func begin(_ data: Data) throws(ImageDecodingError) -> DecodingPlan? {
            guard data.count >= 16 else { return nil }
            let format = ImageFormat(of: data)
            guard let format, Self.formats.contains(format), decoder.helper == nil, decoder.targetSize == nil else {
                // Text may have its signature later.
                guard format != nil || data.count > 16_384 else { return nil }
                throw ImageDecodingError(.unknownFormat, "There are no parts of it.", format: format)
            }
            do throws(ImageDecodingError) {
                let plan = try DecodingPlan(decoder, data)
                if plan.data == data { return plan }
            } catch {
                if error.reason == .truncated { return nil }
                throw error
            }
            throw ImageDecodingError(
                .unknownFormat,
                "The loader gets other bytes than those that come.",
                format: format
            )
        }

        private static let formats: Set<ImageFormat> = [.png, .jpeg, .gif, .bmp]
    }

    extension ProgressiveImageDecoder.Feed {
        /// Gives the loader the bytes that it has not got, as far as it may have them.
        ///
        /// - Parameter data: All bytes from the beginning of the image.
        /// - Throws: ``ImageDecodingError``, where they exceed a limit or cannot be decoded.
        fileprivate mutating func take(_ data: Data) throws(ImageDecodingError) {
            var end = data.count
            switch plan.information.format {
            case .jpeg:
                scans.read(ImageBytes(data))
                try plan.check(scans)
            case .gif:
                do throws(ImageFault) {
                    try firstFrame.read(ImageBytes(data))
                } catch {
                    throw ImageDecodingError(error, format: .gif)
                }
                end = firstFrame.end ?? end
            default: break
            }
            guard end > count else { return }
            try loader.write(data[data.startIndex + count..<data.startIndex + end])
            count = end
        }
    }

    extension ImageDecodingError {
        /// Whether more bytes cannot change it.
        fileprivate var isFinal: Bool {
            [.tooManyBytes, .tooManyPixels, .tooManyFrames, .formatNotAllowed].contains(reason)
        }
    }
#endif
