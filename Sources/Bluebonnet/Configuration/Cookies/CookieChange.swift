import FoundationEssentials

/// A change of the cookies of a jar, for those who observe it with
/// ``CookieJar/changes(bufferingNewest:)``.
///
/// Counterpart of `NSHTTPCookieManagerCookiesChangedNotification`, which does not say what has
/// changed.
public struct CookieChange: Sendable, Hashable {
    /// Why a cookie is there or is not.
    ///
    /// No counterpart in AFNetworking or Alamofire.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// There was none with its identity.
        case added
        /// It has another value, or other attributes.
        case changed
        /// It was removed by its owner, or by the server.
        case removed
        /// Its time was over.
        case expired
        /// It made room for others.
        case evicted
    }

    /// The cookie: as it is now, or as it was before it was removed.
    public let cookie: Cookie
    /// Why it is there or is not.
    public let kind: Kind
    /// Whether it is for the store of the jar, too. False in a jar without a store, for a cookie of
    /// the session where the store gets none, and for one that the store cannot hold
    /// (``CookieJar/unstorableCookies``): these end with the process.
    public let isStored: Bool
}

/// Whose cookies a session takes in.
///
/// It is about what is stored: cookies that a jar has already are sent in any case. For a request
/// without cookies there is ``RequestProperties/handlesCookies``.
///
/// Counterpart of `NSHTTPCookieAcceptPolicy`.
public struct CookiePolicy: Sendable, Hashable, CustomStringConvertible {
    /// The name of the policy: `always`.
    public let description: String

    /// Those of every server: `NSHTTPCookieAcceptPolicyAlways`. The default.
    public static let always = CookiePolicy(description: "always")
    /// None: `NSHTTPCookieAcceptPolicyNever`.
    public static let never = CookiePolicy(description: "never")
    /// Those of servers of the site that the task began with, and none of a site to which it was
    /// redirected: `NSHTTPCookieAcceptPolicyOnlyFromMainDocumentDomain`. A site is a registrable
    /// domain of the ``PublicSuffixList``, and for an address the host.
    public static let originalSite = CookiePolicy(description: "originalSite")

    /// Whether the cookies of a response are taken in.
    func accepts(_ source: CookieSource, ofTaskWith url: URL) -> Bool {
        switch self {
        case .always: true
        case .originalSite: CookieSource(url).map { $0.site == source.site } ?? false
        default: false
        }
    }
}
