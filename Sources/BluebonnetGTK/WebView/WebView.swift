#if WebKitGTK
    public import Bluebonnet
    import CGtk4
    import CWebKitGTK
    import FoundationEssentials

    /// A `WebKitWebView` whose pages are loaded through a session: with its credentials, policies,
    /// interceptors, cache and metrics, and with progress.
    ///
    /// ```
    /// let view = WebView(webkit_web_view_new())
    /// view.load(Request(url: url), failure: { error in print(error.message) })
    /// ```
    ///
    /// A value around the pointer to a widget, from whatever binding; it does not keep the widget.
    /// The load is kept with the widget: another `WebView` of it sees the same one, a new load
    /// replaces it, and it is cancelled when the widget is destroyed.
    ///
    /// Only the page itself comes through the session. WebKit loads all that the page refers to:
    /// images, styles, scripts and frames, with connections of its own, and with cookies of its own
    /// unless ``sharesCookies`` is true. It follows the links of a page, too, unless
    /// ``followLinks(progress:success:failure:)`` sends them through the session. What WebKit loads
    /// is not under the policies of the session: neither its pins nor its limits hold there, nor
    /// its proxies. WebKit has those of the desktop or of the environment, or its own by
    /// `webkit_network_session_set_proxy_settings`.
    ///
    /// Counterpart of `WKWebView+AFNetworking`.
    @safe @MainActor
    public struct WebView {
        private let widget: WidgetPointer

        /// Makes a web view of a widget.
        ///
        /// - Parameter widget: A `WebKitWebView`; anything else is a programming error.
        public init(_ widget: UnsafeMutableRawPointer) {
            unsafe self.widget = widget.assumingMemoryBound(to: GtkWidget.self)
            precondition(
                unsafe self.widget.is(a: webkit_web_view_get_type()),
                "A WebView is made of a WebKitWebView."
            )
        }

        /// Makes a web view of a widget.
        ///
        /// - Parameter widget: A `WebKitWebView`; anything else is a programming error.
        public init(_ widget: OpaquePointer) {
            unsafe self.init(UnsafeMutableRawPointer(widget))
        }

        private var state: WebViewState { unsafe WidgetState.state(of: widget, key: WebViewState.key) }
        private var knownState: WebViewState? { unsafe WidgetState.known(of: widget, key: WebViewState.key) }

        /// Sends the requests, and says which responses are accepted: by its `validation`, and by
        /// the status codes of its `responseSerializer`. Default: a manager of the shared session.
        ///
        /// Counterpart of `sessionManager`.
        public var sessionManager: HTTPSessionManager {
            get { knownState?.manager ?? HTTPSessionManager() }
            nonmutating set { state.manager = newValue }
        }

        /// Whether the session and WebKit have the same cookies. Default: false, each has its own.
        ///
        /// Before each request, the `cookieJar` of the session gets what pages have set and removed
        /// in WebKit since the last load; before each page is shown, WebKit gets the cookies of the
        /// jar. Who has logged in through the session then sees the pictures of a page, too, and
        /// who logs in on a page is logged in for the session. A session without a jar has no
        /// cookies to share.
        ///
        /// The cookies of WebKit are those of the view's `WebKitNetworkSession`, which other views
        /// may have, too.
        public var sharesCookies: Bool {
            get { knownState?.sharedCookies != nil }
            nonmutating set {
                guard newValue != sharesCookies else { return }
                state.sharedCookies = newValue ? SharedCookies() : nil
            }
        }

        /// Whether a page is loaded: through the session, or by WebKit, which loads what a page
        /// refers to.
        public var isLoading: Bool {
            if knownState?.load != nil { return true }
            return unsafe webkit_web_view_is_loading(widget.webView) != 0
        }

        // MARK: Pages

        /// Loads the page of a request through the session, and shows it. An earlier load is
        /// cancelled, and none of its closures is called any more.
        ///
        /// `failure` gets, besides the errors of requests: `responseRefused` for a response that is
        /// to be saved as a file (RFC 6266), that has no page (204, 205), or whose
        /// `Content-Security-Policy` wants a sandbox for it;
        /// `unacceptableContentType` for a type that WebKit does not show, and for a response
        /// without one; `unsupportedScheme` for a final URL that is not `http` or `https`;
        /// `bodyTooLarge` above the session's `limits.bodyInMemory`. Of a refused response the body
        /// is not read. What the web view shows stays as it is.
        ///
        /// WebKit gets the page without its header fields: what else a `Content-Security-Policy`
        /// or a `Referrer-Policy` says there has no effect. It has one in a `<meta>` of the page.
        ///
        /// - Parameters:
        ///   - request: The request to send. Without an `Accept` it gets one that prefers HTML.
        ///   - mimeType: The media type of the page. Default: that of the response.
        ///   - textEncodingName: The label of the page's charset. Default: that of the response;
        ///     see ``WebPage/textEncodingName``.
        ///   - progress: Called as the transfer goes on; the last time with all of the bytes,
        ///     before `success`. Default: nobody.
        ///   - success: Called with the page before it is shown, and can change it; an error that
        ///     it throws is that of the load. Default: the page is shown as it is.
        ///   - failure: Called with the error. Default: nobody.
        /// - Returns: The task, started. One that is cancelled calls `failure`, with `cancelled`.
        ///
        /// Counterpart of
        /// `loadRequest:navigation:MIMEType:textEncodingName:progress:success:failure:`. WebKit
        /// tells of the navigation itself, by the signal `load-changed`.
        @discardableResult
        public func load(
            _ request: Request,
            mimeType: String? = nil,
            textEncodingName: String? = nil,
            progress: (@MainActor (TaskProgress) -> Void)? = nil,
            success: (@MainActor (inout WebPage) throws -> Void)? = nil,
            failure: (@MainActor (NetworkingError) -> Void)? = nil
        ) -> StreamTask {
            state.begin(
                request,
                WebLoad.Overrides(mimeType: mimeType?.lowercased(), textEncodingName: textEncodingName),
                WebLoad.Actions(progress, success, failure)
            )
        }

        /// Loads the page of a request through the session, shows it, and returns it. Cancelling
        /// the Swift task cancels the load.
        ///
        /// - Parameters:
        ///   - request: The request to send. Without an `Accept` it gets one that prefers HTML.
        ///   - mimeType: The media type of the page. Default: that of the response.
        ///   - textEncodingName: The label of the page's charset. Default: that of the response;
        ///     see ``WebPage/textEncodingName``.
        /// - Returns: The page, as it was given to WebKit, which then begins to show it.
        /// - Throws: The errors of
        ///   ``load(_:mimeType:textEncodingName:progress:success:failure:)``, and `cancelled` where
        ///   another load has replaced this one or the widget was destroyed.
        @discardableResult
        public func loadPage(
            _ request: Request,
            mimeType: String? = nil,
            textEncodingName: String? = nil
        ) async throws(NetworkingError) -> WebPage {
            let (outcomes, continuation) = AsyncStream.makeStream(of: Result<WebPage, NetworkingError>.self)
            let task = state.begin(
                request,
                WebLoad.Overrides(mimeType: mimeType?.lowercased(), textEncodingName: textEncodingName),
                WebLoad.Actions { outcome in
                    if let outcome { continuation.yield(outcome) }
                    continuation.finish()
                }
            )
            let outcome = await withTaskCancellationHandler { () -> Result<WebPage, NetworkingError>? in
                for await outcome in outcomes { return outcome }
                return nil
            } onCancel: {
                task.cancel()
            }
            guard let outcome else {
                throw NetworkingError(.cancelled, "The load of the page was cancelled.", request: request)
            }
            return try outcome.get()
        }

        /// Shows a page, and cancels the load.
        ///
        /// - Parameter page: The page.
        /// - Throws: `unsupportedScheme` for a base URL that is not `http` or `https`; then nothing
        ///   is changed.
        public func show(_ page: WebPage) throws(NetworkingError) {
            if let error = WebPage.refusal(ofBaseURL: page.baseURL) { throw error }
            knownState?.cancelLoad()
            unsafe widget.show(page)
        }

        /// Cancels the load, whose closures are not called any more, and what WebKit loads. What is
        /// shown stays.
        public func stop() {
            knownState?.cancelLoad()
            unsafe webkit_web_view_stop_loading(widget.webView)
        }

        // MARK: Links

        /// From now on loads the links that a person follows in a page, and its forms that are sent
        /// with GET, through the session, as
        /// ``load(_:mimeType:textEncodingName:progress:success:failure:)`` does.
        ///
        /// WebKit still loads everything else: forms that are sent with POST, links in frames and
        /// to other windows, jumps within the page, what scripts open, and the pages of "back" and
        /// "forward".
        ///
        /// - Parameters:
        ///   - progress: Called as the transfer goes on. Default: nobody.
        ///   - success: Called with the page before it is shown, and can change it. Default: the
        ///     page is shown as it is.
        ///   - failure: Called with the error. Default: nobody.
        public func followLinks(
            progress: (@MainActor (TaskProgress) -> Void)? = nil,
            success: (@MainActor (inout WebPage) throws -> Void)? = nil,
            failure: (@MainActor (NetworkingError) -> Void)? = nil
        ) {
            state.followLinks(WebLoad.Actions(progress, success, failure))
        }

        /// Leaves links to WebKit again.
        public func stopFollowingLinks() {
            knownState?.stopFollowingLinks()
        }
    }

    extension WidgetPointer {
        /// The widget as what it is.
        var webView: UnsafeMutablePointer<WebKitWebView> {
            unsafe UnsafeMutableRawPointer(self).assumingMemoryBound(to: WebKitWebView.self)
        }

        /// Gives a page to WebKit.
        @MainActor
        func show(_ page: WebPage) {
            let bytes = unsafe page.data.withUnsafeBytes { unsafe g_bytes_new($0.baseAddress, gsize($0.count)) }
            defer { unsafe g_bytes_unref(bytes) }
            let url = page.baseURL?.absoluteString
            unsafe webkit_web_view_load_bytes(webView, bytes, page.mimeType, page.textEncodingName, url)
        }
    }
#endif
