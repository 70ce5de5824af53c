/// The page at `/`: each endpoint with its parameters, and an example to click.
enum EndpointGuide {
    /// What is written about an endpoint.
    struct Entry: Sendable {
        /// The path, as its ``Endpoint`` has it.
        var path: String
        /// The method; nil for any.
        var method: String? = "GET"
        /// The parameters of the query, such as `count=10`.
        var query: String?
        /// A path with values for the parameters, to be opened in a browser; nil for the path.
        var example: String?
        /// The body that the page sends with a method other than GET: JSON, or the text of a form.
        var body: String?
        var text: String
    }

    /// The entries in their order.
    static let sections: [(title: String, entries: [Entry])] = [
        ("The request, sent back", echo), ("Status and redirects", status), ("Authentication and cookies", access),
        ("Documents, codings and caches", documents), ("Slow and long responses", streams),
        ("Faults", faults), ("A small service", service),
    ]

    private static let echo: [Entry] = [
        Entry(path: "get", text: "Query, headers, address and URL as JSON."),
        Entry(path: "post", method: "POST", body: "name=Ada", text: "The same with the body: text, JSON, form, files."),
        Entry(path: "put", method: "PUT", body: "name=Ada", text: "As /post."),
        Entry(path: "patch", method: "PATCH", body: "name=Ada", text: "As /post."),
        Entry(path: "delete", method: "DELETE", text: "As /post."),
        Entry(path: "anything/**", method: nil, example: "anything/a/b?c=d", text: "As /post, for any method."),
        Entry(path: "headers", text: "The header fields."),
        Entry(path: "ip", text: "The address of the client."),
        Entry(path: "user-agent", text: "The User-Agent field."),
        Entry(path: "protocol", method: nil, text: "The version of HTTP, and the stream of HTTP/2."),
        Entry(path: "websocket", text: "A WebSocket over HTTP/1.1, which sends messages back."),
        Entry(path: "sink", method: "POST, PUT", body: "name=Ada", text: "Length and SHA-256 of a body of any length."),
    ]

    private static let status: [Entry] = [
        Entry(
            path: "status/:codes",
            method: nil,
            example: "status/418",
            text: "A response with this status, or with one of 200,500, or with weights: 200:3,500:1."
        ),
        Entry(path: "redirect/:n", query: "absolute=true", example: "redirect/3", text: "So many redirects to /get."),
        Entry(path: "relative-redirect/:n", example: "relative-redirect/3", text: "The same with paths."),
        Entry(path: "absolute-redirect/:n", example: "absolute-redirect/3", text: "The same with whole URLs."),
        Entry(
            path: "redirect-to",
            method: nil,
            query: "url=/get&status_code=307",
            text: "A redirect to any URL, with any status of 3xx."
        ),
    ]

    private static let access: [Entry] = [
        Entry(path: "basic-auth/:user/:password", method: nil, example: "basic-auth/ada/secret", text: "Basic."),
        Entry(
            path: "hidden-basic-auth/:user/:password",
            method: nil,
            example: "hidden-basic-auth/ada/secret",
            text: "Basic; 404 in place of 401."
        ),
        Entry(path: "bearer", method: nil, text: "Any bearer token."),
        Entry(
            path: "digest-auth/:qop/:user/:password",
            method: nil,
            example: "digest-auth/auth/ada/secret",
            text: "Digest with MD5; qop is auth or auth-int."
        ),
        Entry(
            path: "digest-auth/:qop/:user/:password/:algorithm",
            method: nil,
            example: "digest-auth/auth/ada/secret/SHA-256",
            text: "Digest with MD5, SHA-256 or SHA-512."
        ),
        Entry(
            path: "digest-auth/:qop/:user/:password/:algorithm/:stale",
            method: nil,
            example: "digest-auth/auth/ada/secret/MD5/2",
            text: "The same; a nonce is stale after so many requests, or never."
        ),
        Entry(path: "cookies", text: "The cookies of the request."),
        Entry(path: "cookies/set", query: "name=value", example: "cookies/set?a=1", text: "Sets cookies."),
        Entry(path: "cookies/set/:name/:value", example: "cookies/set/a/1", text: "Sets a cookie."),
        Entry(path: "cookies/delete", query: "name", example: "cookies/delete?a", text: "Deletes cookies."),
    ]

