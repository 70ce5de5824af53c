package import FoundationEssentials
import HTTPTypes

extension URL {
    /// The URL without user, password, fragment, and the values of query parameters whose names are
    /// those of secrets.
    package var textWithoutSecrets: String {
        let text = absoluteString
        // Most have none of them.
        let isPlain = text.utf8.allSatisfy { byte in
            byte != UInt8(ascii: "?") && byte != UInt8(ascii: "@") && byte != UInt8(ascii: "#")
        }
        return isPlain ? text : HARRedaction(HAROptions()).url(self)
    }
}

/// What an archive does not show.
struct HARRedaction {
    private let options: HAROptions
    private let names: Set<String>

    init(_ options: HAROptions) {
        self.options = options
        names = Set(options.redactedNames.map { $0.lowercased() })
    }

    private func contains(_ name: String) -> Bool {
        options.redactsSecrets && SecretNames.contains(name) || names.contains(name.lowercased())
    }

    /// The value of a header field; the scheme of credentials stays.
    func field(_ name: String, _ value: String) -> String {
        guard contains(name) else {
            return name.lowercased() == "location" ? URL(string: value).map(url) ?? value : value
        }
        guard let fieldName = HTTPField.Name(name), SecretNames.contains(name) else { return SecretNames.replacement }
        return SecretNames.redacted(HTTPField(name: fieldName, value: value))
    }

    func cookie(_ value: String) -> String {
        options.redactsSecrets || names.contains("cookie") ? SecretNames.replacement : value
    }

    /// The name and the value of each pair of a query or a form, without its encoding.
    func pairs(in text: String) -> [(name: String, value: String)] {
        text.utf8.split(separator: UInt8(ascii: "&")).map { pair in
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let name = Self.decoded(parts[0])
            let value = parts.count > 1 ? Self.decoded(parts[1]) : ""
            return (name, contains(name) ? SecretNames.replacement : value)
        }
    }

    /// A query or a form with its encoding.
    func encoded(pairs text: String) -> String {
        text.split(separator: "&", omittingEmptySubsequences: false).map { pair in
            guard let equals = pair.firstIndex(of: "="), contains(Self.decoded(pair[..<equals].utf8)) else {
                return String(pair)
            }
            return pair[...equals] + SecretNames.replacement
        }
        .joined(separator: "&")
    }

    func url(_ url: URL) -> String {
        // A fragment is not sent.
        let text = url.absoluteString.prefix { $0 != "#" }
        var shown = String(text)
        if let question = text.firstIndex(of: "?") {
            shown = text[...question] + encoded(pairs: String(text[text.index(after: question)...]))
        }
        guard options.redactsSecrets, url.user != nil || url.password != nil,
            var components = URLComponents(string: shown)
        else { return shown }
        (components.user, components.password) = (nil, nil)
        return components.string ?? shown
    }

    private static func decoded(_ text: some Collection<UInt8>) -> String {
        let spaced = text.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
        return String(decoding: SecretNames.percentDecoded(spaced), as: UTF8.self)
    }
}
