#if GTK
    public import BluebonnetImages
    import CGtk4

    extension Bitmap {
        /// Calls a closure with a `GdkTexture` of the pixels, for any widget that takes a
        /// `GdkPaintable`. It can be called on any thread.
        ///
        /// It has a copy of the pixels: whoever keeps it takes a reference of its own with
        /// `g_object_ref`. (`withUnsafePixbuf` is the same with a `GdkPixbuf`.)
        ///
        /// - Parameter body: Uses the pointer, which may be invalid after it returns.
        /// - Returns: What the closure returns.
        /// - Throws: `ImageDecodingError` with the reason `encodingFailed` where a side is longer
        ///   than GTK counts, and what the closure throws.
        public func withUnsafeTexture<Value>(_ body: (OpaquePointer) throws -> Value) throws -> Value {
            guard let texture = Texture(self) else {
                throw ImageDecodingError(.encodingFailed, "The image is too large for a GdkTexture.")
            }
            return try withExtendedLifetime(texture) { try unsafe body(texture.pointer) }
        }

        /// Copies the pixels of a `GdkTexture`; nil where it has none, or too many for an `Int`.
        ///
        /// GTK gives them multiplied with their alpha: the colors of pixels that are almost
        /// transparent are not exact.
        ///
        /// - Parameter texture: The pointer to a `GdkTexture`, which is only read.
        public init?(unsafeTexture texture: OpaquePointer) {
            let width = unsafe Int(gdk_texture_get_width(texture))
            let height = unsafe Int(gdk_texture_get_height(texture))
            self.init(width: width, height: height)
            unsafe withUnsafeMutableBytes { bytes in
                // As many bytes as GTK writes: four for each pixel, rows one after the other.
                unsafe gdk_texture_download(texture, bytes.baseAddress, gsize(width * 4))
                var index = 0
                while index < bytes.count {
                    // One word for each pixel, of the processor's byte order: alpha, red, green,
                    // blue from the top.
                    let place = UnsafeRawBufferPointer(bytes)
                    let word = unsafe place.loadUnaligned(fromByteOffset: index, as: UInt32.self)
                    let alpha = word >> 24
                    for channel in 0..<3 {
                        let value = word >> UInt32(16 - 8 * channel) & 0xFF
                        let straight = alpha == 0 ? 0 : min(255, (value * 255 + alpha / 2) / alpha)
                        unsafe bytes[index + channel] = UInt8(straight)
                    }
                    unsafe bytes[index + 3] = UInt8(alpha)
                    index += 4
                }
            }
        }
    }
#endif
