import HTTPTypes

/// What the engine tells of a request while it is under way, without any influence on how its body
/// is delivered: the place from which metrics, traces and records of the traffic are fed.
///
/// A hop is one sending of a request: a redirect, a retry of the engine's and a retry of an
/// interceptor's each begin another one.
struct HopEvent: Sendable {
    enum Kind: Sendable {
        /// The hop wants a connection.
        case began(SentRequest)
        /// A connection is being made for it. It may get another one, which becomes free sooner.
        case connecting(Route)
        case connectFailed(NetworkingError)
        /// A connection has it. The timings are those of the way there.
        case started(ExchangeTimings)
        /// The head of the response, or of one that another one follows.
        case received(ResponseHead)
        /// The response is complete.
        case ended(ExchangeTimings, Call.Counts)
        /// There are no timings when it ended otherwise than by its connection: cancelled, or
        /// without one.
        case failed(NetworkingError, ExchangeTimings?, Call.Counts)
    }

    /// Whoever is told, on the thread where it happens: no place to linger. May stop the task.
    typealias Observer = @Sendable (HopEvent) -> Void

    /// The task.
    let call: Call
    /// The number of the hop in its task, from 1.
    let hop: Int
    let kind: Kind
}
