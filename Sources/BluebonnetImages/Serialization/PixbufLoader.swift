#if Images
    import CGdkPixbuf
    import FoundationEssentials

    /// A loader of gdk-pixbuf, which is fed with the bytes of one image. It is used by one thread
    /// at a time. The loader lives as long as this object, and nobody else has it.
    @safe final class PixbufLoader {
        /// What the loader asks and tells while it is fed.
        final class Sizes {
            let plan: DecodingPlan
            /// The reason why the image must not be decoded.
            var refusal: ImageDecodingError?
            /// The size that is decoded; nil before it is known.
            var size: ImageSize?
            /// The number of rows that were decoded, each as often as it was, and the end of the
            /// lowest of them.
            var rows = 0
            var bottom = 0

            init(_ plan: DecodingPlan) { self.plan = plan }
        }

        /// The greatest number of bytes for one call: a loader that was told to stop goes on until
        /// the call returns.
        private static let pieceSize = 64 * 1024

        /// The state of the decoding.
        let sizes: Sizes
        private let format: ImageFormat
        private let loader: UnsafeMutablePointer<GdkPixbufLoader>
        private var isOpen = true
        /// Leaves out parts of a PNG; nil for other formats.
        private var filter: PNGChunkFilter?

        init(_ plan: DecodingPlan) throws(ImageDecodingError) {
            sizes = Sizes(plan)
            format = plan.information.format
            // A PNG in an icon, too.
            filter = plan.loader == ImageFormat.png.name ? PNGChunkFilter() : nil
            var error: UnsafeMutablePointer<GError>?
            guard let loader = unsafe gdk_pixbuf_loader_new_with_type(plan.loader, &error) else {
                let reason = unsafe Self.text(of: error)
                throw ImageDecodingError(.formatUnavailable, "The loader cannot be used: \(reason)", format: format)
            }
            unsafe self.loader = loader
            connectSignals()
        }

        deinit {
            // A loader has to be closed before it is released.
            if isOpen { unsafe gdk_pixbuf_loader_close(loader, nil) }
            unsafe g_object_unref(loader)
        }

        // MARK: Bytes

        /// Decodes more bytes.
        func write(_ data: Data) throws(ImageDecodingError) {
            var place = data.startIndex
            while place < data.endIndex {
                let end = min(place + Self.pieceSize, data.endIndex)
                let piece = filter?.take(data[place..<end]) ?? data[place..<end]
                place = end
                // Nothing may be left of it.
                guard !piece.isEmpty else { continue }
                var error: UnsafeMutablePointer<GError>?
                let isWritten = unsafe piece.withUnsafeBytes { bytes in
                    let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: guchar.self)
                    return unsafe gdk_pixbuf_loader_write(loader, start, gsize(bytes.count), &error)
                }
                if isWritten == 0 {
                    // A loader closes itself when it fails.
                    isOpen = false
                    throw unsafe failure(error)
                }
                if let refusal = sizes.refusal { throw refusal }
            }
        }

        /// Ends the decoding.
        func close() throws(ImageDecodingError) {
            guard isOpen else { return }
            isOpen = false
            var error: UnsafeMutablePointer<GError>?
            let isClosed = unsafe gdk_pixbuf_loader_close(loader, &error)
            // An SVG that was refused is one pixel, and a success.
            if let refusal = sizes.refusal {
                unsafe g_clear_error(&error)
                throw refusal
            }
            if isClosed == 0 { throw unsafe failure(error) }
        }

        // MARK: Results

        /// The pixels, as far as they are decoded; nil before the size is known.
        var pixbuf: OpaquePointer? { unsafe gdk_pixbuf_loader_get_pixbuf(loader) }

        /// The animation; nil before the size is known.
        var animation: OpaquePointer? { unsafe gdk_pixbuf_loader_get_animation(loader) }

        // MARK: Signals

        private func connectSignals() {
            // The handlers are called inside of the calls above, while this object is alive, and
            // its `sizes` with it.
            let target = unsafe Unmanaged.passUnretained(sizes).toOpaque()
            let prepared: @convention(c) (UnsafeMutablePointer<GdkPixbufLoader>?, gint, gint, gpointer?) -> Void = {
                loader,
                width,
                height,
                target in
                guard let target = unsafe target, let loader = unsafe loader else { return }
                let sizes = unsafe Unmanaged<Sizes>.fromOpaque(target).takeUnretainedValue()
                guard let size = sizes.prepare(width: Int(width), height: Int(height)) else { return }
                unsafe gdk_pixbuf_loader_set_size(loader, gint(size.width), gint(size.height))
            }
            let updated:
                @convention(c) (UnsafeMutablePointer<GdkPixbufLoader>?, gint, gint, gint, gint, gpointer?) -> Void = {
                    _,
                    _,
                    y,
                    _,
                    height,
                    target in
                    guard let target = unsafe target else { return }
                    let sizes = unsafe Unmanaged<Sizes>.fromOpaque(target).takeUnretainedValue()
                    sizes.rows += Int(height)
                    sizes.bottom = max(sizes.bottom, Int(y) + Int(height))
                }
            let flags = GConnectFlags(rawValue: 0)
            // GLib calls a handler with the arguments of its signal, which are those above.
            unsafe g_signal_connect_data(
                loader,
                "size-prepared",
                unsafeBitCast(prepared, to: GCallback.self),
                target,
                nil,
                flags
            )
            unsafe g_signal_connect_data(
                loader,
                "area-updated",
                unsafeBitCast(updated, to: GCallback.self),
                target,
                nil,
                flags
            )
        }

        // MARK: Errors

        private func failure(_ error: UnsafeMutablePointer<GError>?) -> ImageDecodingError {
            if let refusal = sizes.refusal {
                if let error = unsafe error { unsafe g_error_free(error) }
                return refusal
            }
            if unsafe error?.pointee.domain == gdk_pixbuf_error_quark(),
                unsafe error?.pointee.code == gint(GDK_PIXBUF_ERROR_INCOMPLETE_ANIMATION.rawValue)
            {
                unsafe g_error_free(error)
                return ImageDecodingError(ImageFault.truncated, format: format)
            }
            let reason = unsafe Self.text(of: error)
            return ImageDecodingError(.malformed, "The \(format) image cannot be decoded: \(reason)", format: format)
        }

        /// The text of an error, which is released.
        static func text(of error: UnsafeMutablePointer<GError>?) -> String {
            guard let error = unsafe error else { return "the loader gives no reason" }
            defer { unsafe g_error_free(error) }
            guard let message = unsafe error.pointee.message else { return "the loader gives no reason" }
            return unsafe String(cString: message)
        }
    }

    extension PixbufLoader.Sizes {
        /// Checks the size that the loader has found; returns the one to decode, where it is
        /// another. No size at all stops the loader.
        fileprivate func prepare(width: Int, height: Int) -> ImageSize? {
            guard refusal == nil else { return ImageSize(width: 0, height: 0) }
            do throws(ImageDecodingError) {
                let wanted = try plan.size(forLoaded: ImageSize(width: width, height: height))
                size = wanted ?? ImageSize(width: width, height: height)
                return wanted
            } catch {
                refusal = error
                return ImageSize(width: 0, height: 0)
            }
        }
    }
#endif
