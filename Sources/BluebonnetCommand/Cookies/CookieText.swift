import Bluebonnet
import FoundationEssentials

/// Cookies as a table for people, and as the JSON of extensions of browsers.
enum CookieText {
    // MARK: The table

    /// The titles of the columns.
    static func titles(showsValue: Bool) -> [String] {
        ["DOMAIN", "PATH", "NAME"] + (showsValue ? ["VALUE"] : []) + ["ENDS", "FLAGS"]
    }

    /// The columns of a cookie.
    static func row(of cookie: Cookie, showsValue: Bool) -> [String] {
        let end = cookie.expires.map { $0.formatted(.iso8601.year().month().day()) } ?? "session"
        let flags = [
            cookie.isSecure ? "Secure" : nil, cookie.isHTTPOnly ? "HttpOnly" : nil,
            cookie.sameSite.map { "SameSite=\($0.rawValue)" },
        ].compactMap(\.self).joined(separator: " ")
        // A dot says that the names below are meant, too, as in the file.
        let texts = [(cookie.isHostOnly ? "" : ".") + cookie.domain, cookie.path, cookie.name]
        return (texts + (showsValue ? [cookie.value] : [])).map(ShownText.harmless) + [end, flags]
    }

    /// The lines of a table: its columns are as wide as they have to be.
    static func table(_ rows: [[String]]) -> [String] {
        var widths: [Int] = []
        for row in rows {
            for (column, text) in row.enumerated() {
                if column == widths.count { widths.append(0) }
                widths[column] = max(widths[column], ShownText.width(of: text))
            }
        }
        return rows.map { row in
            var line = ""
            for (column, text) in row.enumerated() where column < row.count - 1 {
                line += ShownText.fitted(text, to: widths[column]) + "  "
            }
            line += row.last ?? ""
            while line.last == " " { line.removeLast() }
            return line
        }
    }

    // MARK: Files

    /// The cookies of a file in the format of curl, or in JSON.
    ///
    /// - Parameters:
    ///   - data: The bytes of the file.
    ///   - name: The name of the file, for messages.
    /// - Returns: The cookies.
    /// - Throws: ``CommandFailure`` with ``ExitStatus/usage`` for a file that has none.
    static func cookies(in data: Data, name: String) throws(CommandFailure) -> [Cookie] {
        let text = String(decoding: data, as: UTF8.self)
        guard text.utf8.first(where: { $0 > 0x20 }) == UInt8(ascii: "[") else {
            let cookies = NetscapeCookies.cookies(in: data)
            guard !cookies.isEmpty || !text.utf8.contains(where: { $0 > 0x20 }) || text.hasPrefix("#") else {
                throw .usage("\(name) has no cookies in the format of curl, and is not JSON.")
            }
            if String(validating: data, as: UTF8.self) == nil {
                StandardStream.error.write(line: "bluebonnet: Cookies with bytes that are not UTF-8 are left out.")
            }
            return cookies
        }
        let value: JSONValue
        do throws(JSONParsingError) {
            value = try JSONValue(parsing: text)
        } catch {
            throw .usage("\(name) is not JSON: \(error.description)")
        }
        var cookies: [Cookie] = []
        for (index, element) in (value.array ?? []).enumerated() {
            guard let cookie = cookie(element) else {
                throw .usage("Cookie \(index + 1) of \(name) has no name, value and domain.")
            }
            cookies.append(cookie)
        }
        return cookies
    }

    private static func cookie(_ value: JSONValue) -> Cookie? {
        guard let object = value.object, let name = object["name"]?.string, let text = object["value"]?.string,
            let domain = object["domain"]?.string
        else { return nil }
        // Without the member a dot says whether the names below are meant, too.
        let isHostOnly = object["hostOnly"]?.bool ?? !domain.hasPrefix(".")
        let sameSite: Cookie.SameSite? =
            switch object["sameSite"]?.string?.lowercased() {
            case "strict": .strict
            case "lax": .lax
            case "none", "no_restriction": Cookie.SameSite.none
            default: nil
            }
        return Cookie(
            name: name,
            value: text,
            domain: domain,
            isHostOnly: isHostOnly,
            path: object["path"]?.string ?? "/",
            isSecure: object["secure"]?.bool ?? false,
            isHTTPOnly: object["httpOnly"]?.bool ?? false,
            sameSite: sameSite,
            expires: object["expirationDate"]?.double.map { Date(timeIntervalSince1970: $0) }
        )
    }

    /// The JSON of cookies.
    ///
    /// - Parameter cookies: The cookies.
    /// - Returns: An array, on several lines.
    /// - Throws: ``NetworkingError`` for a number that JSON cannot have.
    static func json(of cookies: [Cookie]) throws -> String {
        let objects: [JSONValue] = cookies.map { cookie -> JSONValue in
            var object: JSONObject = [
                "name": JSONValue(cookie.name), "value": JSONValue(cookie.value),
                "domain": JSONValue((cookie.isHostOnly ? "" : ".") + cookie.domain), "path": JSONValue(cookie.path),
                "hostOnly": JSONValue(cookie.isHostOnly), "secure": JSONValue(cookie.isSecure),
                "httpOnly": JSONValue(cookie.isHTTPOnly), "session": JSONValue(cookie.expires == nil),
            ]
            if let expires = cookie.expires { object["expirationDate"] = JSONValue(expires.timeIntervalSince1970) }
            if let sameSite = cookie.sameSite {
                object["sameSite"] = JSONValue(sameSite == .none ? "no_restriction" : sameSite.rawValue.lowercased())
            }
            return .object(object)
        }
        return String(decoding: try JSONValue(objects).data(), as: UTF8.self)
    }
}
