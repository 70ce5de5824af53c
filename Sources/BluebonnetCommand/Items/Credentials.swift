import Bluebonnet
import FoundationEssentials
import HTTPTypes

/// The credentials of a request.
enum Credentials: Equatable, Sendable {
    /// RFC 7617; user and password are UTF-8, or the bytes that a URL has for them.
    case basic(user: [UInt8], password: [UInt8])
    /// RFC 6750.
    case bearer(String)

    /// Basic credentials.
    ///
    /// - Parameters:
    ///   - user: The bytes of the user name.
    ///   - password: The bytes of the password.
    /// - Returns: The credentials.
    /// - Throws: ``CommandFailure`` for what RFC 7617 §2 excludes. Its message does not show them.
    static func basic(checking user: [UInt8], password: [UInt8]) throws(CommandFailure) -> Credentials {
        guard !user.contains(UInt8(ascii: ":")) else {
            throw .usage("The user name has a colon in it, which Basic authentication cannot send (RFC 7617 §2).")
        }
        guard (user + password).allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw .usage("The user name or the password has a control character in it (RFC 7617 §2).")
        }
        return .basic(user: user, password: password)
    }

    /// A bearer token.
    ///
    /// - Parameter token: The token.
    /// - Returns: The credentials.
    /// - Throws: ``CommandFailure`` for an invalid token. Its message does not show the token.
    static func bearer(checking token: String) throws(CommandFailure) -> Credentials {
        guard !token.isEmpty, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw .usage("A bearer token has only visible ASCII characters and no spaces (RFC 6750 §2.1).")
        }
        return .bearer(token)
    }

    /// Puts them into a request, unless it has a field `Authorization` of its own.
    ///
    /// User and password are sent at once, by Basic, and again by Digest to a server that wants
    /// that. A token is a field.
    ///
    /// - Parameters:
    ///   - request: The request to change.
    ///   - usesDigest: Whether user and password are sent by Digest alone, when the server asks.
    ///     Default: false.
    func put(into request: inout Request, usesDigest: Bool = false) {
        guard !request.headerFields.contains(.authorization) else { return }
        switch self {
        case .basic(let user, let password):
            var credential = Credential(user: user, password: password, persistence: .task)
            credential.isPreemptive = !usesDigest
            if usesDigest { credential.schemes = [.digest] }
            request.credential = credential
        case .bearer(let token): request.headerFields[.authorization] = "Bearer \(token)"
        }
    }
}

extension Credentials {
    /// Takes user and password out of a URL (RFC 3986 §3.2.1), so that they are neither sent nor
    /// shown as a part of it.
    ///
    /// Both are percent-decoded; a user without a password has an empty one.
    ///
    /// - Parameter url: The text of a URL; afterwards it has no user and password.
    /// - Returns: The credentials; nil when there are none, or both are empty.
    /// - Throws: ``CommandFailure`` as ``basic(checking:password:)``.
    static func take(from url: inout String) throws(CommandFailure) -> Credentials? {
        guard let range = range(in: url) else { return nil }
        let text = url[range].utf8.dropLast()
        url.removeSubrange(range)
        let parts = text.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        let (user, password) = (decode(parts[0]), parts.count > 1 ? decode(parts[1]) : [])
        guard !user.isEmpty || !password.isEmpty else { return nil }
        return try basic(checking: user, password: password)
    }

    /// The text of a URL without user and password.
    static func removed(from url: URL) -> String { removed(from: url.absoluteString) }

    /// A URL without user and password.
    static func removed(from url: String) -> String {
        guard let range = range(in: url) else { return url }
        var text = url
        text.removeSubrange(range)
        return text
    }

    /// User and password before the host, with the `@`. A password may have an `@` that is not
    /// escaped.
    private static func range(in url: String) -> Range<String.Index>? {
        // Most URLs have none, and a batch calls this for each.
        guard url.utf8.contains(UInt8(ascii: "@")), let start = url.utf8.firstRange(of: "://".utf8)?.upperBound else {
            return nil
        }
        let authority = url.utf8[start...].prefix {
            ![UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#")].contains($0)
        }
        guard let at = authority.lastIndex(of: UInt8(ascii: "@")) else { return nil }
        return start..<url.utf8.index(after: at)
    }

    /// Undoes percent-encoding. A `%` without two digits behind it stays as it is.
    private static func decode(_ text: Substring.UTF8View.SubSequence) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = text[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2)
            guard byte == UInt8(ascii: "%"), digits.count == 2, digits.allSatisfy(isHexadecimal),
                let value = UInt8(String(Substring(digits)), radix: 16)
            else {
                bytes.append(byte)
                continue
            }
            bytes.append(value)
            rest.removeFirst(2)
        }
        return bytes
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }
}
