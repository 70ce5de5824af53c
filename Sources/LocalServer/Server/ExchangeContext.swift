import Hummingbird
import NIOCore

/// What Hummingbird knows of a request beside the request itself.
struct ExchangeContext: RequestContext {
    var coreContext: CoreRequestContextStorage

    /// The address the request came from.
    let origin: String

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        origin = source.channel.remoteAddress?.ipAddress ?? "localhost"
    }
}
