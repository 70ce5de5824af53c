/// Host, port and path of `http://host:port/path` or `https://host:port/path`.
struct NIOAddress: Sendable {
    /// A text that is not a URL of this form.
    struct Invalid: Error {}

    let host: String
    let port: Int
    let path: String

    init(_ url: String) throws {
        let parts = url.split(separator: "/", maxSplits: 2)
        let authority = parts.count >= 2 ? parts[1].split(separator: ":") : []
        guard authority.count == 2, let port = Int(authority[1]) else { throw Invalid() }
        host = String(authority[0])
        self.port = port
        path = parts.count == 3 ? "/" + parts[2] : "/"
    }
}
