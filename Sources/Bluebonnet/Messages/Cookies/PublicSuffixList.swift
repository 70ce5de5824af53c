/// The public suffix list: the domains below which anybody can register a name, such as `com`,
/// `co.uk` and `github.io`. No cookie is for all names below one of them.
///
/// The list is part of the library, and as old as its release; ``date`` says how old. It is
/// published at publicsuffix.org under the Mozilla Public License 2.0. Both of its sections count,
/// as in browsers: that of the registries, and that of companies with names of their users.
///
/// Names are given in their ASCII form (`xn--…`), as URLs have them.
///
/// No counterpart in AFNetworking or Alamofire: `NSHTTPCookieStorage` has a list that no program
/// sees.
public enum PublicSuffixList {
    /// The day of the list, as `2026-10-22`.
    public static var date: String { day }

    /// Whether anybody can register a name below this one. A name without a dot that is not on the
    /// list is such a name, too.
    ///
    /// - Parameter domain: A name of a host, in any case.
    /// - Returns: Whether it is a public suffix; false for an IP address.
    public static func contains(_ domain: String) -> Bool {
        let name = CookieHost.lowercased(domain)
        guard isName(name) else { return false }
        let bytes = Array(name.utf8)
        return suffixStart(in: bytes) == 0
    }

    /// The part of a name that somebody has registered: a public suffix, and one label before it.
    ///
    /// - Parameter host: The name of a host, in any case.
    /// - Returns: The registrable domain, in lower case: `example.co.uk` of `www.example.co.uk`.
    ///   Nil for a public suffix, and for an IP address.
    public static func registrableDomain(of host: String) -> String? {
        let name = CookieHost.lowercased(host)
        guard isName(name) else { return nil }
        let bytes = Array(name.utf8)
        let suffix = suffixStart(in: bytes)
        guard suffix > 1 else { return nil }
        let start = bytes[..<(suffix - 1)].lastIndex(of: dot).map { $0 + 1 } ?? 0
        return String(decoding: bytes[start...], as: UTF8.self)
    }

    private static let dot = UInt8(ascii: ".")

    private static func isName(_ name: String) -> Bool {
        CookieHost.isHost(name) && name.utf8.last != dot && !CookieHost.isAddress(name)
    }

    /// The position at which the public suffix of a name begins: that of the longest rule that
    /// matches, unless there is an exception.
    private static func suffixStart(in name: [UInt8]) -> Int {
        var start = 0
        // One label longer than `start`.
        var longer: Int?
        while true {
            let next = name[start...].firstIndex(of: dot).map { $0 + 1 }
            let entry = entry(of: name[start...])
            switch entry {
            case .exception?: return next ?? start
            case .wildcard?, .ruleAndWildcard?:
                if let longer { return longer }
                if entry == .ruleAndWildcard { return start }
            case .rule?: return start
            case nil: break
            }
            // The rule for what no other one is about: the last label.
            guard let next else { return start }
            (longer, start) = (start, next)
        }
    }

    // MARK: The table

    private enum Entry {
        case rule, wildcard, ruleAndWildcard, exception
    }

    /// What the table says of a name, by a binary search.
    private static func entry(of name: ArraySlice<UInt8>) -> Entry? {
        // The bytes of a static string live as long as the program, and all positions below are
        // less than their number.
        let table = unsafe UnsafeBufferPointer(start: table.utf8Start, count: table.utf8CodeUnitCount)
        var (low, high) = (0, table.count)
        while low < high {
            var start = (low + high) / 2
            while start > low, unsafe table[start - 1] != ASCII.space { start -= 1 }
            var end = start
            var (order, position) = (0, name.startIndex)
            // The flag behind a name is not a byte of a name.
            while unsafe table[end] != ASCII.space, unsafe !isFlag(table[end]) {
                if order == 0 {
                    if position == name.endIndex {
                        order = 1
                    } else {
                        order = unsafe Int(table[end]) - Int(name[position])
                        position += 1
                    }
                }
                end += 1
            }
            if order == 0, position < name.endIndex { order = -1 }
            let flag = unsafe table[end]
            guard order != 0 else {
                return switch flag {
                case UInt8(ascii: "*"): .wildcard
                case UInt8(ascii: "+"): .ruleAndWildcard
                case UInt8(ascii: "!"): .exception
                default: .rule
                }
            }
            if order < 0 {
                low = flag == ASCII.space ? end + 1 : end + 2
            } else {
                high = start
            }
        }
        return nil
    }

    private static func isFlag(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "*") || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "!")
    }
}
