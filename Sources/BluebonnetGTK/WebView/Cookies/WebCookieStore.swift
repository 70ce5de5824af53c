#if WebKitGTK
    import Bluebonnet
    import CGtk4
    import CWebKitGTK
    import FoundationEssentials

    /// The cookies of WebKit, in the process that has its connections.
    @safe @MainActor
    final class WebCookieStore {
        private let manager: OpaquePointer
        /// Kept, also when the view is gone: the manager belongs to it.
        private let session: UnsafeMutableRawPointer

        /// The cookies of the session of a web view; nil without a session.
        init?(of view: UnsafeMutablePointer<WebKitWebView>) {
            guard let session = unsafe webkit_web_view_get_network_session(view),
                let manager = unsafe webkit_network_session_get_cookie_manager(session)
            else { return nil }
            unsafe self.manager = manager
            unsafe self.session = UnsafeMutableRawPointer(session)
            unsafe g_object_ref(self.session)
        }

        isolated deinit {
            unsafe g_object_unref(session)
        }

        /// All cookies; nil where WebKit cannot say.
        func cookies() async -> [Cookie]? {
            let result = unsafe await AsyncResult.of { callback, data in
                unsafe webkit_cookie_manager_get_all_cookies(manager, nil, callback, data)
            }
            var error: UnsafeMutablePointer<GError>?
            var list = unsafe webkit_cookie_manager_get_all_cookies_finish(manager, result.pointer, &error)
            if let error = unsafe error {
                unsafe g_error_free(error)
                return nil
            }
            var cookies: [Cookie] = []
            while let first = unsafe list {
                if let data = unsafe g_list_nth_data(first, 0) {
                    let cookie = OpaquePointer(data)
                    if let copy = unsafe Cookie(cookie) { cookies.append(copy) }
                    unsafe soup_cookie_free(cookie)
                }
                unsafe list = g_list_delete_link(first, first)
            }
            return cookies
        }

        /// Stores and removes cookies.
        func apply(_ changes: CookieChanges) async {
            for cookie in changes.changed {
                guard let copy = unsafe cookie.soupCookie() else { continue }
                defer { unsafe soup_cookie_free(copy) }
                let result = unsafe await AsyncResult.of { callback, data in
                    unsafe webkit_cookie_manager_add_cookie(manager, copy, nil, callback, data)
                }
                unsafe webkit_cookie_manager_add_cookie_finish(manager, result.pointer, nil)
            }
            for cookie in changes.removed {
                guard let copy = unsafe cookie.soupCookie() else { continue }
                defer { unsafe soup_cookie_free(copy) }
                let result = unsafe await AsyncResult.of { callback, data in
                    unsafe webkit_cookie_manager_delete_cookie(manager, copy, nil, callback, data)
                }
                unsafe webkit_cookie_manager_delete_cookie_finish(manager, result.pointer, nil)
            }
        }
    }

    extension Cookie {
        /// Reads a cookie of libsoup; nil for one without a name, a value or a domain.
        init?(_ cookie: OpaquePointer) {
            guard let name = unsafe soup_cookie_get_name(cookie), let value = unsafe soup_cookie_get_value(cookie),
                let domain = unsafe soup_cookie_get_domain(cookie)
            else { return nil }
            let domainText = unsafe String(cString: domain)
            let expires = unsafe soup_cookie_get_expires(cookie)
            let sameSite: SameSite? =
                switch unsafe soup_cookie_get_same_site_policy(cookie) {
                case SOUP_SAME_SITE_POLICY_LAX: .lax
                case SOUP_SAME_SITE_POLICY_STRICT: .strict
                default: SameSite.none
                }
            unsafe self.init(
                name: String(cString: name),
                value: String(cString: value),
                domain: domainText,
                isHostOnly: !domainText.hasPrefix("."),
                path: soup_cookie_get_path(cookie).map { unsafe String(cString: $0) } ?? "/",
                isSecure: soup_cookie_get_secure(cookie) != 0,
                isHTTPOnly: soup_cookie_get_http_only(cookie) != 0,
                sameSite: sameSite,
                expires: expires.map { Date(timeIntervalSince1970: Double(unsafe g_date_time_to_unix($0))) }
            )
        }

        /// The cookie as one of libsoup, to be freed; nil for an end that it cannot write.
        func soupCookie() -> OpaquePointer? {
            let domain = isHostOnly ? domain : ".\(domain)"
            // -1: until the end of the session.
            guard let cookie = unsafe soup_cookie_new(name, value, domain, path, -1) else { return nil }
            unsafe soup_cookie_set_secure(cookie, isSecure ? 1 : 0)
            unsafe soup_cookie_set_http_only(cookie, isHTTPOnly ? 1 : 0)
            let policy =
                switch sameSite {
                case .some(.none): SOUP_SAME_SITE_POLICY_NONE
                case .strict: SOUP_SAME_SITE_POLICY_STRICT
                case .lax, nil: SOUP_SAME_SITE_POLICY_LAX
                }
            unsafe soup_cookie_set_same_site_policy(cookie, policy)
            if let expires {
                guard let seconds = gint64(exactly: expires.timeIntervalSince1970.rounded(.down)),
                    let date = unsafe g_date_time_new_from_unix_utc(seconds)
                else {
                    unsafe soup_cookie_free(cookie)
                    return nil
                }
                unsafe soup_cookie_set_expires(cookie, date)
                unsafe g_date_time_unref(date)
            }
            return unsafe cookie
        }
    }

    /// The result of an operation of GIO, which is released with this.
    @safe
    private final class AsyncResult: Sendable {
        // It does not change, is used on the main thread only, and is released by an atomic count.
        nonisolated(unsafe) let pointer: OpaquePointer

        init(_ pointer: OpaquePointer) {
            unsafe self.pointer = pointer
            unsafe g_object_ref(UnsafeMutableRawPointer(pointer))
        }

        deinit {
            unsafe g_object_unref(UnsafeMutableRawPointer(pointer))
        }

        /// Starts an operation, and waits for its end.
        ///
        /// - Parameter start: Starts it with these two last arguments.
        /// - Returns: Its result.
        @MainActor
        static func of(_ start: (GAsyncReadyCallback?, gpointer?) -> Void) async -> AsyncResult {
            await withCheckedContinuation { continuation in
                let waiting = unsafe Unmanaged.passRetained(Waiting(continuation)).toOpaque()
                unsafe start(operationHasEnded, waiting)
            }
        }

        final class Waiting: Sendable {
            let continuation: CheckedContinuation<AsyncResult, Never>

            init(_ continuation: CheckedContinuation<AsyncResult, Never>) {
                self.continuation = continuation
            }
        }
    }

    /// GIO calls this once for each operation, on the main thread.
    private func operationHasEnded(
        _: UnsafeMutablePointer<GObject>?,
        _ result: OpaquePointer?,
        _ data: gpointer?
    ) {
        guard let result = unsafe result, let data = unsafe data else { return }
        let waiting = unsafe Unmanaged<AsyncResult.Waiting>.fromOpaque(data).takeRetainedValue()
        waiting.continuation.resume(returning: unsafe AsyncResult(result))
    }
#endif
