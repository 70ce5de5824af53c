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
/// format has no place for `SameSite`, for times of setting and use, and for tabs: neither curl nor
/// Python reads a line with another field.
///
/// Counterpart of nothing in AFNetworking or Alamofire.
public enum NetscapeCookies {
    /// A text that is not one of cookies.
    struct Malformed: Error, CustomStringConvertible {
        let line: Int

        var description: String { "line \(line) is not a cookie in the format of Netscape" }
    }

    /// What a file has.
    struct Contents {
        var cookies: [Cookie] = []
        /// The lines that are neither cookies nor comments: with bytes that are not UTF-8, which
        /// curl writes as they came, or of a kind that only others know.
        var unknownLines: [ArraySlice<UInt8>] = []
    }

    /// The cookies of a text. Lines that are not understood are left out, and of two cookies with
    /// the same identity the later one counts.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - now: The time at which the cookies are set. Default: the clock.
    /// - Returns: The cookies, also those whose time is over.
    public static func cookies(in text: String, now: Date = Date()) -> [Cookie] {
        (try? contents(of: Array(text.utf8), now: now, isStrict: false))?.cookies ?? []
    }

    /// The cookies of the bytes of a file, as those of a text. A line with bytes that are not UTF-8
    /// is left out: curl writes such values as they came.
    ///
    /// - Parameters:
    ///   - data: The bytes.
    ///   - now: The time at which the cookies are set. Default: the clock.
    /// - Returns: The cookies, also those whose time is over.
    public static func cookies(in data: Data, now: Date = Date()) -> [Cookie] {
        (try? contents(of: Array(data), now: now, isStrict: false))?.cookies ?? []
    }

    /// What the bytes of a file have. A strict reader refuses one without the first line of such a
    /// file when it has a line that is not a cookie: it is a file of somebody else.
    static func contents(of bytes: [UInt8], now: Date, isStrict: Bool) throws(Malformed) -> Contents {
        var contents = Contents()
        var positions: [Cookie.Identity: Int] = [:]
        var hasTitle = false
        for (number, line) in bytes.split(separator: ASCII.lineFeed, omittingEmptySubsequences: false).enumerated() {
            let line = line.last == ASCII.carriageReturn ? line.dropLast() : line
            // A cookie with other bytes could not be sent as it came.
            guard let cookie = String(validating: line, as: UTF8.self).flatMap({ cookie($0[...], now: now) }) else {
                if titles.contains(where: { line.starts(with: $0.utf8) }) { hasTitle = true }
                let isComment = line.first == UInt8(ascii: "#") && !line.starts(with: httpOnly.utf8)
                guard !isComment, line.contains(where: { !ASCII.isBlank($0) }) else { continue }
                guard !isStrict || hasTitle else { throw Malformed(line: number + 1) }
                contents.unknownLines.append(line)
                continue
            }
            if let position = positions[cookie.identity] {
                contents.cookies[position] = cookie
            } else {
                positions[cookie.identity] = contents.cookies.count
                contents.cookies.append(cookie)
            }
        }
        return contents
    }

    private static let titles = ["# Netscape HTTP Cookie File", "# HTTP Cookie File"]
    private static let httpOnly = "#HttpOnly_"
    /// The last second of the year 9999. Larger ends would be none for other programs.
    private static let latest: TimeInterval = 253_402_300_799

    private static func cookie(_ line: Substring, now: Date) -> Cookie? {
        let isHTTPOnly = line.hasPrefix(httpOnly)
        guard isHTTPOnly || line.utf8.first != UInt8(ascii: "#") else { return nil }
        let fields = (isHTTPOnly ? line.dropFirst(httpOnly.count) : line).utf8
            .split(separator: ASCII.tab, maxSplits: 7, omittingEmptySubsequences: false).map { String(Substring($0)) }
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

    /// Whether the format can hold a cookie: not one with a tab in its name, value or path, which
    /// other programs would take for another one.
    ///
    /// - Parameter cookie: The cookie.
    /// - Returns: Whether it can.
    public static func canHold(_ cookie: Cookie) -> Bool {
        ![cookie.name, cookie.value, cookie.path].contains { $0.utf8.contains(ASCII.tab) }
    }

    /// A text of cookies, without those that the format cannot hold (``canHold(_:)``).
    ///
    /// - Parameter cookies: The cookies.
    /// - Returns: The text, with a first line by which curl knows it.
    public static func text(of cookies: [Cookie]) -> String {
        var text = "\(titles[0])\n# Written by Bluebonnet. Other programs can read and change it.\n\n"
        for cookie in cookies where cookie.isAcceptable && canHold(cookie) {
            let fields = [
                (cookie.isHTTPOnly ? httpOnly : "") + (cookie.isHostOnly ? "" : ".") + cookie.domain,
                cookie.isHostOnly ? "FALSE" : "TRUE", cookie.path, cookie.isSecure ? "TRUE" : "FALSE",
                cookie.expires.map { String(Int(seconds($0))) } ?? "0",
                cookie.name, cookie.value,
            ]
            text += fields.joined(separator: "\t") + "\n"
        }
        return text
    }
}
