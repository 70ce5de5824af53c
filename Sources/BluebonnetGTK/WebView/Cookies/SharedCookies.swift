#if WebKitGTK
    import Bluebonnet

    /// Keeps the cookies of a session and those of WebKit the same, at two moments of each load.
    ///
    /// Both may have changed since: what is in WebKit and was not there at the end of the last load
    /// has been set, and what is missing has been removed, by a page.
    @MainActor
    final class SharedCookies {
        /// The cookies of WebKit at the last of these moments; nil before the first one.
        private var last: [Cookie]?
        /// The jar of that moment: another one first gets all cookies of WebKit.
        private weak var jar: CookieJar?

        /// Before a request: the jar gets what pages have changed. The first time it keeps its own
        /// cookies, where WebKit has others of the same identity.
        func take(from store: WebCookieStore, into jar: CookieJar) async {
            guard let cookies = await store.cookies() else { return }
            if let last, self.jar === jar {
                let changes = CookieChanges(from: last, to: cookies)
                for cookie in changes.changed { jar.set(cookie) }
                for cookie in changes.removed { jar.remove(cookie.identity) }
            } else {
                let known = Set(jar.cookies.map(\.identity))
                for cookie in cookies where !known.contains(cookie.identity) { jar.set(cookie) }
            }
            last = cookies
            self.jar = jar
        }

        /// Before a page is shown: WebKit gets the cookies of the jar, and loses those that the jar
        /// has no more.
        func give(_ jar: CookieJar, to store: WebCookieStore) async {
            guard let last, self.jar === jar else { return }
            let changes = CookieChanges(from: last, to: jar.cookies)
            await store.apply(changes)
            guard let cookies = await store.cookies() else { return }
            // Of what was given, what WebKit has: it may have refused some, which are not to be
            // taken for removed ones. All others as before: what a page has changed meanwhile is a
            // change that the jar gets before the next request.
            let given = changes.identities
            self.last =
                (self.last ?? last).filter { !given.contains($0.identity) }
                + cookies.filter { given.contains($0.identity) }
        }
    }
#endif
