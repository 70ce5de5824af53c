@testable import Bluebonnet

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Cookies of servers and files.
extension FuzzTarget {
    /// A cookie that is taken can be stored and sent again as it is, and a file that is written is
    /// read as the same one.
    static func cookie(_ input: [UInt8]) throws(Violation) -> String {
        let text = String(decoding: input, as: UTF8.self)
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        var kind = "refused"
        if let url = URL(string: "https://www.example.com/a/b"),
            let cookie = Cookie(setCookie: text, from: url, now: now)
        {
            guard cookie.isAcceptable else { throw Violation(description: "a jar would not load it: \(cookie)") }
            let again = SetCookieField(cookie.pair, now: now)
            // A value alone may have an equals sign, which makes a name of what is before it.
            guard cookie.name.isEmpty || again?.name == cookie.name && again?.value == cookie.value else {
                throw Violation(description: "“\(cookie.pair)” is read as another cookie")
            }
            if let expires = cookie.expires, expires > now.addingTimeInterval(TimeInterval(Cookie.longestAge)) {
                throw Violation(description: "it ends too late: \(expires)")
            }
            kind = "\(cookie.name.isEmpty)\(cookie.isHostOnly)\(cookie.isSecure)\(cookie.expires == nil)"
        }
        let cookies = NetscapeCookies.cookies(in: text, now: now)
        let written = NetscapeCookies.text(of: cookies)
        guard NetscapeCookies.text(of: NetscapeCookies.cookies(in: written, now: now)) == written else {
            throw Violation(description: "the file is read as another one: \(written)")
        }
        let date = CookieDate.secondsSince1970(text) != nil
        return "\(kind) \(min(cookies.count, 3)) \(date)"
    }
}
