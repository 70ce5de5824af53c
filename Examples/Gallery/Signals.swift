import CGtk

typealias Widget = UnsafeMutablePointer<GtkWidget>

extension UnsafeMutablePointer where Pointee == GtkWidget {
    /// The widget, where a function of GTK wants a type of which C shows no more than the name.
    var opaque: OpaquePointer { OpaquePointer(self) }

    /// The widget as the type that it has. GTK's functions make widgets of any kind a `GtkWidget`.
    func cast<Other>(to other: Other.Type = Other.self) -> UnsafeMutablePointer<Other> {
        UnsafeMutableRawPointer(self).assumingMemoryBound(to: other)
    }
}

/// A closure that C keeps, and calls on the main thread.
@MainActor
private final class Handler<Argument, Output> {
    let body: (Argument) -> Output

    init(_ body: @escaping (Argument) -> Output) {
        self.body = body
    }

    /// What C is given, to be released by `release`.
    var retained: gpointer { Unmanaged.passRetained(self).toOpaque() }

    /// Calls the closure that C was given.
    static func call(_ data: gpointer?, _ argument: Argument) -> Output? {
        data.map { Unmanaged<Handler>.fromOpaque($0).takeUnretainedValue().body(argument) }
    }
}

private func release(_ data: gpointer?) {
    if let data { Unmanaged<AnyObject>.fromOpaque(data).release() }
}

/// Calls the closure at each signal of an object that has no arguments, until the object ends.
@MainActor
func connect(_ object: OpaquePointer, _ signal: String, _ body: @escaping () -> Void) {
    let callback: @convention(c) (gpointer?, gpointer?) -> Void = { _, data in
        _ = Handler<Void, Void>.call(data, ())
    }
    connect(object, signal, unsafeBitCast(callback, to: GCallback.self), Handler<Void, Void> { body() }.retained)
}

/// Calls the closure at each signal of an object that has one argument, a pointer, until the object
/// ends.
@MainActor
func connect(_ object: OpaquePointer, _ signal: String, _ body: @escaping (OpaquePointer) -> Void) {
    let callback: @convention(c) (gpointer?, OpaquePointer, gpointer?) -> Void = { _, argument, data in
        _ = Handler<OpaquePointer, Void>.call(data, argument)
    }
    connect(object, signal, unsafeBitCast(callback, to: GCallback.self), Handler(body).retained)
}

/// Calls the closure when something was pulled beyond an edge of a scrolled window.
@MainActor
func connectOvershot(_ scrolledWindow: OpaquePointer, _ body: @escaping (GtkPositionType) -> Void) {
    let callback: @convention(c) (gpointer?, GtkPositionType, gpointer?) -> Void = { _, edge, data in
        _ = Handler<GtkPositionType, Void>.call(data, edge)
    }
    connect(scrolledWindow, "edge-overshot", unsafeBitCast(callback, to: GCallback.self), Handler(body).retained)
}

@MainActor
private func connect(_ object: OpaquePointer, _ signal: String, _ callback: GCallback, _ data: gpointer) {
    let pointer = UnsafeMutableRawPointer(object)
    g_signal_connect_data(pointer, signal, callback, data, { data, _ in release(data) }, GConnectFlags(rawValue: 0))
}

/// Calls the closure before each frame that a widget is drawn in, with the time of the frame in
/// seconds, until it returns false.
@MainActor
func onFrames(of widget: Widget, _ body: @escaping (Double) -> Bool) {
    let tick: GtkTickCallback = { _, clock, data in
        let time = Double(gdk_frame_clock_get_frame_time(clock)) / 1_000_000
        return Handler<Double, Bool>.call(data, time) == true ? 1 : 0
    }
    gtk_widget_add_tick_callback(widget, tick, Handler(body).retained, release)
}

/// Calls the closure once, when the frame under way is drawn, whatever else is to be done.
@MainActor
func afterFrame(_ body: @escaping () -> Void) {
    betweenFrames {
        body()
        return false
    }
}

/// Calls the closure again and again between frames, until it returns false.
@MainActor
func betweenFrames(_ body: @escaping () -> Bool) {
    let idle: GSourceFunc = { data in Handler<Void, Bool>.call(data, ()) == true ? 1 : 0 }
    // With the priority of drawing, both get their turns. With a lower one, it would never be
    // called where each frame takes so long that the next one is due at once.
    g_idle_add_full(GDK_PRIORITY_REDRAW, idle, Handler<Void, Bool> { body() }.retained, release)
}
