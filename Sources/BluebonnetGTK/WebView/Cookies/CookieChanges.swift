#if WebKitGTK
    import Bluebonnet
    import FoundationEssentials

    /// The difference between two sets of cookies.
    struct CookieChanges {
        /// The cookies that are new, or other than before.
        private(set) var changed: [Cookie] = []
        /// The cookies that are gone, as they were.
        private(set) var removed: [Cookie] = []

        init(from old: [Cookie], to new: [Cookie]) {
            let known = Dictionary(old.map { ($0.identity, Content($0)) }) { $1 }
            changed = new.filter { known[$0.identity] != Content($0) }
            let kept = Set(new.map(\.identity))
            removed = old.filter { !kept.contains($0.identity) }
        }

        /// What has a difference.
        var identities: Set<Cookie.Identity> { Set((changed + removed).map(\.identity)) }

        /// What counts for a difference, beside the identity.
        private struct Content: Equatable {
            let value: String
            let isSecure: Bool
            let isHTTPOnly: Bool
            let sameSite: Cookie.SameSite
            /// In seconds, which is what WebKit keeps.
            let expires: Double?

            init(_ cookie: Cookie) {
                value = cookie.value
                isSecure = cookie.isSecure
                isHTTPOnly = cookie.isHTTPOnly
                // Without a word of it, it is lax (RFC 6265bis §5.6.7.1).
                sameSite = cookie.sameSite ?? .lax
                expires = cookie.expires?.timeIntervalSince1970.rounded(.down)
            }
        }
    }
#endif
