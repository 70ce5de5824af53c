import FoundationEssentials
import NIOCore

/// What travels beside a request through interceptors and engine: the task's choices and its cancellation.
public struct ExchangeContext: Sendable {
    /// A session's configuration, made once and shared by all its contexts.
    final class Settings: Sendable {
        let configuration: SessionConfiguration

        init(_ configuration: SessionConfiguration) {
            self.configuration = configuration
        }
    }

    /// The request's life.
    let call: Call

    /// ``deadline`` by the clock of the event loops.
    let endsAt: NIODeadline?

    /// Whether nobody looks at the head before the body is there, so that the engine may hand over both at once.
    let collectsBody: Bool

    /// The identifier of the task, unique in its session.
    public var taskIdentifier: Int { call.identifier }

    /// The session's configuration.
    public var configuration: SessionConfiguration { settings.configuration }

    /// When the whole exchange must be over, by ``Timeouts/request``.
    public var deadline: ContinuousClock.Instant? {
        endsAt.map { .now + $0.since(.now()) }
    }

    /// Where single members of the configuration are read without a copy of all of it.
    var settings: Settings { call.core.settings }

    /// Makes the context of a task that belongs to no session: for testing interceptors and transports alone.
    ///
    /// - Parameter configuration: The configuration to show them. Default: the default configuration.
    public init(configuration: SessionConfiguration = SessionConfiguration()) {
        // Nobody sees or sends the request.
        let request = Request(url: URL(filePath: "/"))
        let core = SessionCore(configuration: configuration, transport: nil)
        self.init(call: Call(request, core: core, isStarted: true), endsAt: nil, collectsBody: false)
    }

    init(call: Call, endsAt: NIODeadline?, collectsBody: Bool) {
        self.call = call
        self.endsAt = endsAt
        self.collectsBody = collectsBody
    }
}
