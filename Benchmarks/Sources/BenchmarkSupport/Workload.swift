/// The jobs that a client of the benchmarks is given. Whether the tasks run on the event loop, and
/// whether the server speaks TLS, is told apart from that, by an option and by the URL.
public enum Workload: String, Sendable, CaseIterable {
    /// Tiny GETs, one after the other.
    case sequential
    /// Tiny GETs from 64 tasks at once.
    case concurrent64 = "concurrent-64"
    /// 10,000 tiny GETs, all started at once.
    case queued10000 = "queued-10000"
    /// Tiny GETs over TLS, one after the other, each on a connection of its own.
    case tlsNew = "tls-new"
    /// A large body streamed and thrown away.
    case downloadNull = "download-null"
    /// A large body streamed to a file.
    case downloadFile = "download-file"
    /// A large file sent as a request body.
    case uploadFile = "upload-file"
    /// The same file as a part of a multipart form.
    case uploadMultipart = "upload-multipart"
    /// A JSON document of about 100 KB decoded into `Codable` values.
    case json100k = "json-100k"
    /// 100 KB of flat records parsed into dynamic values, without network.
    case jsonValue = "json-value"
    /// The same document decoded into `Codable` values.
    case jsonDecodable = "json-decodable"
    /// A document of escapes and text beyond ASCII, parsed.
    case jsonValueTexts = "json-value-texts"
    /// The same document decoded.
    case jsonDecodableTexts = "json-decodable-texts"
    /// A document of small objects in objects, parsed.
    case jsonValueStructure = "json-value-structure"
    /// The same document decoded.
    case jsonDecodableStructure = "json-decodable-structure"
    /// A document of doubles, parsed.
    case jsonValueDoubles = "json-value-doubles"
    /// The same document decoded.
    case jsonDecodableDoubles = "json-decodable-doubles"

    /// 48 nested parameters written as a query string, without network.
    case encodeQuery = "encode-query"
    /// A form of 20 texts and a file of 100 KB in memory written as multipart, without network.
    case encodeMultipart = "encode-multipart"

    /// Whether it reads a document from a file.
    var readsFile: Bool { isLocal && !rawValue.hasPrefix("encode-") }

    /// Whether it needs no server: a ``SerializationRun``.
    public var isLocal: Bool {
        ["json-value", "json-decodable", "encode-"].contains { rawValue.hasPrefix($0) }
    }
}
