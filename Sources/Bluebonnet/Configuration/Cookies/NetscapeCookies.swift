public import FoundationEssentials

/// The text of a file of cookies, in the format of Netscape, which curl, wget, Python's
/// `MozillaCookieJar` and the tools of browsers read and write. A line is one cookie, with a tab
/// between its fields:
///
///     # Netscape HTTP Cookie File
///     .example.com  TRUE  /  FALSE  1798761600  theme  dark
///     #HttpOnly_example.com  FALSE  /  TRUE  0  session  31d4d96e
///
/// Domain, whether the names below it are meant too, path, whether it is for `https` alone, the
/// end in seconds since 1970 (0 or nothing for a cookie of the session), name, and value. The
/// format has no place for `SameSite`, for times of setting and use, and for tabs in names.
///
/// Counterpart of nothing in AFNetworking or Alamofire.
public enum NetscapeCookies {
    /// A text that is not one of cookies.
    struct Malformed: Error, CustomStringConvertible {
        let line: Int

        var description: String { "line \(line) is not a cookie in the format of Netscape" }
    }

    /// The cookies of a text. Lines that are not understood are left out, and of two cookies with
    /// the same identity the later one counts.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - now: The time at which the cookies are set. Default: the clock.
    /// - Returns: The cookies, also those whose time is over.
    public static func cookies(in text: String, now: Date = Date()) -> [Cookie] {
        (try? cookies(in: text, now: now, isStrict: false)) ?? []
    }

    /// The cookies of a text. A strict reader refuses one without the first line of such a file
    /// when it has a line that is not a cookie: it is a file of somebody else.
    static func cookies(in text: String, now: Date, isStrict: Bool) throws(Malformed) -> [Cookie] {
        var cookies: [Cookie] = []
        var positions: [Cookie.Identity: Int] = [:]
        var hasTitle = false
        for (number, line) in text.utf8.split(separator: ASCII.lineFeed, omittingEmptySubsequences: false).enumerated()
        {
            var line = Substring(line)
            if line.utf8.last == ASCII.carriageReturn { line = Substring(line.utf8.dropLast()) }
            guard let cookie = cookie(line, now: now) else {
                if titles.contains(where: line.hasPrefix) { hasTitle = true }
                let isText = line.utf8.contains { !ASCII.isBlank($0) } && line.utf8.first != UInt8(ascii: "#")
                guard !isStrict || hasTitle || !isText else { throw Malformed(line: number + 1) }
                continue
            }
            if let position = positions[cookie.identity] {
                cookies[position] = cookie
            } else {
                positions[cookie.identity] = cookies.count
                cookies.append(cookie)
            }
        }
        return cookies
    }

    private static let titles = ["# Netscape HTTP Cookie File", "# HTTP Cookie File"]
    private static let httpOnly = "#HttpOnly_"
    /// The last second of the year 9999. Larger ends would be none for other programs.
    private static let latest: TimeInterval = 253_402_300_799

    private static func cookie(_ line: Substring, now: Date) -> Cookie? {
        let isHTTPOnly = line.hasPrefix(httpOnly)
        guard isHTTPOnly || line.utf8.first != UInt8(ascii: "#") else { return nil }
        let fields = (isHTTPOnly ? line.dropFirst(httpOnly.count) : line).utf8
            .split(separator: ASCII.tab, maxSplits: 6, omittingEmptySubsequences: false).map { String(Substring($0)) }
        // curl writes no tab behind the name of a cookie without a value.
        guard fields.count == 6 || fields.count == 7, let isForAll = boolean(fields[1]),
            let isSecure = boolean(fields[3]), let end = end(fields[4])
        else { return nil }
        let cookie = Cookie(
            name: fields[5],
            value: fields.count == 7 ? fields[6] : "",
            domain: fields[0],
            isHostOnly: !isForAll,
            path: fields[2],
            isSecure: isSecure,
            isHTTPOnly: isHTTPOnly,
            expires: end,
            created: now
        )
        return cookie.isAcceptable ? cookie : nil
    }

    private static func boolean(_ text: String) -> Bool? {
        switch text.lowercased() {
        case "true": true
        case "false": false
        default: nil
        }
    }

    /// The end of a cookie, of digits, some programs with a fraction; inside nil for the end of the
    /// session. Nil for anything else.
    private static func end(_ text: String) -> Date?? {
        guard !text.isEmpty else { return .some(nil) }
        guard text.utf8.allSatisfy({ ASCII.isDigit($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") }),
            let seconds = Double(text)
        else { return .none }
        return seconds == 0 ? .some(nil) : Date(timeIntervalSince1970: min(max(seconds, 1), latest))
    }

    /// The end of a cookie as it is written. A second that has begun counts, so that nothing ends
    /// too early.
    static func seconds(_ end: Date) -> TimeInterval {
        min(max(end.timeIntervalSince1970, 1), latest).rounded(.up)
    }

    /// A text of cookies. Those with a tab in their name, value or path are left out: other
    /// programs would take them for other ones.
    ///
    /// - Parameter cookies: The cookies.
    /// - Returns: The text, with a first line by which curl knows it.
    public static func text(of cookies: [Cookie]) -> String {
        var text = "\(titles[0])\n# Written by Bluebonnet. Other programs can read and change it.\n\n"
        for cookie in cookies where cookie.isAcceptable {
            let fields = [
                (cookie.isHTTPOnly ? httpOnly : "") + (cookie.isHostOnly ? "" : ".") + cookie.domain,
                cookie.isHostOnly ? "FALSE" : "TRUE", cookie.path, cookie.isSecure ? "TRUE" : "FALSE",
                cookie.expires.map { String(Int(seconds($0))) } ?? "0",
                cookie.name, cookie.value,
            ]
            guard !fields.contains(where: { $0.utf8.contains(ASCII.tab) }) else { continue }
            text += fields.joined(separator: "\t") + "\n"
        }
        return text
    }
}
