/// How a stored response may be used for a request.
///
/// Counterpart of `NSURLRequestCachePolicy`; the names are those of the Fetch standard.
public enum CachePolicy: String, Sendable, Hashable, CaseIterable {
    /// By the rules of HTTP (RFC 9111): `useProtocolCachePolicy`.
    case `default`
    /// A stored response is used only after the server has confirmed it: `reloadRevalidatingCacheData`.
    case noCache = "no-cache"
    /// The server is asked whatever is stored: `reloadIgnoringLocalCacheData`.
    case reload
    /// The server is asked, and nothing is stored: `reloadIgnoringLocalAndRemoteCacheData`.
    case noStore = "no-store"
    /// Any stored response is used, however old; the server is asked when there is none: `returnCacheDataElseLoad`.
    case forceCache = "force-cache"
    /// Any stored response is used, and the request fails when there is none: `returnCacheDataDontLoad`.
    case onlyIfCached = "only-if-cached"
}
