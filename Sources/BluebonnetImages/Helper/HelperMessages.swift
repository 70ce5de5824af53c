#if Images
    import FoundationEssentials

    /// What a helper process is told. The bytes of the image follow. The scale is not in it: it has
    /// no influence on the pixels, and JSON cannot say every number.
    struct HelperRequest: Codable {
        var formats: [String]
        var maximumByteCount: Int
        var maximumPixelCount: Int
        var maximumFrameCount: Int
        var maximumTotalPixelCount: Int
        var targetWidth: Int?
        var targetHeight: Int?
        var appliesOrientation: Bool
        var decodesAnimations: Bool
        var memory: Int
        var seconds: Int
        var byteCount: Int

        init(_ decoder: ImageDecoder, memory: Int, seconds: Int, byteCount: Int) {
            formats = (decoder.formats ?? ImageFormat.helperDefaults).map(\.name)
            maximumByteCount = decoder.limits.maximumByteCount
            maximumPixelCount = decoder.limits.maximumPixelCount
            maximumFrameCount = decoder.limits.maximumFrameCount
            maximumTotalPixelCount = decoder.limits.maximumTotalPixelCount
            targetWidth = decoder.targetSize?.width
            targetHeight = decoder.targetSize?.height
            appliesOrientation = decoder.appliesOrientation
            decodesAnimations = decoder.decodesAnimations
            self.memory = memory
            self.seconds = seconds
            self.byteCount = byteCount
        }

        var decoder: ImageDecoder {
            var decoder = ImageDecoder()
            decoder.formats = ImageFormat.all.filter { formats.contains($0.name) }
            decoder.limits.maximumByteCount = maximumByteCount
            decoder.limits.maximumPixelCount = maximumPixelCount
            decoder.limits.maximumFrameCount = maximumFrameCount
            decoder.limits.maximumTotalPixelCount = maximumTotalPixelCount
            if let targetWidth, let targetHeight {
                decoder.targetSize = ImageSize(width: targetWidth, height: targetHeight)
            }
            decoder.appliesOrientation = appliesOrientation
            decoder.decodesAnimations = decodesAnimations
            return decoder
        }
    }

    /// What a helper process says when it has its request, and waits for the bytes.
    struct HelperGreeting: Codable {
        var isReady = true
    }

    /// What a helper process has made. The pixels of each frame follow.
    struct HelperReply: Codable {
        var reason: String?
        var message: String?
        var width = 0
        var height = 0
        /// The delays of the frames in milliseconds.
        var delays: [Int] = []

        init(_ error: ImageDecodingError) {
            reason = error.reason.description
            message = error.message
        }

        init(_ image: Image) {
            width = image.width
            height = image.height
            delays = image.frames.map { Int($0.delay / .milliseconds(1)) }
        }
    }
#endif
