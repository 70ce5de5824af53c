import CGtk

/// A grid of photos that is scrolled.
///
/// GTK makes cells for some screens of photos around the visible ones, and uses them again. Of
/// these, the visible ones and a row beyond show their pictures, and those of the next screen are
/// downloaded before they are seen. What is farther away is cancelled, and its picture released; it
/// is in the cache of the library until others need the room.
@MainActor
final class PhotoGrid {
    /// The distance from the visible part in which pictures are shown, in points.
    private static let margin = 220.0

    /// Called when something was pulled beyond the upper edge.
    var onPull: () -> Void = {}

    let widget: Widget = gtk_scrolled_window_new()
    private let library: PhotoLibrary
    private let model: OpaquePointer = gtk_string_list_new(nil)
    private var photos: [Photo] = []
    /// The cells in use, by their items of the grid.
    private var cells: [OpaquePointer: PhotoCell] = [:]
    private var unused: [OpaquePointer: PhotoCell] = [:]
    private var isUpdateNeeded = false

    init(_ library: PhotoLibrary) {
        self.library = library
        let factory: OpaquePointer = gtk_signal_list_item_factory_new()
        connect(factory, "setup") { [unowned self] item in
            let cell = PhotoCell(library)
            gtk_list_item_set_child(item, cell.widget)
            unused[item] = cell
        }
        connect(factory, "bind") { [unowned self] item in
            cells[item] = unused.removeValue(forKey: item)
            cells[item]?.use(for: photos[Int(gtk_list_item_get_position(item))])
            updateSoon()
        }
        connect(factory, "unbind") { [unowned self] item in
            unused[item] = cells.removeValue(forKey: item)
            unused[item]?.clear()
        }
        connect(factory, "teardown") { [unowned self] item in
            gtk_list_item_set_child(item, nil)
            unused[item] = nil
        }
        let grid: Widget = gtk_grid_view_new(gtk_no_selection_new(model), factory)
        gtk_grid_view_set_min_columns(grid.opaque, 2)
        gtk_grid_view_set_max_columns(grid.opaque, 5)
        gtk_widget_add_css_class(grid, "photos")
        gtk_scrolled_window_set_policy(widget.opaque, GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC)
        gtk_scrolled_window_set_child(widget.opaque, grid)
        connectOvershot(widget.opaque) { [unowned self] edge in
            if edge == GTK_POS_TOP { onPull() }
        }
        connect(OpaquePointer(adjustment), "value-changed") { [unowned self] in updateSoon() }
        connect(OpaquePointer(adjustment), "changed") { [unowned self] in updateSoon() }
    }

    /// Shows other photos, from the first one.
    func show(_ photos: [Photo]) {
        gtk_adjustment_set_value(adjustment, 0)
        self.photos = photos
        // The items are empty texts: a cell finds its photo by the position.
        "".withCString { text in
            let texts = Array(repeating: text, count: photos.count) + [nil]
            gtk_string_list_splice(model, 0, g_list_model_get_n_items(model), texts)
        }
    }

    // MARK: Scrolling

    /// The position of the visible part.
    var adjustment: UnsafeMutablePointer<GtkAdjustment> { gtk_scrolled_window_get_vadjustment(widget.opaque) }

    /// The cells that can be seen, at least in part.
    var visibleCells: [PhotoCell] {
        cells.values.filter { distance(of: $0) == 0 }
    }

    /// Looks what is to be shown, once the grid has arranged its cells.
    private func updateSoon() {
        guard !isUpdateNeeded else { return }
        isUpdateNeeded = true
        afterFrame { [weak self] in
            self?.isUpdateNeeded = false
            self?.update()
        }
    }

    private func update() {
        let screen = Double(gtk_widget_get_height(widget))
        // From the top: what is asked for first is here first.
        for (_, cell) in cells.sorted(by: { gtk_list_item_get_position($0.key) < gtk_list_item_get_position($1.key) }) {
            let distance = distance(of: cell)
            if distance <= Self.margin {
                cell.show()
            } else if distance <= screen {
                cell.prefetch()
            } else {
                cell.clear()
            }
        }
    }

    /// The distance of a cell from the visible part; infinite where it has no place yet.
    private func distance(of cell: PhotoCell) -> Double {
        var bounds = graphene_rect_t()
        guard gtk_widget_get_mapped(cell.widget) != 0,
            gtk_widget_compute_bounds(cell.widget, widget, &bounds) != 0
        else {
            return .infinity
        }
        let top = Double(bounds.origin.y)
        let bottom = top + Double(bounds.size.height)
        return max(0, -bottom, top - Double(gtk_widget_get_height(widget)))
    }
}