    private static let documents: [Entry] = [
        Entry(path: "json", text: "JSON."), Entry(path: "xml", text: "XML."), Entry(path: "html", text: "HTML."),
        Entry(path: "robots.txt", text: "Rules for robots."),
        Entry(path: "deny", text: "What these rules forbid."),
        Entry(path: "image", text: "A PNG."), Entry(path: "image/png", text: "The same."),
        Entry(path: "encoding/utf8", text: "A text in many scripts."),
        Entry(path: "base64/:text", example: "base64/Qmx1ZWJvbm5ldA", text: "The text behind Base64."),
        Entry(path: "uuid", text: "A new UUID."),
        Entry(path: "gzip", text: "JSON with Content-Encoding: gzip."),
        Entry(path: "deflate", text: "JSON with Content-Encoding: deflate."),
        Entry(path: "brotli", text: "JSON with Content-Encoding: br."),
        Entry(path: "zstd", text: "JSON with Content-Encoding: zstd."),
        Entry(path: "etag/:tag", example: "etag/x", text: "An entity tag, and 304 for If-None-Match."),
        Entry(path: "cache", text: "304 for any conditional request."),
        Entry(path: "cache/:seconds", example: "cache/60", text: "Cache-Control: max-age."),
        Entry(
            path: "response-headers",
            method: "GET, POST",
            query: "name=value",
            example: "response-headers?X-A=1",
            text: "These header fields."
        ),
        Entry(path: "trailers", query: "name=value", example: "trailers?X-A=1", text: "These trailer fields."),
    ]

    private static let streams: [Entry] = [
        Entry(path: "delay/:seconds", method: nil, example: "delay/1", text: "As /post, after up to 10 seconds."),
        Entry(
            path: "drip",
            query: "numbytes=10&duration=2&delay=0&code=200",
            text: "Bytes, spread over a time, after a delay."
        ),
        Entry(path: "bytes/:n", query: "seed=1&chunk_size=1024", example: "bytes/64", text: "Random bytes."),
        Entry(
            path: "stream-bytes/:n",
            query: "seed=1&chunk_size=1024",
            example: "stream-bytes/64",
            text: "Random bytes without a length."
        ),
        Entry(path: "stream/:n", example: "stream/3", text: "Up to 100 lines of JSON."),
        Entry(
            path: "range/:n",
            query: "chunk_size=1024&duration=0",
            example: "range/26",
            text: "Letters; byte ranges, an entity tag and a date."
        ),
        Entry(
            path: "sse",
            query: "count=10&delay=0.5",
            text: "Server-sent events, which go on behind Last-Event-ID."
        ),
    ]

    private static let faults: [Entry] = [
        Entry(path: "fault/reset", method: nil, text: "Resets the connection without a response."),
        Entry(
            path: "fault/reset/:bytes",
            method: nil,
            query: "chunked",
            example: "fault/reset/5",
            text: "Resets it after so many bytes of the body, of which more were announced."
        ),
        Entry(path: "fault/close", method: nil, text: "Closes the connection without a response."),
        Entry(
            path: "fault/truncate/:bytes",
            method: nil,
            query: "chunked",
            example: "fault/truncate/5",
            text: "Closes it after so many bytes of the body, of which more were announced."
        ),
        Entry(
            path: "fault/stall/:seconds",
            method: nil,
            example: "fault/stall/5",
            text: "Half of a body, and the other half after a pause of up to an hour."
        ),
        Entry(path: "fault/hang", method: nil, text: "No response, until the client closes the connection."),
        Entry(path: "fault/garbage", method: nil, text: "Bytes that are not HTTP."),
        Entry(path: "fault/chunk", method: nil, text: "A chunk whose size is not a number."),
        Entry(path: "fault/lengths", method: nil, text: "Two different Content-Length fields."),
    ]

    private static let service: [Entry] = [
        Entry(
            path: "v1/token",
            method: "POST",
            body: "grant_type=password&username=ada&password=secret",
            text: "Tokens by OAuth 2.0: the user is ada, the password secret."
        ),
        Entry(path: "v1/revoke", method: "POST", body: "token=x", text: "Ends a token."),
        Entry(path: "v1/profile", text: "The user of a token."),
        Entry(path: "v1/users", method: "GET, POST", query: "page=1", text: "Users in pages; POST makes one."),
        Entry(path: "v1/users/:id", method: "GET, DELETE", example: "v1/users/1", text: "A user."),
        Entry(
            path: "v1/chat/completions",
            method: "POST",
            body: #"{"messages": [{"role": "user", "content": "Hello"}]}"#,
            text: "A chat, as events where \"stream\" is true."
        ),
        Entry(path: "v1/pictures", query: "count=100", text: "A list of pictures."),
        Entry(
            path: "v1/pictures/:name",
            query: "width=320",
            example: "v1/pictures/1.png",
            text: "A picture, which is the same each time."
        ),
    ]
}
