package import FoundationEssentials
import NIOCore

extension URL {
    /// The text of a URL without user, password, query and fragment, as most are; nil of others.
    package var plainText: String? {
        let text = absoluteString
        let bytes = text.utf8.span
        for index in bytes.indices {
            switch bytes[index] {
            case UInt8(ascii: "?"), UInt8(ascii: "@"), UInt8(ascii: "#"): return nil
            default: break
            }
        }
        return text
    }

    /// The URL for messages and logs: user, password, fragment and the values of the query are left
    /// out; so is a long part of the query without a name, which is a value itself.
    package var redactedDescription: String {
        guard var components = URLComponents(url: self, resolvingAgainstBaseURL: true) else { return "(not a URL)" }
        let names = components.percentEncodedQuery?.split(separator: "&").map { (pair: Substring) -> String in
            if pair.utf8.contains(UInt8(ascii: "=")) { return "\(pair.prefix { $0 != "=" })=…" }
            return pair.utf8.count > 16 ? "…" : String(pair)
        }
        components.user = nil
        components.password = nil
        components.percentEncodedQuery = nil
        components.fragment = nil
        let target = components.string ?? "(not a URL)"
        return names.map { "\(target)?\($0.joined(separator: "&"))" } ?? target
    }
}

extension Error {
    /// The error for messages. Of a system call only its reason, such as
    /// `Connection reset by peer`: the text of NIO also names NIO's functions.
    var causeText: String { (self as? IOError)?.errnoCode.reason ?? "\(self)" }

    /// The `errno` of a system call that failed; nil for other errors.
    package var systemErrorNumber: CInt? {
        (self as? IOError)?.errnoCode ?? (self as? SystemFile.Failure)?.code
    }
}

extension StringProtocol {
    /// The text for a message: at most 60 characters of it. What a server sends can be as long as
    /// the document it is in, and messages end in logs. Unicode scalars are counted, since any
    /// number of them can be one `Character`.
    package var shortened: String {
        let scalars = unicodeScalars
        guard let end = scalars.index(scalars.startIndex, offsetBy: 60, limitedBy: scalars.endIndex),
            end < scalars.endIndex
        else { return String(self) }
        return String(self[..<end]) + "…"
    }
}
