import ArgumentParser
import Bluebonnet

/// The choices `--http1.1`, `--http2` and `--http2-prior-knowledge`, as curl has them.
enum VersionOption: EnumerableFlag {
    case http1
    case http2
    case priorKnowledge

    static func name(for value: VersionOption) -> NameSpecification {
        switch value {
        case .http1: .customLong("http1.1")
        case .http2: .customLong("http2")
        case .priorKnowledge: .customLong("http2-prior-knowledge")
        }
    }

    static func help(for value: VersionOption) -> ArgumentHelp? {
        switch value {
        case .http1: "Speak HTTP/1.1 only. (default: HTTP/2 too where an https server speaks it)"
        case .http2: "Speak HTTP/2 only with https servers."
        case .priorKnowledge: "Speak HTTP/2 only, also with http servers, which must speak it."
        }
    }

    /// The setting of a session.
    var policy: HTTPVersionPolicy {
        switch self {
        case .http1: .http1_1
        case .http2: .http2
        case .priorKnowledge: .http2PriorKnowledge
        }
    }
}
