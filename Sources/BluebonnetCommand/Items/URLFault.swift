/// Why a text is not the URL of a request.
enum URLFault {
    /// The sentence about a text that `URL` refuses, or that is surely not what was meant.
    ///
    /// - Parameters:
    ///   - url: The whole URL as text.
    ///   - isRefused: Whether it cannot be read as a URL at all.
    /// - Returns: The sentence; nil where nothing is wrong.
    static func text(for url: String, isRefused: Bool) -> String? {
        guard let start = url.utf8.firstRange(of: "://".utf8)?.upperBound else {
            return isRefused ? "“\(url)” is not a URL." : nil
        }
        let scheme = url[..<start].dropLast(3).lowercased()
        if !schemes.contains(scheme), let nearest = NearestWord.of(scheme, among: schemes) {
            return "The scheme “\(scheme)” is not supported; did you mean “\(nearest)”?"
        }
        // The library names the schemes that there are.
        guard schemes.contains(scheme) else { return isRefused ? "“\(url)” is not a URL." : nil }
        let authority = url[start...].prefix { !"/?#".contains($0) }
        // The text before the at sign may be a password.
        guard !authority.contains("@") else {
            return isRefused ? "The URL is not valid. In a password, write / as %2F, ? as %3F and # as %23." : nil
        }
        let host = authority.prefix { $0 != ":" }
        let rest = url[authority.endIndex...]
        if let sentence = fault(ofHost: host, authority, rest) { return sentence }
        if ["http:", "https:", "ws:", "wss:"].contains(authority.lowercased()) {
            return "“\(authority)\(rest)” lacks a slash: write \(authority.lowercased())//\(rest.drop { $0 == "/" })."
        }
        if let port = port(of: authority), !port.isEmpty, UInt16(port) == nil || port.first == "+" {
            return "“\(port)” is not a port, which is a number up to 65535."
        }
        guard isRefused else { return nil }
        if authority.contains(where: \.isWhitespace) { return "“\(host)” is not the name of a host: it has a space." }
        return "“\(url)” is not a URL."
    }

    private static let schemes = ["http", "https", "http+unix", "https+unix"]

    /// The sentence about what stands in the place of a host and cannot be one.
    private static func fault(ofHost host: Substring, _ authority: Substring, _ rest: Substring) -> String? {
        if authority.isEmpty {
            return rest.hasPrefix("/") && rest.count > 1
                ? "“\(rest)” has no host: write example.org\(rest), or :\(rest) for localhost."
                : "The URL has no host: write example.org, or :8080 for a port of localhost."
        }
        if ["http", "https"].contains(authority.lowercased()), rest.hasPrefix("//") {
            return "“\(authority)\(rest)” lacks a colon: write \(authority.lowercased()):\(rest)."
        }
        // It would be the last two bytes of an address of IPv4 that no host has (RFC 6890 §2.2.2).
        if let number = UInt16(authority), number > 0, authority.first != "+" {
            return "“\(authority)\(rest)” has no host: write :\(authority)\(rest) for a port of localhost."
        }
        if host == "." || host == ".." { return "“\(authority)\(rest)” is the path of a file, and not a URL." }
        if let first = authority.first, "'\"“”‘’`".contains(first) {
            return "“\(authority)\(rest)” begins with a quotation mark, which is not a part of a URL."
        }
        if host.utf8.contains(where: { $0 >= 0x80 }) {
            // RFC 5890 §2.3.2.1: an A-label. Which one a text has depends on tables of Unicode.
            return
                "“\(host)” has characters that are not ASCII; write the ASCII form of the name, which begins with xn--."
        }
        if schemes.contains(host.lowercased()), let text = port(of: authority), text.first?.isLetter == true {
            return "“\(authority)\(rest)” lacks two slashes: write \(host.lowercased())://\(text)\(rest)."
        }
        let isCut = authority.contains("[") && !authority.contains("]")
        if isCut || port(of: authority)?.contains(":") == true {
            let fault = isCut ? "lacks a bracket" : "has too many colons"
            return "“\(authority)” \(fault): an IPv6 address is written in brackets, as in http://[::1]:8080/."
        }
        return nil
    }

    /// The text behind the host (RFC 3986 §3.2.3); nil without one.
    private static func port(of authority: Substring) -> Substring? {
        // The colons of an address of IPv6 are between brackets.
        let end = authority.lastIndex(of: "]") ?? authority.startIndex
        guard let colon = authority[end...].firstIndex(of: ":") else { return nil }
        return authority[authority.index(after: colon)...]
    }
}
