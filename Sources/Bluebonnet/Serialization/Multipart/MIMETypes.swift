import NIOCore

/// MIME types by the extension of a file name, from the system's shared tables.
struct MIMETypes: Sendable {
    /// The type of a file of an unknown type.
    static let unknown = "application/octet-stream"

    /// The tables of this system, read once, when they are first needed.
    static let system = MIMETypes(
        mimeTypes: contents(of: "/etc/mime.types"),
        globs: contents(of: "/usr/share/mime/globs2")
    )

    /// Types by extension, in lower case, without the dot in front: `gz`, `tar.gz`.
    private var types: [String: String]

    /// The greatest number of dots in an extension.
    private var depth = 0

    /// Reads tables. The first table that has an extension decides; the built-in one comes last.
    ///
    /// - Parameters:
    ///   - mimeTypes: The text of `/etc/mime.types`: a type and its extensions on a line.
    ///   - globs: The text of `/usr/share/mime/globs2`: `weight:type:glob`, the heaviest first, and
    ///     of equals the first.
    init(mimeTypes: String, globs: String) {
        types = [:]
        for line in mimeTypes.utf8.split(separator: UInt8(ascii: "\n")) {
            let words = line.prefix { $0 != UInt8(ascii: "#") }.split { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
            guard words.count > 1, let type = String(words[0]) else { continue }
            for word in words.dropFirst() { add(type, word) }
        }
        for line in globs.utf8.split(separator: UInt8(ascii: "\n")) where line.first != UInt8(ascii: "#") {
            let fields = line.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
            guard fields.count >= 3, let type = String(fields[1]), let end = Self.end(ofGlob: fields[2]) else {
                continue
            }
            add(type, end)
        }
        for (type, ends) in Self.builtIn {
            for end in ends { add(type, end.utf8[...]) }
        }
    }

    /// The type of a file with this name.
    ///
    /// - Parameter name: The file name. A dot at its beginning hides the file and begins no
    ///   extension.
    /// - Returns: The type of the longest extension that is known, in any case; else
    ///   `application/octet-stream`.
    func type(ofFileNamed name: String) -> String {
        let parts = name.lowercased().drop { $0 == "." }.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count > 1 else { return Self.unknown }
        for count in stride(from: min(depth, parts.count - 1), to: 0, by: -1) {
            if let type = types[parts.suffix(count).joined(separator: ".")] { return type }
        }
        return Self.unknown
    }

    private mutating func add(_ type: String, _ end: Substring.UTF8View) {
        guard let end = String(end)?.lowercased(), !end.isEmpty, types[end] == nil else { return }
        types[end] = type
        depth = max(depth, end.count { $0 == "." } + 1)
    }

    /// The `end` of a glob `*.end`; nil for other globs.
    private static func end(ofGlob glob: Substring.UTF8View) -> Substring.UTF8View? {
        guard glob.starts(with: "*.".utf8) else { return nil }
        let end = glob.dropFirst(2)
        return end.contains(where: { "*?[".utf8.contains($0) }) ? nil : end
    }

    /// The text of a table; empty where there is none.
    private static func contents(of path: String) -> String {
        var text = ByteBuffer()
        guard let file = try? SystemFile(reading: path) else { return "" }
        while var block = try? file.read(upTo: 1 << 18) { text.writeBuffer(&block) }
        return String(buffer: text)
    }
}

extension MIMETypes {
    /// The types that are uploaded most, for systems without tables.
    static let builtIn: KeyValuePairs<String, [String]> = [
        "application/gzip": ["gz"],
        "application/json": ["json"],
        "application/msword": ["doc"],
        "application/pdf": ["pdf"],
        "application/vnd.ms-excel": ["xls"],
        "application/vnd.ms-powerpoint": ["ppt"],
        "application/vnd.oasis.opendocument.spreadsheet": ["ods"],
        "application/vnd.oasis.opendocument.text": ["odt"],
        "application/vnd.openxmlformats-officedocument.presentationml.presentation": ["pptx"],
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": ["xlsx"],
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ["docx"],
        "application/wasm": ["wasm"],
        "application/x-7z-compressed": ["7z"],
        "application/x-bzip2": ["bz2"],
        "application/x-tar": ["tar"],
        "application/x-xz": ["xz"],
        "application/xml": ["xml"],
        "application/yaml": ["yaml", "yml"],
        "application/zip": ["zip"],
        "application/zstd": ["zst"],
        "audio/flac": ["flac"],
        "audio/mp4": ["m4a"],
        "audio/mpeg": ["mp3"],
        "audio/ogg": ["ogg", "oga", "opus"],
        "audio/x-wav": ["wav"],
        "font/otf": ["otf"],
        "font/ttf": ["ttf"],
        "font/woff": ["woff"],
        "font/woff2": ["woff2"],
        "image/avif": ["avif"],
        "image/bmp": ["bmp"],
        "image/gif": ["gif"],
        "image/heic": ["heic"],
        "image/jpeg": ["jpg", "jpeg"],
        "image/png": ["png"],
        "image/svg+xml": ["svg"],
        "image/tiff": ["tif", "tiff"],
        "image/vnd.microsoft.icon": ["ico"],
        "image/webp": ["webp"],
        "text/calendar": ["ics"],
        "text/css": ["css"],
        "text/csv": ["csv"],
        "text/html": ["html", "htm"],
        "text/javascript": ["js", "mjs"],
        "text/markdown": ["md"],
        "text/plain": ["txt", "text", "log"],
        "text/vcard": ["vcf"],
        "video/mp4": ["mp4"],
        "video/mpeg": ["mpeg", "mpg"],
        "video/ogg": ["ogv"],
        "video/quicktime": ["mov"],
        "video/webm": ["webm"],
        "video/x-matroska": ["mkv"],
    ]
}
