/// The jobs that a client of the benchmarks is given.
public enum Workload: String, Sendable, CaseIterable {
    /// Tiny GETs, one after the other.
    case sequential
    /// Tiny GETs, one after the other, from a task that runs on the event loop.
    case sequentialOnLoop = "sequential-on-loop"
    /// Tiny GETs from 64 tasks at once.
    case concurrent64 = "concurrent-64"
    /// Tiny GETs from 64 tasks at once that run on the event loop.
    case concurrent64OnLoop = "concurrent-64-on-loop"
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
