import FoundationEssentials

/// The rules about hosts and paths of cookies (RFC 6265bis §5.1).
enum CookieHost {
    /// The most bytes of a name in DNS (RFC 1035 §2.3.4), written without its root.
    private static let longest = 253

    /// Whether a text in lower case can be the host of a cookie: an address, or a name of letters,
    /// digits, `-` and `_`. Names with other characters than those of ASCII are refused, as §5.7
    /// says, since their ASCII form has to be known to compare them.
    static func isHost(_ host: String) -> Bool {
        !host.isEmpty && host.utf8.count <= longest && host.utf8.first != UInt8(ascii: ".")
            && host.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                    UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                    // In addresses of version 6, with their zones.
                    ASCII.colon, UInt8(ascii: "%"):
                    true
                default: false
                }
            }
    }

    /// Whether a host is an IP address: of version 6 if it has a colon, and of version 4 if its
    /// last label is a number, of digits or with `0x` (WHATWG URL, "ends in a number"), which no
    /// name of the DNS has.
    ///
    /// A URL keeps such a host as it is written: `127.0.0.0x1`, `0x7f000001`. The system connects
    /// to the address all the same, and what is before the number is no name of anybody.
    static func isAddress(_ host: String) -> Bool {
        var bytes = host.utf8[...]
        if bytes.contains(ASCII.colon) { return true }
        if bytes.last == dot { bytes.removeLast() }
        let label = bytes.lastIndex(of: dot).map { bytes[$0...].dropFirst() } ?? bytes
        guard let first = label.first, ASCII.isDigit(first) else { return false }
        if label.allSatisfy(ASCII.isDigit) { return true }
        guard first == UInt8(ascii: "0"), let x = label.dropFirst().first, x | 0x20 == UInt8(ascii: "x") else {
            return false
        }
        return label.dropFirst(2).allSatisfy { byte in
            ASCII.isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
        }
    }

    private static let dot = UInt8(ascii: ".")

    /// A host in lower case (§5.1.2); most are already.
    static func lowercased(_ host: String) -> String {
        host.utf8.contains { (65...90).contains($0) } ? host.lowercased() : host
    }

    /// Whether a host is a domain or below it (§5.1.3). Both are in lower case.
    static func matches(_ host: String, domain: String) -> Bool {
        let (bytes, end) = (host.utf8, domain.utf8)
        guard bytes.count > end.count else { return bytes.elementsEqual(end) }
        let rest = bytes.dropFirst(bytes.count - end.count - 1)
        return rest.first == UInt8(ascii: ".") && rest.dropFirst().elementsEqual(end) && !isAddress(host)
    }

    /// Whether a path is that of a cookie or below it (§5.1.4).
    static func matches(path: String, cookiePath: String) -> Bool {
        let (path, cookiePath) = (path.utf8, cookiePath.utf8)
        guard path.starts(with: cookiePath) else { return false }
        return path.count == cookiePath.count || cookiePath.last == UInt8(ascii: "/")
            || path.dropFirst(cookiePath.count).first == UInt8(ascii: "/")
    }

    /// The path of a cookie that has none (§5.1.4): that of the request up to its last `/`.
    static func defaultPath(of path: String) -> String {
        guard path.utf8.first == UInt8(ascii: "/"), let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")),
            slash > path.utf8.startIndex
        else { return "/" }
        return String(path[..<slash])
    }
}

/// Where a cookie comes from, or goes to: the parts of a URL that decide about cookies.
struct CookieSource: Hashable {
    /// In lower case, without the dot of a name that is written with its root.
    let host: String
    /// Percent-encoded, without query; begins with `/`.
    let path: String
    /// Whether it is by `https`. `http` to this machine is not, although browsers trust it.
    let isSecure: Bool

    /// Nil for what has no cookies: a Unix-domain socket, and a URL without a host of ASCII
    /// characters.
    init?(_ target: RequestTarget) {
        guard case .host(let name, _) = target.origin.endpoint else { return nil }
        let host = name.utf8.last == UInt8(ascii: ".") ? String(name.dropLast()) : name
        guard CookieHost.isHost(host) else { return nil }
        self.host = host
        path = target.path.utf8.firstIndex(of: UInt8(ascii: "?")).map { String(target.path[..<$0]) } ?? target.path
        isSecure = target.origin.isSecure
    }

    init?(_ url: URL) {
        guard let target = try? RequestTarget(url) else { return nil }
        self.init(target)
    }

    /// The site of the host: its registrable domain, or the host where there is none.
    var site: String { PublicSuffixList.registrableDomain(of: host) ?? host }
}
