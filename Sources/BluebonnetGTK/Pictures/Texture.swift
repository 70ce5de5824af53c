#if GTK
    import BluebonnetImages
    import CGtk4

    /// Pixels as GTK draws them: a `GdkTexture`.
    ///
    /// `@unchecked Sendable`: a `GdkTexture` does not change, and its count of references is
    /// atomic. It is made where the image was decoded, and drawn and released on the main thread.
    @safe final class Texture: @unchecked Sendable {
        let pointer: OpaquePointer

        /// Makes a texture of pixels, which are copied; nil where a side is longer than GTK counts.
        init?(_ bitmap: Bitmap) {
            guard let width = gint(exactly: bitmap.width), let height = gint(exactly: bitmap.height),
                let bytes = unsafe bitmap.bytes.withUnsafeBytes({
                    unsafe g_bytes_new($0.baseAddress, gsize($0.count))
                })
            else { return nil }
            defer { unsafe g_bytes_unref(bytes) }
            let stride = gsize(bitmap.width * 4)
            guard let texture = unsafe gdk_memory_texture_new(width, height, GDK_MEMORY_R8G8B8A8, bytes, stride) else {
                return nil
            }
            unsafe pointer = texture
        }

        deinit {
            unsafe g_object_unref(UnsafeMutableRawPointer(pointer))
        }
    }
#endif
