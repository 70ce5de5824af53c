#if GTK
    import BluebonnetImages
    import CGtk4

    /// The state of a `GtkButton`: an image, a background and their downloads for each of its
    /// states.
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

        /// What an image is for.
        struct Place: Hashable {
            let layer: ButtonLayer
            let state: Button.State
        }

        private var loads: [Place: ImageLoad] = [:]
        private var contents: [Place: Content] = [:]
        private var shown: [ButtonLayer: Content] = [:]
        private var followsFlags = false

        override func stop() {
            for load in loads.values { load.cancel() }
            (loads, contents, shown) = ([:], [:], [:])
        }

        /// The download of a place, where there was one.
        func known(_ place: Place) -> ImageLoad? { loads[place] }

        /// The download of a place.
        func load(of place: Place) -> ImageLoad {
            if let load = loads[place] { return load }
            let load = ImageLoad()
            loads[place] = load
            return load
        }

        /// Shows an image, or none, in a state of the button.
        func show(_ image: Image?, _ texture: Texture?, in place: Place) {
            contents[place] = image.map { Content($0, texture) }
            if !followsFlags {
                followsFlags = true
                unsafe connect("state-flags-changed", flagsHaveChanged)
            }
            update(place.layer)
        }

        /// Shows the images of the state that the button has now.
        func update() {
            update(.image)
            update(.background)
        }

        private func update(_ layer: ButtonLayer) {
            guard let widget = unsafe widget else { return }
            // Not during a refresh, which puts back at its end what was there before it.
            let refresh: RefreshState? = unsafe WidgetState.known(of: widget, key: RefreshState.key)
            guard refresh?.hasSpinner != true else { return }
            let state = unsafe widget.buttonState
            let content =
                contents[Place(layer: layer, state: state)] ?? contents[Place(layer: layer, state: .normal)]
            guard content !== shown[layer] else { return }
            shown[layer] = content
            let child = unsafe layer.picture(in: widget.button)
            let picture: PictureState = unsafe WidgetState.state(of: child, key: PictureState.key)
            picture.show(content?.image, content?.texture)
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
