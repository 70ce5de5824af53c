import FoundationEssentials
import NIOCore

/// The settings of all calls of a session: made once, and shared by them.
final class SessionSettings: Sendable {
    let configuration: SessionConfiguration
    /// The names of its hosts.
    let names: NameLookups
    /// Its timeouts as the engine counts.
    let timeouts: ExchangeTimeouts
    /// Those who learn what came of each task.
    let observers: [any TaskObserver]
    /// Those of them who learn of each request that is sent, too.
    let transactionObservers: [any TransactionObserver]
    /// The hooks of the session; nil where none is set.
    let hooks: (any CallHooks)?

    init(_ configuration: SessionConfiguration) {
        self.configuration = configuration
        names = NameLookups(configuration.nameResolver.source)
        timeouts = ExchangeTimeouts(configuration.timeouts)
        observers = configuration.observers
        transactionObservers = observers.compactMap { $0 as? any TransactionObserver }
        hooks = configuration.callHooks
    }
}

/// The companion of a request on its way through interceptors and engine: the task's choices and
/// its cancellation.
///
/// Counterpart of Alamofire's `RequestAdapterState`.
public struct ExchangeContext: Sendable {
    /// The call that the request belongs to.
    let call: Call

    /// The time at which a whole exchange must be over, by both clocks. A class, because the size
    /// of an `Instant` is known at run time only, and few requests have one.
    final class End: Sendable {
        let instant: ContinuousClock.Instant
        let deadline: NIODeadline

        init(after time: Duration) {
            instant = .now + time
            deadline = .now().advanced(by: time)
        }
    }

    let end: End?

    /// The context of a request of its own that is a part of this task, with the same deadline.
    func forPart(_ call: Call) -> ExchangeContext {
        ExchangeContext(call: call, end: end, collectsBody: false)
    }

    /// The same context for one request of a resumable upload, whose informational responses are
    /// wanted. It offers nothing by itself.
    func forPart(ofUpload interim: InterimResponses) -> ExchangeContext {
        ExchangeContext(call: call, end: end, collectsBody: collectsBody, wasSecure: wasSecure, interim: interim)
    }

    /// The same context for a hop of a redirect.
    func forHop(wasSecure: Bool) -> ExchangeContext {
        ExchangeContext(call: call, end: end, collectsBody: collectsBody, wasSecure: wasSecure, interim: interim)
    }

    /// ``deadline`` by the clock of the event loops.
    var endsAt: NIODeadline? { end?.deadline }

    /// Whether the head is not read before the body is there, so that the engine may hand over both
    /// at once.
    let collectsBody: Bool

    /// Collects the body of the response, where that is a part of an attempt; nil where nobody
    /// wants it, or it is read as it comes.
    let wholeBody: WholeBody?

    /// Whether this hop, or one from which a redirect has led to it, is by `https`. Known after a
    /// redirect only.
    let wasSecure: Bool

    /// Takes the informational responses; nil where nobody wants them before the response.
    let interim: InterimResponses?

    /// The identifier of the task, unique in its session.
    public var taskIdentifier: Int { call.identifier }

    /// The session's configuration.
    public var configuration: SessionConfiguration { settings.configuration }

    /// The time at which the whole exchange must be over, by ``Timeouts/request``.
    public var deadline: ContinuousClock.Instant? { end?.instant }

    /// Stops the task, because the time of the whole exchange is over.
    func timeOut(_ request: Request) {
        let time = request.effectiveTimeouts(over: settings.timeouts).request.duration
        call.stop(
            NetworkingError(.requestTimeout, "\(request) was not complete within \(time.sentence).", request: request)
        )
    }

    /// The session's settings, whose members are read without a copy of the whole configuration.
    var settings: SessionSettings { call.settings }

    /// Makes the context of a task that belongs to no session: for testing interceptors and
    /// transports alone.
    ///
    /// - Parameter configuration: The configuration to show them. Default: the default
    ///   configuration.
    public init(configuration: SessionConfiguration = SessionConfiguration()) {
        // The request is neither shown nor sent.
        let request = Request(url: URL(filePath: "/"))
        let settings = SessionSettings(configuration)
        let call = Call(request, identifier: 1, settings: settings, owner: nil, isStarted: true)
        self.init(call: call, end: nil, collectsBody: false)
    }

    init(
        call: Call,
        end: End?,
        collectsBody: Bool,
        wholeBody: WholeBody? = nil,
        wasSecure: Bool = false,
        interim: InterimResponses? = nil
    ) {
        self.call = call
        self.wholeBody = wholeBody
        self.interim = interim
        self.end = end
        self.collectsBody = collectsBody
        self.wasSecure = wasSecure
    }
}
