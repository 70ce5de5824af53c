#if GTK
    import BluebonnetImages
    import CGtk4

    /// The state of a `GtkButton`: an image, and a download, for each of its states.
    @MainActor
    final class ButtonState: WidgetState {
        static let key = unsafe g_quark_from_static_string("bluebonnet-button")

        /// An image with the texture of its first frame.
        private final class Content {
            let image: Image
            let texture: Texture?

            init(_ image: Image, _ texture: Texture?) {
                self.image = image
                self.texture = texture ?? Texture(image.bitmap)
            }
        }

        private var loads: [Button.State: ImageLoad] = [:]
        private var contents: [Button.State: Content] = [:]
        private var shown: Content?
        private var followsFlags = false

        override func stop() {
            for load in loads.values { load.cancel() }
            (loads, contents, shown) = ([:], [:], nil)
        }

        /// The download of a state, where there was one.
        func known(_ state: Button.State) -> ImageLoad? { loads[state] }

        /// The download of a state.
        func load(of state: Button.State) -> ImageLoad {
            if let load = loads[state] { return load }
            let load = ImageLoad()
            loads[state] = load
            return load
        }

        /// Shows an image, or none, in a state of the button.
        func show(_ image: Image?, _ texture: Texture?, in state: Button.State) {
            contents[state] = image.map { Content($0, texture) }
            if !followsFlags {
                followsFlags = true
                unsafe connect("state-flags-changed", flagsHaveChanged)
            }
            update()
        }

        /// Shows the image of the state that the button has now.
        fileprivate func update() {
            guard let widget = unsafe widget else { return }
            let content = contents[unsafe widget.buttonState] ?? contents[.normal]
            guard content !== shown else { return }
            shown = content
            let picture: PictureState = unsafe WidgetState.state(of: child(of: widget.button), key: PictureState.key)
            picture.show(content?.image, content?.texture)
        }

        /// The picture in a button, which is put there when it has something else.
        private func child(of button: UnsafeMutablePointer<GtkButton>) -> WidgetPointer {
            if let child = unsafe gtk_button_get_child(button),
                unsafe child.isPicture || child.is(a: gtk_image_get_type())
            {
                return unsafe child
            }
            let picture: WidgetPointer = unsafe gtk_picture_new()
            unsafe gtk_button_set_child(button, picture)
            return unsafe picture
        }
    }

    private func flagsHaveChanged(_: gpointer?, _: guint, _ data: gpointer?) {
        unsafe WidgetState.with(data) { (state: ButtonState) in state.update() }
    }

    extension WidgetPointer {
        fileprivate var buttonState: Button.State {
            let flags = unsafe gtk_widget_get_state_flags(self).rawValue
            if flags & GTK_STATE_FLAG_INSENSITIVE.rawValue != 0 { return .insensitive }
            if flags & GTK_STATE_FLAG_ACTIVE.rawValue != 0 { return .active }
            return flags & GTK_STATE_FLAG_PRELIGHT.rawValue != 0 ? .prelight : .normal
        }
    }
#endif
