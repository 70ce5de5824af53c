/// The page at `/`: each endpoint with its parameters, and an example to click where that is
/// possible.
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
        Entry(path: "post", method: "POST", text: "The same with the body: text, JSON, form, files."),
        Entry(path: "put", method: "PUT", text: "As /post."),
        Entry(path: "patch", method: "PATCH", text: "As /post."),
        Entry(path: "delete", method: "DELETE", text: "As /post."),
        Entry(path: "anything/**", method: nil, example: "anything/a/b?c=d", text: "As /post, for any method."),
        Entry(path: "headers", text: "The header fields."),
        Entry(path: "ip", text: "The address of the client."),
        Entry(path: "user-agent", text: "The User-Agent field."),
        Entry(path: "protocol", method: nil, text: "The version of HTTP, and the stream of HTTP/2."),
        Entry(path: "websocket", text: "A WebSocket, over HTTP/1.1: its messages."),
        Entry(path: "sink", method: "POST, PUT", text: "Length and SHA-256 of a body of any length."),
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
        Entry(path: "v1/token", method: "POST", text: "Tokens by OAuth 2.0: the user is ada, the password secret."),
        Entry(path: "v1/revoke", method: "POST", text: "Ends a token."),
        Entry(path: "v1/profile", text: "The user of a token."),
        Entry(path: "v1/users", method: "GET, POST", query: "page=1", text: "Users in pages; POST makes one."),
        Entry(path: "v1/users/:id", method: "GET, DELETE", example: "v1/users/1", text: "A user."),
        Entry(path: "v1/chat/completions", method: "POST", text: "A chat, as events where \"stream\" is true."),
        Entry(path: "v1/pictures", query: "count=100", text: "A list of pictures."),
        Entry(
            path: "v1/pictures/:name",
            query: "width=320",
            example: "v1/pictures/1.png",
            text: "A picture, which is the same each time."
        ),
    ]

    /// The page.
    static let page: String = {
        let content = sections.map { section in
            "<h2>\(section.title)</h2>\n<table>\n\(section.entries.map(row).joined())</table>\n"
        }
        .joined()
        return """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width">
            <title>bluebonnet serve</title>
            <style>
            :root { color-scheme: light dark; }
            body { font: 16px/1.5 system-ui, sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em; }
            h1 { font-size: 1.5em; } h2 { font-size: 1.1em; margin-top: 1.5em; }
            table { border-collapse: collapse; width: 100%; }
            td { padding: .2em 1em .2em 0; vertical-align: top; border-top: 1px solid #8884; }
            td:first-child { width: 7em; color: #888; }
            td:nth-child(2) { width: 26em; }
            code { overflow-wrap: anywhere; }
            </style>
            </head>
            <body>
            <h1>bluebonnet serve</h1>
            <p>A server to try HTTP clients on. <code>:name</code> is a part of the path to fill in, and what
            follows <code>?</code> may be left out. Each path accepts HEAD where it accepts GET, and OPTIONS.</p>
            \(content)</body>
            </html>

            """
    }()

    private static func row(_ entry: Entry) -> String {
        let query = entry.query.map { "?" + $0 } ?? ""
        let shown = "<code>/\(escaped(entry.path.replacing("**", with: "…") + query))</code>"
        let opens = entry.method.map { $0.hasPrefix("GET") } ?? true
        let target = entry.example ?? entry.path + query
        let path = opens ? "<a href=\"/\(escaped(target))\">\(shown)</a>" : shown
        return "<tr><td>\(entry.method ?? "any")</td><td>\(path)</td><td>\(escaped(entry.text))</td></tr>\n"
    }

    /// The text for HTML, also in attributes.
    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&quot;")
    }
}
