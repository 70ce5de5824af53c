import Bluebonnet
import BluebonnetGTK
import CGtk

/// The window: photos of a server, or why there are none.
@MainActor
final class GalleryWindow {
    /// What the window shows. The texts are the names of its pages.
    enum Page: String {
        case loading, photos, empty, failure
    }

    let widget: Widget
    let library: PhotoLibrary
    let grid: PhotoGrid
    private(set) var page = Page.loading
    private(set) var photoCount = 0

    private let pages: Widget = gtk_stack_new()
    private let subtitle: Widget = gtk_label_new(nil)
    private let refreshButton: Widget = gtk_button_new_from_icon_name("view-refresh-symbolic")
    private let darkButton: Widget = gtk_toggle_button_new()
    private let spinner: Widget = gtk_spinner_new()
    private let progressBar: Widget = gtk_progress_bar_new()
    private let monitor = NetworkActivityMonitor(activationDelay: .milliseconds(200))
    private var empty: Notice?
    private var failure: Notice?
    /// The list under way.
    private var task: DataTask<[Photo]>?

    init(_ application: UnsafeMutablePointer<GtkApplication>, _ library: PhotoLibrary, isDark: Bool) {
        self.library = library
        widget = gtk_application_window_new(application)
        grid = PhotoGrid(library)
        gtk_window_set_title(widget.cast(), "Gallery")
        gtk_window_set_default_size(widget.cast(), 960, 640)
        gtk_widget_add_css_class(widget, "gallery")
        gtk_window_set_titlebar(widget.cast(), headerBar())
        gtk_window_set_child(widget.cast(), content())
        Style.isDark = isDark
        showWhetherDark()
        // The indicator is shown while requests of any kind are under way, but not for short ones.
        monitor.observe(library.session)
        ActivityIndicator(spinner).follow(monitor)
        grid.onPull = { [unowned self] in refresh() }
    }

    // MARK: Photos

    /// Asks the server for the list of photos, and shows them. Has no effect while it is asked.
    func refresh() {
        guard task == nil else { return }
        do {
            let task = try library.list()
            self.task = task
            gtk_widget_set_visible(progressBar, 1)
            ProgressBar(progressBar).setProgress(ofDownload: task, animated: true)
            RefreshControl(refreshButton).setRefreshing(withStateOf: task)
            if page != .photos { show(.loading) }
            Task { finish(await task.result.map(\.value)) }
        } catch {
            finish(.failure(error))
        }
    }

    private func finish(_ result: Result<[Photo], NetworkingError>) {
        task = nil
        gtk_widget_set_visible(progressBar, 0)
        switch result {
        case .success(let photos):
            photoCount = photos.count
            grid.show(photos)
            showSubtitle(photos.count == 1 ? "1 picture" : "\(photos.count) pictures")
            show(photos.isEmpty ? .empty : .photos)
        case .failure(let error):
            // The photos of an earlier list stay.
            showSubtitle(page == .photos ? "Could not be refreshed" : "")
            failure?.text = error.message
            if page != .photos { show(.failure) }
        }
    }

    /// Whether there is nothing more to come: neither the list nor a picture that can be seen.
    var isSettled: Bool {
        guard task == nil else { return false }
        let cells = grid.visibleCells
        return page != .photos || !cells.isEmpty && cells.allSatisfy(\.hasPicture)
    }

    private func show(_ page: Page) {
        self.page = page
        gtk_stack_set_visible_child_name(pages.opaque, page.rawValue)
    }

    private func showSubtitle(_ text: String) {
        gtk_label_set_text(subtitle.opaque, text)
        gtk_widget_set_visible(subtitle, text.isEmpty ? 0 : 1)
    }

    // MARK: Widgets

    private func headerBar() -> Widget {
        let bar: Widget = gtk_header_bar_new()
        gtk_widget_set_tooltip_text(refreshButton, "Refresh")
        connect(refreshButton.opaque, "clicked") { [unowned self] in refresh() }
        for button in [refreshButton, darkButton] { gtk_widget_add_css_class(button, "flat") }
        gtk_header_bar_pack_start(bar.opaque, refreshButton)

        let titles: Widget = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0)
        gtk_widget_set_valign(titles, GTK_ALIGN_CENTER)
        let title: Widget = gtk_label_new("Gallery")
        gtk_widget_add_css_class(title, "title")
        gtk_widget_add_css_class(subtitle, "subtitle")
        gtk_widget_set_visible(subtitle, 0)
        gtk_box_append(titles.cast(), title)
        gtk_box_append(titles.cast(), subtitle)
        gtk_header_bar_set_title_widget(bar.opaque, titles)

        gtk_button_set_icon_name(darkButton.cast(), "weather-clear-night-symbolic")
        gtk_widget_set_tooltip_text(darkButton, "Dark")
        connect(darkButton.opaque, "toggled") { [unowned self] in
            Style.isDark = gtk_toggle_button_get_active(darkButton.cast()) != 0
            showWhetherDark()
        }
        gtk_header_bar_pack_end(bar.opaque, darkButton)
        gtk_header_bar_pack_end(bar.opaque, spinner)
        return bar
    }

    private func content() -> Widget {
        let retry = { [unowned self] in refresh() }
        let empty = Notice(
            icon: "image-x-generic-symbolic",
            heading: "No pictures",
            details: "The server has none yet.",
            button: "Look again",
            action: retry
        )
        let failure = Notice(
            icon: "network-offline-symbolic",
            heading: "The pictures could not be loaded",
            details: "",
            button: "Try again",
            action: retry
        )
        self.empty = empty
        self.failure = failure
        let loading: Widget = gtk_label_new("Loading…")
        gtk_widget_add_css_class(loading, "dim-label")
        for (page, child) in [
            (Page.loading, loading), (.photos, grid.widget), (.empty, empty.widget), (.failure, failure.widget),
        ] {
            gtk_stack_add_named(pages.opaque, child, page.rawValue)
        }
        gtk_stack_set_transition_type(pages.opaque, GTK_STACK_TRANSITION_TYPE_CROSSFADE)

        let overlay: Widget = gtk_overlay_new()
        gtk_overlay_set_child(overlay.opaque, pages)
        gtk_widget_set_valign(progressBar, GTK_ALIGN_START)
        gtk_widget_add_css_class(progressBar, "osd")
        gtk_overlay_add_overlay(overlay.opaque, progressBar)
        return overlay
    }

    private func showWhetherDark() {
        let isDark = Style.isDark
        if isDark {
            gtk_widget_add_css_class(widget, "dark")
        } else {
            gtk_widget_remove_css_class(widget, "dark")
        }
        gtk_toggle_button_set_active(darkButton.cast(), isDark ? 1 : 0)
    }
}
