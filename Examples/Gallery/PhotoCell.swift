import Bluebonnet
import BluebonnetGTK
import BluebonnetImages
import CGtk

/// A place in the grid: a picture with its title, and a bar while the picture comes. The grid uses
/// it for one photo after the other.
@MainActor
final class PhotoCell {
    /// What is done for the photo.
    private enum State {
        case nothing
        /// The picture is downloaded into the cache, behind those that are shown.
        case prefetched(ImagePrefetch)
        /// The picture is shown, or will be as soon as it is here.
        case shown
    }

    let widget: Widget = gtk_box_new(GTK_ORIENTATION_VERTICAL, 8)
    private let pictureWidget: Widget = gtk_picture_new()
    private let progressBar: Widget = gtk_progress_bar_new()
    private let title: Widget = gtk_label_new(nil)
    private let picture: Picture
    private let library: PhotoLibrary
    private var photo: Photo?
    private var state = State.nothing

    init(_ library: PhotoLibrary) {
        self.library = library
        picture = Picture(pictureWidget)
        gtk_picture_set_content_fit(pictureWidget.opaque, GTK_CONTENT_FIT_COVER)
        gtk_widget_set_size_request(pictureWidget, 200, 160)
        gtk_widget_add_css_class(pictureWidget, "photo")

        gtk_label_set_xalign(title.opaque, 0)
        gtk_label_set_ellipsize(title.opaque, PANGO_ELLIPSIZE_END)
        gtk_widget_add_css_class(title, "photo-title")
        let overlay: Widget = gtk_overlay_new()
        gtk_overlay_set_child(overlay.opaque, pictureWidget)
        gtk_widget_set_valign(progressBar, GTK_ALIGN_END)
        gtk_widget_add_css_class(progressBar, "photo-progress")
        gtk_widget_set_visible(progressBar, 0)
        gtk_overlay_add_overlay(overlay.opaque, progressBar)
        gtk_box_append(widget.cast(), overlay)
        gtk_box_append(widget.cast(), title)
        connect(pictureWidget.opaque, "notify::paintable") { [weak self] (_: OpaquePointer) in
            self?.hideProgress()
        }
    }

    /// Whether there is a picture to be seen.
    var hasPicture: Bool { gtk_picture_get_paintable(pictureWidget.opaque) != nil }

    /// Whether a bar says how much of the picture is here.
    var hasProgress: Bool { gtk_widget_get_visible(progressBar) != 0 }

    /// Has the cell stand for another photo, whose picture is not loaded yet.
    func use(for photo: Photo) {
        clear()
        self.photo = photo
        gtk_label_set_text(title.opaque, photo.title)
        gtk_picture_set_alternative_text(pictureWidget.opaque, photo.title)
    }

    /// Shows the picture, as soon as it is here.
    func show() {
        if case .shown = state { return }
        guard let request else { return }
        picture.setImage(
            with: request,
            downloader: library.downloader,
            progress: { [weak self] in self?.showProgress($0.download) },
            failure: { [weak self] _ in self?.hideProgress() }
        )
        // Only now, since the picture shares the transfer that was begun before.
        cancelPrefetch()
        state = .shown
    }

    /// Downloads the picture into the cache, before it is to be shown.
    func prefetch() {
        guard case .nothing = state, let request else { return }
        state = .prefetched(library.downloader.prefetch([request]))
    }

    /// Releases the picture, and cancels its download.
    func clear() {
        if case .nothing = state { return }
        cancelPrefetch()
        picture.setImage(nil)
        hideProgress()
        state = .nothing
    }

    /// Shows the bar, unless the picture came at once.
    private func showProgress(_ progress: TransferProgress) {
        guard hasProgress || progress.fractionCompleted != 1 else { return }
        gtk_widget_set_visible(progressBar, 1)
        if let fraction = progress.fractionCompleted {
            gtk_progress_bar_set_fraction(progressBar.opaque, fraction)
        } else {
            gtk_progress_bar_pulse(progressBar.opaque)
        }
    }

    private func hideProgress() {
        gtk_widget_set_visible(progressBar, 0)
    }

    /// The request for the picture as it is to be drawn; nil before the cell has a size.
    private var request: ImageRequest? {
        guard let photo, let size = picture.pixelSize else { return nil }
        // The radius of the style.
        let radius = 12 * Double(gtk_widget_get_scale_factor(pictureWidget))
        return library.request(for: photo, size: size, radius: radius)
    }

    private func cancelPrefetch() {
        if case .prefetched(let prefetch) = state { prefetch.cancel() }
    }
}
