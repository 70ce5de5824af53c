#if WebKitGTK
    import BluebonnetGTK
    import CGtk4
    import CWebKitGTK

    /// A web view in a window.
    @safe @MainActor
    final class TestWebView {
        private let window: TestWindow
        private let pointer: UnsafeMutablePointer<WebKitWebView>
        let view: WebView

        init() async throws {
            let widget = try unsafe require(webkit_web_view_new())
            unsafe pointer = UnsafeMutableRawPointer(widget).assumingMemoryBound(to: WebKitWebView.self)
            view = unsafe WebView(widget)
            window = try await TestWindow(unsafe Widget(widget))
        }

        /// Destroys the window and the view.
        func close() {
            window.close()
        }

        /// The URL that WebKit shows, or is about to show.
        var url: String? {
            unsafe webkit_web_view_get_uri(pointer).map { unsafe String(cString: $0) }
        }

        /// Returns when the page of a URL is there, with all that it refers to.
        func waitForPage(_ url: String, _ expectation: String = "the page is shown") async throws {
            try await until("\(expectation): \(url)") { self.url == url && !view.isLoading }
        }

        /// Runs a script in the page.
        ///
        /// - Returns: The result as text.
        func script(_ text: String) async throws -> String {
            try await withCheckedThrowingContinuation { continuation in
                let pending = unsafe Unmanaged.passRetained(PendingScript(continuation)).toOpaque()
                unsafe webkit_web_view_evaluate_javascript(pointer, text, -1, nil, nil, nil, scriptHasEnded, pending)
            }
        }
    }

    private final class PendingScript: Sendable {
        let continuation: CheckedContinuation<String, any Error>

        init(_ continuation: CheckedContinuation<String, any Error>) {
            self.continuation = continuation
        }
    }

    private func scriptHasEnded(
        _ source: UnsafeMutablePointer<GObject>?,
        _ result: OpaquePointer?,
        _ data: gpointer?
    ) {
        guard let source = unsafe source, let data = unsafe data else { return }
        let pending = unsafe Unmanaged<PendingScript>.fromOpaque(data).takeRetainedValue()
        let view = unsafe UnsafeMutableRawPointer(source).assumingMemoryBound(to: WebKitWebView.self)
        guard let value = unsafe webkit_web_view_evaluate_javascript_finish(view, result, nil) else {
            return pending.continuation.resume(throwing: Unmet(description: "a script failed"))
        }
        let text = unsafe jsc_value_to_string(value)
        pending.continuation.resume(returning: unsafe text.map { unsafe String(cString: $0) } ?? "")
        unsafe g_free(text)
        unsafe g_object_unref(UnsafeMutableRawPointer(value))
    }
#endif
