import FoundationEssentials

/// A URL that was made of a text, with what the engine needs of it when it can be sent to.
struct ResolvedURL: Sendable {
    let url: URL
    let target: RequestTarget?

    init(_ url: URL) {
        self.url = url
        // What is wrong with a URL is said when the request is sent.
        target = try? RequestTarget(url)
    }
}
