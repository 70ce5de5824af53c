#if Images
    import CGdkPixbuf

    /// The loaders of gdk-pixbuf that the system has.
    enum ImageLoaders {
        /// The formats with a loader, and the name of each loader.
        static let names: [ImageFormat: String] = {
            var names: [ImageFormat: String] = [:]
            let list = unsafe gdk_pixbuf_get_formats()
            var item = unsafe list
            while let present = unsafe item {
                // The list holds formats, which live as long as the process.
                if let format = unsafe present.pointee.data { unsafe add(OpaquePointer(format), to: &names) }
                unsafe item = present.pointee.next
            }
            unsafe g_slist_free(list)
            return names
        }()

        /// The formats that can be decoded.
        static let available = Set(names.keys)

        private static func add(_ loader: OpaquePointer, to names: inout [ImageFormat: String]) {
            guard let text = unsafe gdk_pixbuf_format_get_name(loader) else { return }
            let name = unsafe String(cString: text)
            unsafe g_free(text)
            if let format = ImageFormat.all.first(where: { $0.name == name }) {
                names[format] = name
                return
            }
            // libheif's loader has two formats, and its own name; for AVIF, libavif's is better.
            guard name.hasPrefix("heif") else { return }
            names[.heif] = name
            if names[.avif] == nil { names[.avif] = name }
        }
    }
#endif
