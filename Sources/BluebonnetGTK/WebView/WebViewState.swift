#if WebKitGTK
    import Bluebonnet
    import CGtk4
    import CWebKitGTK
    import FoundationEssentials
    import HTTPTypes

    /// The state of a `WebKitWebView`: its manager, the page it waits for, and what is done with
    /// links.
    @MainActor
    final class WebViewState: WidgetState {
        static let key = unsafe g_quark_from_static_string("bluebonnet-web-view")

        var manager = HTTPSessionManager()
        /// What keeps the cookies of the session and those of WebKit the same; nil for nothing.
        var sharedCookies: SharedCookies?
        /// The load under way, at most one: of one that was replaced or cancelled nothing is heard
        /// any more.
        private(set) var load: WebLoad?
        /// The number of loads that have begun or were cancelled.
        private var number = 0
        /// What is done with the pages of links; nil where WebKit loads them.
        private var linkActions: WebLoad.Actions?
        private var decidesPolicies = false

        override func stop() {
            cancelLoad()
            linkActions = nil
        }

        // MARK: Loads

        func cancelLoad() {
            number += 1
            guard let load else { return }
            self.load = nil
            load.cancel()
        }

        /// Begins a load in place of the one under way.
        @discardableResult
        func begin(_ request: Request, _ overrides: WebLoad.Overrides, _ actions: WebLoad.Actions) -> StreamTask {
            cancelLoad()
            let number = number
            let load = WebLoad(request, through: manager, overrides, actions, cookies: cookieSteps)
            self.load = load
            load.start(
                isShown: { [weak self] type in
                    guard let widget = unsafe self?.widget else { return false }
                    return unsafe webkit_web_view_can_show_mime_type(widget.webView, type) != 0
                },
                whenReceived: { [weak self] outcome in
                    guard let self, self.number == number else { return }
                    self.load = nil
                    self.finish(outcome, actions)
                }
            )
            return load.task
        }

        /// The steps that the cookies need; nil for none.
        private var cookieSteps: WebLoad.CookieSteps? {
            guard let sharedCookies, let jar = manager.session.configuration.cookieJar, let widget = unsafe widget,
                let store = unsafe WebCookieStore(of: widget.webView)
            else { return nil }
            return WebLoad.CookieSteps(
                beforeRequest: { await sharedCookies.take(from: store, into: jar) },
                beforePage: { await sharedCookies.give(jar, to: store) }
            )
        }

        private func finish(_ outcome: Result<WebPage, NetworkingError>, _ actions: WebLoad.Actions) {
            let number = number
            do throws(NetworkingError) {
                var page = try outcome.get()
                try actions.change(&page)
                // The closure may have begun another load, stopped, or destroyed the widget.
                guard self.number == number, let widget = unsafe widget else { return actions.ended(nil) }
                unsafe widget.show(page)
                actions.ended(.success(page))
            } catch {
                actions.ended(.failure(error))
            }
        }

        // MARK: Links

        func followLinks(_ actions: WebLoad.Actions) {
            linkActions = actions
            guard !decidesPolicies, let widget = unsafe widget else { return }
            decidesPolicies = true
            unsafe connectDecisions(of: widget, to: self)
        }

        func stopFollowingLinks() {
            linkActions = nil
        }

        var followsLinks: Bool { linkActions != nil }

        /// Loads the page of a link through the session.
        func follow(_ url: String) {
            guard let linkActions else { return }
            do throws(NetworkingError) {
                begin(try manager.request(.get, url), WebLoad.Overrides(), linkActions)
            } catch {
                linkActions.ended(.failure(error))
            }
        }
    }
#endif
