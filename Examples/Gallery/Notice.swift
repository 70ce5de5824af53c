import CGtk

/// A page in place of the photos: an icon, a heading, a sentence, and a button where there is
/// something to do.
@MainActor
final class Notice {
    let widget: Widget = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6)
    private let details: Widget = gtk_label_new(nil)

    init(icon: String, heading: String, details text: String, button: String, action: @escaping () -> Void) {
        gtk_widget_set_valign(widget, GTK_ALIGN_CENTER)
        gtk_widget_add_css_class(widget, "notice")
        let image: Widget = gtk_image_new_from_icon_name(icon)
        gtk_image_set_pixel_size(image.opaque, 96)
        gtk_widget_set_margin_bottom(image, 12)
        let headingWidget: Widget = gtk_label_new(heading)
        gtk_widget_add_css_class(headingWidget, "heading")
        gtk_label_set_wrap(details.opaque, 1)
        gtk_label_set_max_width_chars(details.opaque, 48)
        gtk_label_set_justify(details.opaque, GTK_JUSTIFY_CENTER)
        gtk_widget_add_css_class(details, "details")
        let buttonWidget: Widget = gtk_button_new_with_label(button)
        gtk_widget_set_halign(buttonWidget, GTK_ALIGN_CENTER)
        gtk_widget_add_css_class(buttonWidget, "suggested-action")
        connect(buttonWidget.opaque, "clicked", action)
        for child in [image, headingWidget, details, buttonWidget] { gtk_box_append(widget.cast(), child) }
        self.text = text
        gtk_label_set_text(details.opaque, text)
    }

    /// The sentence.
    var text: String {
        didSet { gtk_label_set_text(details.opaque, text) }
    }
}
