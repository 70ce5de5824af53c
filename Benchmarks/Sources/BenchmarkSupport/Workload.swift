/// The workloads that a benchmark client can run. An option says whether the tasks run on the event
/// loop, and the URL whether the server uses TLS.
public enum Workload: String, Sendable, CaseIterable {
    /// Tiny GETs, one after the other.
    case sequential
    /// Tiny GETs from 64 tasks at once.
    case concurrent64 = "concurrent-64"
    /// 10,000 tiny GETs, all started at once.
    case queued10000 = "queued-10000"
    /// Tiny GETs over TLS, one after the other, each on a new connection.
    case tlsNew = "tls-new"
    /// A large body streamed and thrown away.
    case downloadNull = "download-null"
    /// 16 MiB streamed and thrown away, fetched anew and then from a cache where there is one.
    case downloadCached = "download-cached"
    /// A large body streamed to a file.
    case downloadFile = "download-file"
    /// A large file sent as a request body.
    case uploadFile = "upload-file"
    /// The file of ``uploadFile`` as a part of a multipart form.
    case uploadMultipart = "upload-multipart"
    /// A JSON document of about 100 KB decoded into `Codable` values.
    case json100k = "json-100k"
    /// 100 KB of flat records parsed into dynamic values, without network.
    case jsonValue = "json-value"
    /// The document of ``jsonValue`` decoded into `Codable` values.
    case jsonDecodable = "json-decodable"
    /// A document of escapes and text beyond ASCII, parsed into dynamic values.
    case jsonValueTexts = "json-value-texts"
    /// The document of ``jsonValueTexts`` decoded into `Codable` values.
    case jsonDecodableTexts = "json-decodable-texts"
    /// A document of small objects in objects, parsed into dynamic values.
    case jsonValueStructure = "json-value-structure"
    /// The document of ``jsonValueStructure`` decoded into `Codable` values.
    case jsonDecodableStructure = "json-decodable-structure"
    /// A document of doubles, parsed into dynamic values.
    case jsonValueDoubles = "json-value-doubles"
    /// The document of ``jsonValueDoubles`` decoded into `Codable` values.
    case jsonDecodableDoubles = "json-decodable-doubles"

    /// 48 nested parameters written as a query string, without network.
    case encodeQuery = "encode-query"
    /// A form of 20 texts and a file of 100 KB in memory written as multipart, without network.
    case encodeMultipart = "encode-multipart"
    /// The cookies of one request found among 10,000, without network.
    case cookies10000 = "cookies-10000"
    /// A photo of 12 megapixels decoded to a thumbnail, without network.
    case imageThumbnail = "image-thumbnail"
    /// Small messages that come back, over one WebSocket, a number of them on their way at a time.
    case webSocketEcho = "websocket-echo"

    /// Whether the workload reads a document from a file.
    var readsFile: Bool { isLocal && (rawValue.hasPrefix("json-") || self == .imageThumbnail) }

    /// Whether the workload needs no server and is run by ``SerializationRun``.
    public var isLocal: Bool {
        ["json-value", "json-decodable", "encode-", "cookies-", "image-"].contains { rawValue.hasPrefix($0) }
    }
}
