import FoundationEssentials
import Synchronization

/// A URL that was made of a text, with what the engine needs of it when it can be sent to.
struct ResolvedURL: Sendable {
    let url: URL
    let target: RequestTarget?

    init(_ url: URL) {
        self.url = url
        // What is wrong with a URL is said when the request is sent.
        target = try? RequestTarget(url)
    }

    /// The URLs that a manager made last, by the text they were asked for with: programs ask for few paths, many times.
    ///
    /// Parsing a URL and taking it apart costs a ninth of a small request. Texts are short, since long ones come from data and
    /// seldom come again.
    final class Cache: Sendable {
        static let capacity = 64
        static let longestText = 256

        private let entries = Mutex<[String: ResolvedURL]>([:])

        /// The URL of a text, made once.
        func resolved(
            _ text: String,
            _ make: () throws(NetworkingError) -> ResolvedURL
        ) throws(NetworkingError) -> ResolvedURL {
            guard text.utf8.count <= Self.longestText else { return try make() }
            if let known = entries.withLock({ $0[text] }) { return known }
            let made = try make()
            entries.withLock { entries in
                // All go at once: keeping an order would cost more than what it saves.
                if entries.count >= Self.capacity { entries.removeAll(keepingCapacity: true) }
                entries[text] = made
            }
            return made
        }

        var count: Int { entries.withLock { $0.count } }
    }
}
