#if WebKitGTK
    import CGtk4
    import CWebKitGTK

    /// A navigation that waits until it is known whether it belongs to the page or to a frame in
    /// it.
    ///
    /// WebKit asks for the navigations of frames in the same way, and does not name the frame. The
    /// element that has the focus tells it: the click on a link in a frame gives that to the frame.
    @safe @MainActor
    final class LinkDecision {
        /// A script for the page; it runs where scripts of the page cannot change it.
        private static let script = """
            !!document.activeElement
                && ['iframe', 'frame', 'object', 'embed'].includes(document.activeElement.localName)
            """

        private let decision: UnsafeMutablePointer<WebKitPolicyDecision>
        private let url: String
        private weak var state: WebViewState?

        private init(_ decision: UnsafeMutablePointer<WebKitPolicyDecision>, _ url: String, _ state: WebViewState) {
            unsafe self.decision = decision
            self.url = url
            self.state = state
        }

        /// Takes a decision over, if it may be one of a link that the session loads.
        ///
        /// - Returns: Whether WebKit has to wait.
        fileprivate static func takes(
            _ decision: UnsafeMutablePointer<WebKitPolicyDecision>,
            for state: WebViewState
        ) -> Bool {
            guard state.followsLinks, let view = unsafe state.widget?.webView else { return false }
            let navigation = unsafe LinkNavigation(decision, in: view)
            guard let navigation, navigation.isFollowed else { return false }
            unsafe g_object_ref(decision)
            let pending = unsafe Unmanaged.passRetained(LinkDecision(decision, navigation.url, state))
            unsafe webkit_web_view_evaluate_javascript(
                view,
                script,
                -1,
                "bluebonnet",
                nil,
                nil,
                scriptHasEnded,
                pending.toOpaque()
            )
            return true
        }

        /// Decides: a link of a frame is WebKit's, and so is one of which nothing is known.
        fileprivate func end(isInFrame: Bool) {
            if !isInFrame, let state, state.followsLinks {
                unsafe webkit_policy_decision_ignore(decision)
                state.follow(url)
            } else {
                unsafe webkit_policy_decision_use(decision)
            }
            unsafe g_object_unref(decision)
        }
    }

    /// Has WebKit ask before each navigation.
    @MainActor
    func connectDecisions(of widget: WidgetPointer, to state: WebViewState) {
        let handler: PolicyHandler = unsafe decidePolicy
        let data = unsafe Unmanaged<WidgetState>.passUnretained(state).toOpaque()
        // C has one type for the functions of all signals.
        let callback = unsafe unsafeBitCast(handler, to: GCallback.self)
        unsafe g_signal_connect_data(widget, "decide-policy", callback, data, nil, GConnectFlags(rawValue: 0))
    }

    private typealias PolicyHandler =
        @convention(c) (
            gpointer?, gpointer?, WebKitPolicyDecisionType, gpointer?
        ) -> gboolean

    /// Whether WebKit has to wait with a navigation.
    private func decidePolicy(
        _: gpointer?,
        _ decision: gpointer?,
        _ type: WebKitPolicyDecisionType,
        _ data: gpointer?
    ) -> gboolean {
        guard type == WEBKIT_POLICY_DECISION_TYPE_NAVIGATION_ACTION else { return 0 }
        let address = UInt(bitPattern: decision)
        let isTaken = unsafe WidgetState.with(data) { (state: WebViewState) in
            guard let decision = unsafe UnsafeMutablePointer<WebKitPolicyDecision>(bitPattern: address) else {
                return false
            }
            return unsafe LinkDecision.takes(decision, for: state)
        }
        return isTaken == true ? 1 : 0
    }

    /// WebKit calls this once for each script, on the main thread, also when the view is gone.
    private func scriptHasEnded(
        _ source: UnsafeMutablePointer<GObject>?,
        _ result: OpaquePointer?,
        _ data: gpointer?
    ) {
        guard let source = unsafe source, let data = unsafe data else { return }
        let view = unsafe UnsafeMutableRawPointer(source).assumingMemoryBound(to: WebKitWebView.self)
        let value = unsafe webkit_web_view_evaluate_javascript_finish(view, result, nil)
        // Without a result it counts as one of a frame.
        let isInFrame = unsafe value.map { unsafe jsc_value_to_boolean($0) != 0 } ?? true
        if let value = unsafe value { unsafe g_object_unref(UnsafeMutableRawPointer(value)) }
        let address = UInt(bitPattern: data)
        MainActor.assumeIsolated {
            guard let pointer = unsafe UnsafeMutableRawPointer(bitPattern: address) else { return }
            unsafe Unmanaged<LinkDecision>.fromOpaque(pointer).takeRetainedValue().end(isInFrame: isInFrame)
        }
    }

    extension LinkNavigation {
        /// Reads what WebKit says of a navigation; nil without a request.
        @MainActor
        init?(_ decision: UnsafeMutablePointer<WebKitPolicyDecision>, in view: UnsafeMutablePointer<WebKitWebView>) {
            guard
                let action = unsafe webkit_navigation_policy_decision_get_navigation_action(OpaquePointer(decision)),
                let request = unsafe webkit_navigation_action_get_request(action),
                let url = unsafe webkit_uri_request_get_uri(request)
            else { return nil }
            let type = unsafe webkit_navigation_action_get_navigation_type(action)
            unsafe self.url = String(cString: url)
            if let method = unsafe webkit_uri_request_get_http_method(request) {
                unsafe self.method = String(cString: method)
            }
            isLink = [WEBKIT_NAVIGATION_TYPE_LINK_CLICKED, WEBKIT_NAVIGATION_TYPE_FORM_SUBMITTED].contains(type)
            isUserGesture = unsafe webkit_navigation_action_is_user_gesture(action) != 0
            isRedirect = unsafe webkit_navigation_action_is_redirect(action) != 0
            mouseButton = unsafe webkit_navigation_action_get_mouse_button(action)
            modifiers = unsafe webkit_navigation_action_get_modifiers(action)
            frameName = unsafe webkit_navigation_action_get_frame_name(action).map { unsafe String(cString: $0) }
            currentURL = unsafe webkit_web_view_get_uri(view).map { unsafe String(cString: $0) }
        }
    }
#endif
