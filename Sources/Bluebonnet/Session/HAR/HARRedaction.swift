package import FoundationEssentials
import HTTPTypes

extension URL {
    /// The URL without user, password, fragment, and the values of query parameters whose names are
    /// those of secrets.
    package var textWithoutSecrets: String {
        plainText ?? HARRedaction(HAROptions()).url(self)
    }
}

/// What an archive does not show.
struct HARRedaction {
    private let redactsSecrets: Bool
    private let names: Set<String>

    init(_ options: HAROptions) {
        redactsSecrets = options.redactsSecrets
        names = Set(options.redactedNames.map { $0.lowercased() })
    }

    private func contains(_ name: String) -> Bool {
        redactsSecrets && SecretNames.contains(name) || names.contains(name.lowercased())
    }

    /// The value of a header field; the scheme of credentials stays.
    func field(_ name: String, _ value: String) -> String {
        guard contains(name) else {
            return Self.urlFields.contains(name.lowercased()) ? URL(string: value).map(url) ?? text(value) : text(value)
        }
        guard let fieldName = HTTPField.Name(name), SecretNames.contains(name) else {
            return SecretNames.replacement
        }
        return SecretNames.redacted(HTTPField(name: fieldName, value: value))
    }

    /// The fields whose values are URLs.
    private static let urlFields: Set = ["location", "content-location", "referer"]

    /// The value of a cookie in a header field.
    func cookie(_ value: String, in field: HTTPField.Name) -> String {
        contains(field.rawName) ? SecretNames.replacement : value
    }

    /// The name and the value of each pair of a query or a form, without its encoding.
    static func pairs(in text: some StringProtocol) -> [(name: String, value: String)] {
        text.utf8.split(separator: UInt8(ascii: "&")).map { pair in
            let parts = pair.split(
                separator: UInt8(ascii: "="),
                maxSplits: 1,
                omittingEmptySubsequences: false
            )
            return (
                SecretNames.name(encoded: parts[0]),
                parts.count > 1 ? SecretNames.name(encoded: parts[1]) : ""
            )
        }
    }

    /// A URL, without its fragment, which is not sent.
    func url(_ url: URL) -> String {
        var shown = String(url.absoluteString.prefix { $0 != "#" })
        if redactsSecrets, url.user != nil || url.password != nil,
            var components = URLComponents(string: shown)
        {
            (components.user, components.password) = (nil, nil)
            shown = components.string ?? shown
        }
        return text(shown)
    }

    /// A text that may have URLs and parameters in it.
    private func text(_ text: String) -> String {
        SecretText(hidesUsers: redactsSecrets, isSecret: contains).hidden(in: text)
    }

    /// A body in memory; nil where secrets may be in it that cannot be found.
    func body(_ body: Data, fields: HTTPFields, isDecoded: Bool = false) -> Data? {
        guard redactsSecrets || !names.isEmpty else { return body }
        // Only a form that is known part by part is searched.
        if SecretNames.mediaType(fields[.contentType] ?? "").hasPrefix("multipart/") { return nil }
        return SecretNames.redacted(body, fields: fields, isDecoded: isDecoded, isSecret: contains)
    }

    /// The bytes of a multipart form.
    func body(_ form: MultipartFormData) -> Data? {
        guard redactsSecrets || !names.isEmpty else { return form.bytes() }
        return CurlForm.redacted(form, isSecret: contains).bytes()
    }
}
