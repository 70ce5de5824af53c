import Hummingbird
import NIOCore

/// The context that Hummingbird gives with a request.
struct ExchangeContext: RequestContext {
    var coreContext: CoreRequestContextStorage

    /// The address the request came from.
    let origin: String

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        origin = source.channel.remoteAddress?.ipAddress ?? "localhost"
    }
}
