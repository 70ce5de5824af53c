#if Images
    import CGdkPixbuf
    import FoundationEssentials

    extension DecodingPlan {
        /// Decodes the image.
        ///
        /// - Parameters:
        ///   - decoder: The decoder.
        ///   - begin: Called when the loader is there, before it gets bytes.
        /// - Returns: The image.
        /// - Throws: ``ImageDecodingError``.
        func image(_ decoder: ImageDecoder, begin: () -> Void = {}) throws(ImageDecodingError) -> Image {
            try checkEnd()
            let loader = try PixbufLoader(self)
            begin()
            try loader.write(data)
            return try image(of: loader, decoder)
        }

        /// The image of a loader that has all bytes.
        func image(of loader: PixbufLoader, _ decoder: ImageDecoder) throws(ImageDecodingError) -> Image {
            try loader.close()
            try checkRows(of: loader)
            if isAnimated, let animation = unsafe loader.animation {
                let frames = try unsafe frames(of: animation)
                if frames.count > 1, let image = finished(frames, decoder, information.orientation) { return image }
            }
            guard let pixbuf = unsafe loader.pixbuf, let bitmap = unsafe Bitmap(unsafePixbuf: pixbuf, fitting: fitted)
            else {
                throw ImageDecodingError(.malformed, "The loader has made no pixels.", format: information.format)
            }
            guard let image = finished([Image.Frame(bitmap: bitmap)], decoder, unsafe orientation(of: pixbuf)) else {
                throw ImageDecodingError(.malformed, "The loader has made no pixels.", format: information.format)
            }
            return image
        }

        /// A part of the image, of a loader that has not all bytes; nil before there is a pixel.
        func partialImage(of loader: PixbufLoader, _ decoder: ImageDecoder) -> Image? {
            guard loader.sizes.rows > 0, let pixbuf = unsafe loader.pixbuf else { return nil }
            guard let bitmap = unsafe Bitmap(unsafePixbuf: pixbuf, fitting: fitted) else { return nil }
            return finished([Image.Frame(bitmap: bitmap)], decoder, unsafe orientation(of: pixbuf), isPartial: true)
        }

        /// The orientation that the pixels of the loader have. For TIFF, libtiff has applied a part
        /// of it, and the loader says what is left.
        private func orientation(of pixbuf: OpaquePointer) -> ImageOrientation {
            guard information.format == .tiff else { return information.orientation }
            guard let text = unsafe gdk_pixbuf_get_option(pixbuf, "orientation") else { return .upright }
            return unsafe Int(String(cString: text)).flatMap(ImageOrientation.init(rawValue:)) ?? .upright
        }

        /// The orientation applied, and all else that belongs to an image.
        private func finished(
            _ frames: [Image.Frame],
            _ decoder: ImageDecoder,
            _ orientation: ImageOrientation,
            isPartial: Bool = false
        ) -> Image? {
            var frames = frames
            if decoder.appliesOrientation && orientation != .upright {
                for index in frames.indices { frames[index].bitmap = frames[index].bitmap.oriented(orientation) }
            }
            return described(frames, decoder, isPartial: isPartial)
        }

        /// An image of finished frames, with what the bytes say of it.
        func described(_ frames: [Image.Frame], _ decoder: ImageDecoder, isPartial: Bool = false) -> Image? {
            var metadata = Image.Metadata()
            metadata.format = information.format
            metadata.originalWidth = information.width
            metadata.originalHeight = information.height
            metadata.orientation = information.orientation
            metadata.loopCount = frames.count > 1 ? information.loopCount : 1
            metadata.isPartial = isPartial
            return Image(frames: frames, scale: decoder.scale, metadata: metadata)
        }

        // MARK: Frames

        private func frames(of animation: OpaquePointer) throws(ImageDecodingError) -> [Image.Frame] {
            guard let frame = unsafe bluebonnet_animation_begin(animation) else { return [] }
            defer { unsafe g_object_unref(UnsafeMutableRawPointer(frame)) }
            var frames: [Image.Frame] = []
            var time: gint64 = 0
            // The count is ours: an animation without an end would give frames for ever.
            for number in 0..<information.frameCount {
                if number > 0 {
                    if information.format == .webp {
                        time = gint64(number * WebPHeader.evenDelay + WebPHeader.evenDelay / 2)
                    } else {
                        let delay = unsafe gdk_pixbuf_animation_iter_get_delay_time(frame)
                        guard delay >= 0 else { break }
                        time += gint64(delay)
                    }
                    _ = unsafe bluebonnet_animation_advance(frame, time)
                }
                guard let pixbuf = unsafe gdk_pixbuf_animation_iter_get_pixbuf(frame),
                    let bitmap = unsafe Bitmap(unsafePixbuf: pixbuf, fitting: fitted)
                else {
                    throw ImageDecodingError(
                        .malformed,
                        "The frame \(number + 1) of the \(information.format) image cannot be decoded.",
                        format: information.format
                    )
                }
                let delay = number < information.delays.count ? information.delays[number] : .milliseconds(100)
                frames.append(Image.Frame(bitmap: bitmap, delay: delay))
            }
            return frames
        }

        // MARK: The end of the bytes

        /// Some loaders take an image whose end is missing for a whole one, or fail late. A JPEG is
        /// checked to its end for what would take too long.
        func checkEnd() throws(ImageDecodingError) {
            let bytes = ImageBytes(data)
            let isComplete =
                switch loader {
                case ImageFormat.png.name: PNGHeader.isComplete(bytes)
                case ImageFormat.jpeg.name: JPEGHeader.isComplete(bytes)
                case ImageFormat.webp.name: WebPHeader.isComplete(bytes)
                default: true
                }
            if !isComplete { throw ImageDecodingError(ImageFault.truncated, format: information.format) }
            guard information.format == .jpeg else { return }
            var scans = JPEGScans()
            scans.read(bytes)
            try check(scans)
        }

        /// Some loaders succeed although rows of the image are missing.
        private func checkRows(of loader: PixbufLoader) throws(ImageDecodingError) {
            let sizes = loader.sizes
            let height = sizes.size?.height ?? 0
            let isComplete =
                switch self.loader {
                case ImageFormat.png.name, ImageFormat.jpegXL.name: sizes.bottom >= height
                case ImageFormat.bmp.name, ImageFormat.ico.name, ImageFormat.pnm.name: sizes.rows >= height
                default: true
                }
            if !isComplete { throw ImageDecodingError(ImageFault.truncated, format: information.format) }
        }
    }
#endif
