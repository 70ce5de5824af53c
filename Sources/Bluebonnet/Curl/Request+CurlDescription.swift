extension Request {
    /// The request as a command for curl that can be pasted into a POSIX shell and sends what the engine sends.
    ///
    /// What curl would add of its own (`Accept`, `User-Agent`, a `Content-Type`, `Expect`) is taken out again where the request lacks
    /// it. No text leaves its quotes: the shell passes on the bytes of the request, and runs nothing but curl, `printf` and `base64`. Control
    /// characters and bytes that are not UTF-8 are written as octal numbers, so that a terminal takes none for a key; NUL, which no
    /// word can hold, is only in bodies that are piped in.
    ///
    /// Text in memory stands in the command, other bytes are piped in as base64, files are named; a multipart form becomes `--form`
    /// options, with a boundary of curl's, where curl can make all of its parts. Of a body above 1 MiB or from a
    /// sequence a comment says that it has to be given on standard input. Timeouts and redirects are in it when the request brings
    /// them itself; what a session adds (``SessionConfiguration/additionalHeaderFields``, interceptors, `Accept-Encoding`) is not: ask
    /// ``SessionTask/currentRequest`` for the request that was sent.
    ///
    /// User and password of the URL are never in it, because the engine does not send them.
    ///
    /// - Parameter redacting: Whether secrets are replaced by `REDACTED`: the values of `Authorization` (its scheme stays),
    ///   `Proxy-Authorization`, `Cookie` and `Set-Cookie`; and those of header fields, query parameters, fields and parts of forms, and members of JSON
    ///   bodies whose names say that they are secrets, such as `password`, `api_key`, `X-Auth-Token`, `user[pin]`, `signature`. Default: true. A
    ///   secret under another name, in plain text or in a path is not recognized.
    /// - Returns: The command, over several lines.
    public func curlDescription(redacting: Bool = true) -> String {
        CurlCommand(self, redacting: redacting).text
    }
}
