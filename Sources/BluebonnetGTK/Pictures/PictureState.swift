#if GTK
    import BluebonnetImages
    import CGtk4

    /// The state of a `GtkPicture` or `GtkImage`: the image it waits for, and the animation that it
    /// shows.
    @MainActor
    final class PictureState: WidgetState {
        static let key = unsafe g_quark_from_static_string("bluebonnet-picture")

        let load = ImageLoad()
        private var animation: Animation?
        /// The source that waits for the next frame; 0 for none.
        private var timeout: guint = 0
        private var followsMapping = false

        override func stop() {
            load.cancel()
            endAnimation()
        }

        /// Shows an image, or nothing.
        ///
        /// - Parameters:
        ///   - image: The image.
        ///   - texture: The texture of its first frame. Default: one that is made here.
        func show(_ image: Image?, _ texture: Texture? = nil) {
            endAnimation()
            draw(texture ?? image.flatMap { Texture($0.bitmap) })
            guard let image, image.isAnimated else { return }
            animation = Animation(image, at: g_get_monotonic_time())
            followMapping()
            continueAnimation()
        }

        private func draw(_ texture: Texture?) {
            guard let widget = unsafe widget else { return }
            if unsafe widget.isPicture {
                unsafe gtk_picture_set_paintable(OpaquePointer(widget), texture?.pointer)
            } else {
                unsafe gtk_image_set_from_paintable(OpaquePointer(widget), texture?.pointer)
            }
        }

        // MARK: Animations

        private func followMapping() {
            guard !followsMapping else { return }
            followsMapping = true
            unsafe connect("map", widgetIsMapped)
            unsafe connect("unmap", widgetIsUnmapped)
        }

        /// Waits for the time of the next frame, while the widget is on the screen.
        fileprivate func continueAnimation() {
            guard timeout == 0, let widget = unsafe widget, unsafe gtk_widget_get_mapped(widget) != 0,
                let wait = animation?.wait(at: g_get_monotonic_time())
            else { return }
            let data = unsafe Unmanaged<WidgetState>.passUnretained(self).toOpaque()
            timeout = unsafe g_timeout_add_full(G_PRIORITY_DEFAULT, wait, frameIsDue, data, nil)
        }

        fileprivate func pauseAnimation() {
            guard timeout != 0 else { return }
            g_source_remove(timeout)
            timeout = 0
        }

        private func endAnimation() {
            pauseAnimation()
            animation = nil
        }

        fileprivate func nextFrame() {
            timeout = 0
            guard let bitmap = animation?.advance(at: g_get_monotonic_time()) else { return }
            draw(Texture(bitmap))
            continueAnimation()
        }
    }

    private func widgetIsMapped(_: gpointer?, _ data: gpointer?) {
        unsafe WidgetState.with(data) { (state: PictureState) in state.continueAnimation() }
    }

    private func widgetIsUnmapped(_: gpointer?, _ data: gpointer?) {
        unsafe WidgetState.with(data) { (state: PictureState) in state.pauseAnimation() }
    }

    private func frameIsDue(_ data: gpointer?) -> gboolean {
        unsafe WidgetState.with(data) { (state: PictureState) in state.nextFrame() }
        return gboolean(0)
    }

    extension WidgetPointer {
        var isPicture: Bool { unsafe self.is(a: gtk_picture_get_type()) }

        /// Whether the widget is of a type, or of one derived from it.
        func `is`(a type: GType) -> Bool {
            unsafe UnsafeMutableRawPointer(self).withMemoryRebound(to: GTypeInstance.self, capacity: 1) {
                unsafe g_type_check_instance_is_a($0, type) != 0
            }
        }
    }
#endif
