import HTTPTypes

/// The words of a request without a command, as HTTPie has them: `[METHOD] URL [item ...]`.
struct RequestWords: Equatable, Sendable {
    /// The method; nil where none is named: GET without a body, POST with one.
    let method: HTTPRequest.Method?
    let url: String
    let items: [String]

    /// Finds out which word is the URL.
    ///
    /// The first word is a method, in any case of its letters, where it is the name of a known one,
    /// where it has capital letters only, or where the second word cannot be an item and looks like
    /// a URL. A single word is always a URL.
    ///
    /// - Parameters:
    ///   - words: The arguments that are not options; at least one.
    ///   - commands: The names of the other commands.
    /// - Throws: ``CommandFailure`` with ``ExitStatus/usage`` for a misspelt command.
    init(_ words: [String], besides commands: [String]) throws(CommandFailure) {
        let first = words.first ?? ""
        let second = words.dropFirst().first
        if commands.contains(first), !Self.methods.contains(first.uppercased()) {
            throw .usage("The command comes first: bluebonnet \(first) …, and its options behind it.")
        }
        // HTTPie's program for the scheme; as a method it would send the request in the clear.
        if ["http", "https"].contains(first.lowercased()), second.map(Self.isURL) == true {
            throw .usage("“\(first)” is no method: write \(first.lowercased()):// in front of the host.")
        }
        let isName = Self.isName(first)
        let isMethod = Self.isMethod(first)
        if isName, !isMethod || second == nil,
            let nearest = NearestWord.of(first.lowercased(), among: commands), nearest != first.lowercased()
        {
            throw .usage(
                "There is no command “\(first)”; did you mean “\(nearest)”? A host of this name is http://\(first)."
            )
        }
        if isName, let second, isMethod || Self.isURL(second),
            let method = HTTPRequest.Method(first.uppercased())
        {
            self.method = method
            url = second
            items = Array(words.dropFirst(2))
        } else {
            method = nil
            url = first
            items = Array(words.dropFirst())
        }
    }

    /// The methods of the registry of RFC 9110 §16.1.1 that people send, and those of caches.
    private static let methods: Set = [
        "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "QUERY", "PURGE", "BAN",
        "PROPFIND", "PROPPATCH", "MKCOL", "COPY", "MOVE", "LOCK", "UNLOCK", "SEARCH", "REPORT", "ACL", "LINK",
        "UNLINK", "BIND", "UNBIND", "REBIND", "CHECKIN", "CHECKOUT", "MERGE", "LABEL", "UPDATE", "MKCALENDAR",
    ]

    /// Whether a word is the name of a known method, or has capital letters only.
    static func isMethod(_ word: String) -> Bool {
        isName(word) && (methods.contains(word.uppercased()) || word == word.uppercased())
    }

    private static func isName(_ word: String) -> Bool { !word.isEmpty && word.utf8.allSatisfy(isLetterOrHyphen) }

    private static func isLetterOrHyphen(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"): true
        default: false
        }
    }

    /// Whether a word is a URL more likely than an item.
    static func isURL(_ word: String) -> Bool {
        if word.hasPrefix(":") || word.hasPrefix("/") { return true }
        let host = word.prefix { !":/?#=@;".contains($0) }
        let rest = word[host.endIndex...]
        if rest.hasPrefix("://") { return true }
        guard !host.isEmpty, host == "localhost" || host.contains(".") else { return false }
        guard let next = rest.first, next == ":" else { return !"=@;".contains(rest.first ?? "/") }
        // A port, and then the end of the authority (RFC 3986 §3.2).
        let port = rest.dropFirst().prefix { $0.isASCII && $0.isNumber }
        return !port.isEmpty && "/?#".contains(rest[port.endIndex...].first ?? "/")
    }
}
