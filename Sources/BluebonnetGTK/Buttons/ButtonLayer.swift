#if GTK
    import CGtk4

    /// The two images of a button.
    enum ButtonLayer: Hashable {
        /// The child of the button.
        case image
        /// Behind the child: then the child of the button is a `GtkOverlay` of both.
        case background

        /// Marks the overlays that are made here.
        private static let key = unsafe g_quark_from_static_string("bluebonnet-button-overlay")

        /// The picture that shows the image, which is put there where there is none.
        @MainActor
        func picture(in button: UnsafeMutablePointer<GtkButton>) -> WidgetPointer {
            switch self {
            case .image: unsafe Self.image(in: button)
            case .background: unsafe Self.background(in: button)
            }
        }

        @MainActor
        private static func image(in button: UnsafeMutablePointer<GtkButton>) -> WidgetPointer {
            let overlay = unsafe overlay(in: button)
            let background = unsafe overlay.flatMap { unsafe gtk_overlay_get_child($0) }
            let child = unsafe overlay == nil ? gtk_button_get_child(button) : content(of: overlay, background)
            if let child = unsafe child, unsafe child.isPicture || child.is(a: gtk_image_get_type()) {
                return unsafe child
            }
            let picture: WidgetPointer = unsafe gtk_picture_new()
            guard let overlay = unsafe overlay else {
                unsafe gtk_button_set_child(button, picture)
                return unsafe picture
            }
            if let child = unsafe child { unsafe gtk_overlay_remove_overlay(overlay, child) }
            unsafe add(picture, to: overlay)
            return unsafe picture
        }

        @MainActor
        private static func background(in button: UnsafeMutablePointer<GtkButton>) -> WidgetPointer {
            if let overlay = unsafe overlay(in: button), let picture = unsafe gtk_overlay_get_child(overlay) {
                return unsafe picture
            }
            let content = unsafe gtk_button_get_child(button)
            if let content = unsafe content { unsafe g_object_ref(UnsafeMutableRawPointer(content)) }
            let widget: WidgetPointer = unsafe gtk_overlay_new()
            let (overlay, picture): (OpaquePointer, WidgetPointer) = unsafe (OpaquePointer(widget), gtk_picture_new())
            // As large as the button, as in UIKit.
            unsafe bluebonnet_fill(picture)
            unsafe gtk_overlay_set_child(overlay, picture)
            unsafe g_object_set_qdata(object(widget), key, UnsafeMutableRawPointer(widget))
            unsafe gtk_button_set_child(button, widget)
            if let content = unsafe content {
                unsafe add(content, to: overlay)
                unsafe g_object_unref(UnsafeMutableRawPointer(content))
            }
            return unsafe picture
        }

        /// The overlay that was made for a background; nil for any other child.
        @MainActor
        private static func overlay(in button: UnsafeMutablePointer<GtkButton>) -> OpaquePointer? {
            guard let child = unsafe gtk_button_get_child(button),
                unsafe g_object_get_qdata(object(child), key) != nil
            else { return nil }
            return OpaquePointer(child)
        }

        /// The child that is not the background.
        @MainActor
        private static func content(of overlay: OpaquePointer?, _ background: WidgetPointer?) -> WidgetPointer? {
            guard let overlay = unsafe overlay else { return nil }
            var child = unsafe gtk_widget_get_first_child(WidgetPointer(overlay))
            while let widget = unsafe child, unsafe widget == background {
                unsafe child = gtk_widget_get_next_sibling(widget)
            }
            return unsafe child
        }

        /// Adds what is shown before the background, and has its size count.
        @MainActor
        private static func add(_ content: WidgetPointer, to overlay: OpaquePointer) {
            unsafe gtk_overlay_add_overlay(overlay, content)
            unsafe gtk_overlay_set_measure_overlay(overlay, content, 1)
        }
    }
#endif
