#if Images
    import FoundationEssentials

    /// The decisions about an image before it is decoded, and the checks of its limits.
    struct DecodingPlan {
        /// What the bytes say.
        let information: ImageInformation
        /// The name of the loader.
        let loader: String
        /// The bytes for the loader.
        let data: Data

        private let decoder: ImageDecoder

        init(_ decoder: ImageDecoder, _ data: Data) throws(ImageDecodingError) {
            self.decoder = decoder
            guard data.count <= decoder.limits.maximumByteCount else {
                throw ImageDecodingError(
                    .tooManyBytes,
                    "The image has \(data.count) bytes; the limit is \(decoder.limits.maximumByteCount)."
                )
            }
            var information = try ImageInformation(of: data)
            let format = information.format
            // A plan of a helper process gets its formats from the process that started it.
            guard (decoder.formats ?? ImageFormat.defaults).contains(format) else {
                throw ImageDecodingError(
                    .formatNotAllowed,
                    "The image has the format \(format), which is not among those that are allowed.",
                    format: format
                )
            }
            guard var loader = ImageLoaders.names[format] else { throw Self.unavailable(format) }
            var bytes = data
            if format == .ico {
                // The loader cannot read a PNG in an icon, and of several images it may choose one
                // that was not checked.
                let entry: ICODirectory.Entry
                do throws(ImageFault) {
                    entry = try ICODirectory(ImageBytes(data)).largest
                } catch {
                    throw ImageDecodingError(error, format: format)
                }
                guard !entry.isCut else { throw ImageDecodingError(ImageFault.truncated, format: format) }
                bytes = entry.image.format == .png ? entry.bytes.contents : entry.icon
                if entry.image.format == .png {
                    guard let name = ImageLoaders.names[.png] else { throw Self.unavailable(.png) }
                    loader = name
                }
            }
            do throws(ImageFault) {
                if format == .bmp, let changed = try BMPHeader.withoutGap(ImageBytes(data)) { bytes = changed }
                if format == .avif || format == .heif {
                    let sizes = try HEIFSizes(ImageBytes(data), format)
                    (information.largestFrame, information.partPixels) = (sizes.largest, sizes.parts)
                }
                if format == .xbm, !XBMHeader.hasOneSize(ImageBytes(data)) { throw .malformed("it has several sizes") }
            } catch {
                throw ImageDecodingError(error, format: format)
            }
            self.information = information
            self.loader = loader
            let isAnimation = information.frameCount > 1 && decoder.decodesAnimations
            self.data = format == .webp && isAnimation ? WebPHeader.withEvenDelays(bytes) : bytes
            try checkLimits()
        }

        private static func unavailable(_ format: ImageFormat) -> ImageDecodingError {
            ImageDecodingError(
                .formatUnavailable,
                "This system has no loader of gdk-pixbuf for the format \(format).",
                format: format
            )
        }

        // MARK: Limits

        private func checkLimits() throws(ImageDecodingError) {
            guard let width = information.width, let height = information.height else { return }
            try check(ImageSize(width: width, height: height))
            let limits = decoder.limits
            guard information.largestFrame <= limits.maximumPixelCount else {
                throw tooManyPixels("A frame has \(information.largestFrame) pixels", limits.maximumPixelCount)
            }
            let mostParts = max(limits.maximumPixelCount, 0).times(ImageLimits.repetitions)
            guard information.partPixels <= mostParts else {
                throw tooManyPixels("The parts of the image have \(information.partPixels) pixels", mostParts)
            }
            guard isAnimated else { return }
            guard information.frameCount <= limits.maximumFrameCount else {
                throw ImageDecodingError(
                    .tooManyFrames,
                    "The image has \(information.frameCount) frames or more; the limit is \(limits.maximumFrameCount).",
                    format: information.format
                )
            }
            let size = fitted(ImageSize(width: width, height: height))
            let total = size.width.times(size.height).times(information.frameCount)
            guard total <= limits.maximumTotalPixelCount else {
                throw tooManyPixels("All frames have \(total) pixels", limits.maximumTotalPixelCount)
            }
            let whole = max(width.times(height).times(information.frameCount), information.storedPixels)
            let most = max(limits.maximumTotalPixelCount, 0).times(ImageLimits.repetitions)
            guard whole <= most else {
                throw tooManyPixels("All frames have \(whole) pixels as they are stored", most)
            }
        }

        /// Checks the pixels of all scans of a JPEG.
        func check(_ scans: JPEGScans) throws(ImageDecodingError) {
            let pixels = (information.width ?? 0).times(information.height ?? 0).times(scans.count)
            let most = max(decoder.limits.maximumPixelCount, 0).times(ImageLimits.repetitions)
            guard pixels <= most else {
                throw tooManyPixels("The \(scans.count) scans of the image have \(pixels) pixels", most)
            }
        }

        private func check(_ size: ImageSize) throws(ImageDecodingError) {
            let (pixels, overflows) = size.width.multipliedReportingOverflow(by: size.height)
            guard !overflows, pixels <= decoder.limits.maximumPixelCount else {
                throw tooManyPixels(
                    "The image has \(size.width) × \(size.height) pixels",
                    decoder.limits.maximumPixelCount
                )
            }
        }

        private func tooManyPixels(_ fact: String, _ limit: Int) -> ImageDecodingError {
            ImageDecodingError(.tooManyPixels, "\(fact); the limit is \(limit).", format: information.format)
        }

        // MARK: Decisions

        /// Whether frames are decoded.
        var isAnimated: Bool {
            decoder.decodesAnimations && information.frameCount > 1
                && (information.format == .gif || information.format == .webp)
        }

        /// Whether the loader itself makes the image smaller: for JPEG this saves memory and time,
        /// and an SVG has no other size.
        var isScaledByLoader: Bool { information.format == .jpeg || information.format == .svg }

        /// The size that a loader is told for the size it has found; nil for the same one.
        func size(forLoaded size: ImageSize) throws(ImageDecodingError) -> ImageSize? {
            guard size.width > 0, size.height > 0 else {
                throw ImageDecodingError(
                    .malformed,
                    "The \(information.format) image has the size \(size.width) × \(size.height).",
                    format: information.format
                )
            }
            // The size of a drawing is what is drawn, not what is stored.
            let isDrawing = information.format == .svg
            if !isDrawing { try check(size) }
            let wanted = isScaledByLoader ? fitted(size) : size
            if isDrawing { try check(wanted) }
            return wanted == size ? nil : wanted
        }

        /// The size of an image of this size when it fits into that which the user wants.
        func fitted(_ size: ImageSize) -> ImageSize {
            guard var target = decoder.targetSize else { return size }
            if decoder.appliesOrientation && information.orientation.swapsSides {
                target = ImageSize(width: target.height, height: target.width)
            }
            return size.fitted(into: target, enlarges: information.format == .svg)
        }
    }

    extension ImageSize {
        /// The largest size with the same proportions that fits into another one; at least one
        /// pixel wide and high.
        ///
        /// - Parameters:
        ///   - target: The size to fit into.
        ///   - enlarges: Whether it may be larger than this one.
        /// - Returns: The size.
        func fitted(into target: ImageSize, enlarges: Bool) -> ImageSize {
            let ratio = min(
                Double(max(target.width, 1)) / Double(max(width, 1)),
                Double(max(target.height, 1)) / Double(max(height, 1))
            )
            if ratio >= 1 && !enlarges { return self }
            func side(_ length: Int, _ limit: Int) -> Int {
                let scaled = (Double(length) * ratio).rounded()
                // Beyond this, no image fits into memory, and the number into that of a loader.
                return min(max(scaled < 1e9 ? Int(scaled) : 1_000_000_000, 1), max(limit, 1))
            }
            return ImageSize(width: side(width, target.width), height: side(height, target.height))
        }
    }
#endif
