#if GTK
    import BluebonnetGTK
    import BluebonnetImages
    import CGdkPixbuf
    import CGtk4

    /// A widget whose state a check reads.
    @safe @MainActor
    struct Widget {
        let pointer: UnsafeMutablePointer<GtkWidget>

        init(_ pointer: UnsafeMutablePointer<GtkWidget>) {
            unsafe self.pointer = pointer
        }

        // MARK: Kinds

        static func makePicture() -> Widget { unsafe Widget(gtk_picture_new()) }

        static func makeImage() -> Widget { unsafe Widget(gtk_image_new()) }

        static func makeButton(_ label: String) -> Widget { unsafe Widget(gtk_button_new_with_label(label)) }

        static func makeSpinner() -> Widget { unsafe Widget(gtk_spinner_new()) }

        static func makeProgressBar() -> Widget { unsafe Widget(gtk_progress_bar_new()) }

        static func makeBox(with child: Widget) -> Widget {
            let box = unsafe Widget(gtk_box_new(GTK_ORIENTATION_VERTICAL, 0))
            unsafe gtk_box_append(
                UnsafeMutableRawPointer(box.pointer).assumingMemoryBound(to: GtkBox.self),
                child.pointer
            )
            return box
        }

        // MARK: Wrappers

        var picture: Picture { unsafe Picture(pointer) }

        var button: Button { unsafe Button(pointer) }

        var progressBar: ProgressBar { unsafe ProgressBar(pointer) }

        var spinner: Spinner { unsafe Spinner(pointer) }

        var refreshControl: RefreshControl { unsafe RefreshControl(pointer) }

        var activityIndicator: ActivityIndicator { unsafe ActivityIndicator(pointer) }

        // MARK: Its state

        var isVisible: Bool {
            get { unsafe gtk_widget_get_visible(pointer) != 0 }
            nonmutating set { unsafe gtk_widget_set_visible(pointer, newValue ? 1 : 0) }
        }

        var isSensitive: Bool {
            get { unsafe gtk_widget_get_sensitive(pointer) != 0 }
            nonmutating set { unsafe gtk_widget_set_sensitive(pointer, newValue ? 1 : 0) }
        }

        /// The texture of a `GtkPicture` or a `GtkImage`; nil for any other widget.
        private var paintable: OpaquePointer? {
            let opaque = unsafe OpaquePointer(pointer)
            if isA(gtk_picture_get_type()) { return unsafe gtk_picture_get_paintable(opaque) }
            return unsafe isA(gtk_image_get_type()) ? gtk_image_get_paintable(opaque) : nil
        }

        private func isA(_ type: GType) -> Bool {
            unsafe UnsafeMutableRawPointer(pointer).withMemoryRebound(to: GTypeInstance.self, capacity: 1) {
                unsafe g_type_check_instance_is_a($0, type) != 0
            }
        }

        /// The width of the image that it shows in pixels; 0 for none.
        var shownWidth: Int {
            guard let paintable = unsafe paintable else { return 0 }
            return unsafe Int(gdk_paintable_get_intrinsic_width(paintable))
        }

        /// The first pixel of the image that it shows.
        var firstPixel: Bitmap.Pixel? {
            guard let paintable = unsafe paintable else { return nil }
            return unsafe Bitmap(unsafeTexture: paintable)?[0, 0]
        }

        /// The last pixel of the image that it shows.
        var lastPixel: Bitmap.Pixel? {
            guard let paintable = unsafe paintable, let bitmap = unsafe Bitmap(unsafeTexture: paintable) else {
                return nil
            }
            return bitmap[bitmap.width - 1, bitmap.height - 1]
        }

        /// Whether a `GtkSpinner` spins.
        var spins: Bool { unsafe gtk_spinner_get_spinning(OpaquePointer(pointer)) != 0 }

        /// The fraction that a `GtkProgressBar` shows.
        var fraction: Double { unsafe gtk_progress_bar_get_fraction(OpaquePointer(pointer)) }

        /// Whether a `GtkProgressBar` shows that something is going on, without a length.
        var pulses: Bool {
            var next = unsafe gtk_widget_get_first_child(pointer)
            while let child = unsafe next {
                if unsafe gtk_widget_has_css_class(child, "pulse") != 0 || Widget(child).pulses { return true }
                unsafe next = gtk_widget_get_next_sibling(child)
            }
            return false
        }

        private var asButton: UnsafeMutablePointer<GtkButton> {
            unsafe UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: GtkButton.self)
        }

        /// The label of a `GtkButton`.
        var label: String? { unsafe gtk_button_get_label(asButton).map { unsafe String(cString: $0) } }

        /// The picture in a `GtkButton`.
        var child: Widget? { unsafe gtk_button_get_child(asButton).map { unsafe Widget($0) } }

        /// The background of a `GtkButton`, and what is before it.
        var layers: [Widget] {
            guard let overlay = child else { return [] }
            var (layers, next) = unsafe ([Widget](), gtk_widget_get_first_child(overlay.pointer))
            while let child = unsafe next {
                unsafe layers.append(Widget(child))
                unsafe next = gtk_widget_get_next_sibling(child)
            }
            return layers
        }

        // MARK: Its life

        /// The number of references to it.
        var referenceCount: Int { unsafe Int(object.pointee.ref_count) }

        private var object: UnsafeMutablePointer<GObject> {
            unsafe UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: GObject.self)
        }

        /// Takes a reference, the first one of a new widget.
        func retain() {
            unsafe g_object_ref_sink(pointer)
        }

        /// Destroys it, whoever has a reference.
        func dispose() {
            unsafe g_object_run_dispose(object)
        }

        func release() {
            unsafe g_object_unref(pointer)
        }
    }
#endif
