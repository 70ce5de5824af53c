/// The media types of files by their names.
enum MediaType {
    private static let types = [
        "css": "text/css", "csv": "text/csv", "gif": "image/gif", "gz": "application/gzip", "htm": "text/html",
        "html": "text/html", "jpeg": "image/jpeg", "jpg": "image/jpeg", "js": "text/javascript",
        "json": "application/json", "md": "text/markdown", "mp4": "video/mp4", "pdf": "application/pdf",
        "png": "image/png", "svg": "image/svg+xml", "tar": "application/x-tar", "txt": "text/plain",
        "wasm": "application/wasm", "webp": "image/webp", "xml": "application/xml", "zip": "application/zip",
    ]

    /// The type of a file by its name, or nil; the request then has no `Content-Type`.
    static func ofFile(atPath path: String) -> String? {
        let name = path.split(separator: "/").last ?? ""
        guard let dot = name.lastIndex(of: ".") else { return nil }
        return types[name[name.index(after: dot)...].lowercased()]
    }

    /// The type and subtype of a `Content-Type` in lower case, without parameters; nil without one.
    static func name(of contentType: String) -> String? {
        let name = HeaderValue.trimmed(String(contentType.prefix { $0 != ";" && $0 != "," })).lowercased()
        return name.isEmpty ? nil : name
    }

    /// Whether bodies of this type are JSON: `application/json`, and every type with the suffix
    /// `+json` (RFC 6839 §3.1).
    static func isJSON(_ type: String?) -> Bool {
        guard let type else { return false }
        return type == "application/json" || type == "text/json" || type.hasSuffix("+json")
    }
}
