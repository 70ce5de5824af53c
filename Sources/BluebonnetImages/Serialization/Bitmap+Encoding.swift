#if Images
    import CGdkPixbuf
    public import FoundationEssentials

    extension Bitmap {
        /// The pixels as PNG.
        ///
        /// Counterpart of `UIImagePNGRepresentation`.
        ///
        /// - Returns: The file.
        /// - Throws: ``ImageDecodingError`` with the reason
        ///   ``ImageDecodingError/Reason/encodingFailed``.
        public func pngData() throws(ImageDecodingError) -> Data {
            try encoded("png", quality: nil)
        }

        /// The pixels as JPEG, which has no transparency: they are drawn on white.
        ///
        /// Counterpart of `UIImageJPEGRepresentation`.
        ///
        /// - Parameter quality: The quality from 0 to 1; 1 is the best one, with the largest file.
        ///   What is outside counts as the nearest of them. Default: 0.9.
        /// - Returns: The file.
        /// - Throws: ``ImageDecodingError`` with the reason
        ///   ``ImageDecodingError/Reason/encodingFailed``.
        public func jpegData(quality: Double = 0.9) throws(ImageDecodingError) -> Data {
            let percent = quality.isNaN ? 90 : Int((min(max(quality, 0), 1) * 100).rounded())
            return try (hasTransparency ? onWhite() : self).encoded("jpeg", quality: "\(percent)")
        }

        private func onWhite() -> Bitmap {
            var copy = self
            unsafe copy.withUnsafeMutableBytes { bytes in
                for pixel in stride(from: 0, to: bytes.count, by: 4) {
                    let alpha = unsafe Int(bytes[pixel + 3])
                    for channel in pixel..<pixel + 3 {
                        unsafe bytes[channel] = UInt8((Int(bytes[channel]) * alpha + 255 * (255 - alpha) + 127) / 255)
                    }
                    unsafe bytes[pixel + 3] = .max
                }
            }
            return copy
        }

        /// Encodes as a format, with the value of its option "quality" where it has one.
        private func encoded(_ format: String, quality: String?) throws(ImageDecodingError) -> Data {
            do {
                return try unsafe withUnsafePixbuf { pixbuf in
                    try unsafe "quality".withCString { key in
                        try unsafe (quality ?? "").withCString { value in
                            // Both lists end with nil; the texts are only read.
                            var keys = unsafe [quality == nil ? nil : UnsafeMutablePointer(mutating: key), nil]
                            var values = unsafe [quality == nil ? nil : UnsafeMutablePointer(mutating: value), nil]
                            return try unsafe Self.encode(pixbuf, format, &keys, &values)
                        }
                    }
                }
            } catch let error as ImageDecodingError {
                throw error
            } catch {
                throw ImageDecodingError(.encodingFailed, "The image cannot be encoded: \(error)")
            }
        }

        private static func encode(
            _ pixbuf: OpaquePointer,
            _ format: String,
            _ keys: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>,
            _ values: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
        ) throws -> Data {
            var buffer: UnsafeMutablePointer<gchar>?
            var count: gsize = 0
            var error: UnsafeMutablePointer<GError>?
            let isEncoded = unsafe gdk_pixbuf_save_to_bufferv(pixbuf, &buffer, &count, format, keys, values, &error)
            guard isEncoded != 0, let buffer = unsafe buffer else {
                throw ImageDecodingError(.encodingFailed, unsafe PixbufLoader.text(of: error))
            }
            defer { unsafe g_free(buffer) }
            return unsafe Data(bytes: buffer, count: Int(count))
        }
    }
#endif
