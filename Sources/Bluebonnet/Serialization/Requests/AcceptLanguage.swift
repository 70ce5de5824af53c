/// The value of `Accept-Language` (RFC 9110 §12.5.4) from the user's languages.
struct AcceptLanguage: Sendable, Hashable {
    /// The weights of AFNetworking: six languages at most.
    private static let weights = ["1", "0.9", "0.8", "0.7", "0.6", "0.5"]

    /// The languages as BCP 47 tags, the preferred one first.
    let languages: [String]

    /// The value: `de-AT;q=1, en;q=0.9`.
    var value: String {
        zip(languages, Self.weights).map { "\($0);q=\($1)" }.joined(separator: ", ")
    }

    /// Reads the languages that the user has set.
    ///
    /// The locale of messages is the first of `LC_ALL`, `LC_MESSAGES` and `LANG` that is not empty
    /// (POSIX.1 §8.2); `LANGUAGE` is a list that comes before it, unless that locale is `C`.
    /// Without any, the language is English, as in other programs.
    ///
    /// - Parameter environment: The variables of the process.
    init(environment: [String: String]) {
        let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        let main = locale.flatMap(Self.tag)
        let isC = locale != nil && main == nil
        let list = isC ? [] : (environment["LANGUAGE"] ?? "").split(separator: ":").compactMap { Self.tag(String($0)) }
        var languages: [String] = []
        for language in list + [main].compactMap({ $0 }) where !languages.contains(language) {
            languages.append(language)
        }
        self.languages = languages.isEmpty ? ["en"] : languages
    }

    /// The tag of a locale's name, `sr-Latn-RS` for `sr_RS.UTF-8@latin`; nil for `C`, `POSIX` and
    /// names without a language.
    private static func tag(_ locale: String) -> String? {
        let isASCII = locale.utf8.allSatisfy { $0 < 0x80 }
        let name = locale.prefix { $0 != "." && $0 != "@" }
        var parts = name.split(omittingEmptySubsequences: false) { $0 == "_" || $0 == "-" }.map(String.init)
        guard isASCII, name != "C", name != "POSIX",
            parts.allSatisfy({ (1...8).contains($0.utf8.count) && $0.allSatisfy { $0.isLetter || $0.isNumber } }),
            let language = parts.first, (2...3).contains(language.utf8.count), language.allSatisfy(\.isLetter)
        else { return nil }
        switch locale.split(separator: "@").dropFirst().first {
        case "latin": parts.insert("Latn", at: 1)
        case "cyrillic": parts.insert("Cyrl", at: 1)
        default: break
        }
        return parts.joined(separator: "-")
    }
}
