import CGtk

/// The look of the window: light and dark.
@MainActor
enum Style {
    /// Loads the style. Call it once.
    static func load() {
        let provider: UnsafeMutablePointer<GtkCssProvider> = gtk_css_provider_new()
        gtk_css_provider_load_from_data(provider, css, -1)
        gtk_style_context_add_provider_for_display(
            gdk_display_get_default(),
            OpaquePointer(provider),
            guint(GTK_STYLE_PROVIDER_PRIORITY_APPLICATION)
        )
        g_object_unref(provider)
    }

    /// Whether the theme is the dark one, as far as this program has chosen.
    static var isDark = false {
        didSet {
            guard let settings = gtk_settings_get_default() else { return }
            var value = GValue()
            g_value_init(&value, GType(5 << 2))  // G_TYPE_BOOLEAN, which is a macro
            g_value_set_boolean(&value, isDark ? 1 : 0)
            let object = UnsafeMutableRawPointer(settings).assumingMemoryBound(to: GObject.self)
            g_object_set_property(object, "gtk-application-prefer-dark-theme", &value)
            g_value_unset(&value)
        }
    }

    private static let css = """
        window.gallery { background: #fafafa; color: #241f31; }
        window.gallery.dark { background: #1e1e21; color: #f6f5f4; }
        window.gallery.solid-csd { border: 1px solid alpha(currentColor, 0.2); box-shadow: none; }
        .gallery headerbar { background: #fafafa; border: none; box-shadow: none; min-height: 48px; }
        .gallery.dark headerbar { background: #1e1e21; }
        .gallery headerbar .title { font-weight: bold; }
        .gallery headerbar .subtitle { font-size: 0.85em; }

        gridview.photos { background: transparent; padding: 4px 12px 12px 12px; }
        gridview.photos > child { background: transparent; margin: 0; padding: 10px; border-radius: 20px; }
        gridview.photos > child:hover { background: alpha(currentColor, 0.06); }
        gridview.photos > child box { border-spacing: 8px; margin: 0; }
        .photo { border-radius: 12px; background: alpha(currentColor, 0.09); }
        .photo-title { margin: 0 4px 2px 4px; font-weight: 600; }

        .gallery .photo-progress { margin: 0 12px 10px 12px; }
        .gallery .photo-progress > trough, .gallery .photo-progress > trough > progress {
            border: none; border-radius: 3px; min-height: 5px;
        }
        .gallery .photo-progress > trough { background: alpha(currentColor, 0.2); }
        .gallery .photo-progress > trough > progress { background: #3584e4; margin: 0; min-width: 0; }

        .gallery progressbar.osd { min-width: 0; margin: 0; }
        .gallery progressbar.osd > trough { background: transparent; border: none; min-height: 3px; }
        .gallery progressbar.osd > trough > progress {
            background: #3584e4; border: none; margin: 0; min-height: 3px;
        }
        .notice image { color: alpha(currentColor, 0.45); }
        .notice .heading { font-size: 1.5em; font-weight: 800; }
        .notice .details { color: alpha(currentColor, 0.7); }
        .notice button { border-radius: 999px; padding: 8px 24px; margin-top: 12px; }
        """
}
