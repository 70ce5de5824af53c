#if Images
    import CGdkPixbuf

    extension Bitmap {
        /// Copies the pixels of a `GdkPixbuf`; nil where it is not of 8 bits and 3 or 4 channels,
        /// as all are today.
        ///
        /// - Parameter pixbuf: The pointer to a `GdkPixbuf`, which is only read.
        public init?(unsafePixbuf pixbuf: OpaquePointer) {
            let width = unsafe Int(gdk_pixbuf_get_width(pixbuf))
            let height = unsafe Int(gdk_pixbuf_get_height(pixbuf))
            let channels = unsafe Int(gdk_pixbuf_get_n_channels(pixbuf))
            guard unsafe gdk_pixbuf_get_bits_per_sample(pixbuf) == 8, channels == 3 || channels == 4,
                let count = Self.byteCount(width: width, height: height),
                let source = unsafe gdk_pixbuf_read_pixels(pixbuf)
            else { return nil }
            let stride = unsafe Int(gdk_pixbuf_get_rowstride(pixbuf))
            let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { target, initialized in
                // Each row of the source has `width * channels` bytes, and rows are `stride` apart;
                // the target has room for `count` bytes.
                guard var place = target.baseAddress else { return }
                for y in 0..<height {
                    var pixel = unsafe source + y * stride
                    if channels == 4 {
                        unsafe place.update(from: pixel, count: width * 4)
                        unsafe place += width * 4
                        continue
                    }
                    for _ in 0..<width {
                        unsafe place[0] = unsafe pixel[0]
                        unsafe place[1] = unsafe pixel[1]
                        unsafe place[2] = unsafe pixel[2]
                        unsafe place[3] = .max
                        unsafe place += 4
                        unsafe pixel += 3
                    }
                }
                initialized = count
            }
            self.init(width: width, height: height, checked: bytes)
        }

        /// Copies the pixels of a `GdkPixbuf`, made smaller where the closure wants that.
        init?(unsafePixbuf pixbuf: OpaquePointer, fitting fitted: (ImageSize) -> ImageSize) {
            let size = unsafe ImageSize(
                width: Int(gdk_pixbuf_get_width(pixbuf)),
                height: Int(gdk_pixbuf_get_height(pixbuf))
            )
            let wanted = fitted(size)
            guard wanted != size else {
                unsafe self.init(unsafePixbuf: pixbuf)
                return
            }
            let (width, height) = (gint(wanted.width), gint(wanted.height))
            guard let scaled = unsafe gdk_pixbuf_scale_simple(pixbuf, width, height, GDK_INTERP_BILINEAR) else {
                return nil
            }
            defer { unsafe g_object_unref(UnsafeMutableRawPointer(scaled)) }
            unsafe self.init(unsafePixbuf: scaled)
        }

        /// Calls a closure with a `GdkPixbuf` of the pixels.
        ///
        /// It has a copy of the pixels: whoever keeps it takes a reference of its own with
        /// `g_object_ref`.
        ///
        /// - Parameter body: Uses the pointer, which may be invalid after it returns.
        /// - Returns: What the closure returns.
        /// - Throws: ``ImageDecodingError`` with the reason
        ///   ``ImageDecodingError/Reason/encodingFailed`` where a row is longer than a `GdkPixbuf`
        ///   can have, and what the closure throws.
        public func withUnsafePixbuf<Value>(_ body: (OpaquePointer) throws -> Value) throws -> Value {
            guard let stride = gint(exactly: width * 4), let height = gint(exactly: height),
                let bytes = unsafe self.bytes.withUnsafeBytes({ unsafe g_bytes_new($0.baseAddress, gsize($0.count)) })
            else { throw ImageDecodingError(.encodingFailed, "The image is too large for a GdkPixbuf.") }
            defer { unsafe g_bytes_unref(bytes) }
            let made = unsafe gdk_pixbuf_new_from_bytes(bytes, GDK_COLORSPACE_RGB, 1, 8, gint(width), height, stride)
            guard let pixbuf = unsafe made else {
                throw ImageDecodingError(.encodingFailed, "The image is too large for a GdkPixbuf.")
            }
            defer { unsafe g_object_unref(UnsafeMutableRawPointer(pixbuf)) }
            return try unsafe body(pixbuf)
        }
    }
#endif
