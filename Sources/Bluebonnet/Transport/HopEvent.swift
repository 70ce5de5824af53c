import HTTPTypes

/// An event of a request that is under way, for metrics, traces and records of the traffic. It does
/// not change how the body is delivered.
///
/// Each sending of a request counts as a hop here: a redirect, a retry by the engine and a retry by
/// an interceptor each begin another one.
struct HopEvent: Sendable {
    enum Kind: Sendable {
        /// The hop needs a connection.
        case began(SentRequest)
        /// A connection is being made for it. It may get another one, which becomes free sooner.
        case connecting(Route)
        case connectFailed(NetworkingError)
        /// A connection sends it. The timings are those until then.
        case started(ExchangeTimings)
        /// The head of the final response, or of an informational one.
        case received(ResponseHead)
        /// The response is complete.
        case ended(ExchangeTimings, Call.Counts)
        /// There are no timings when it was cancelled, or ended without a connection.
        case failed(NetworkingError, ExchangeTimings?, Call.Counts)
    }

    /// Called on the thread of the event, and so it must return soon. It may stop the task.
    typealias Observer = @Sendable (HopEvent) -> Void

    /// The task.
    let call: Call
    /// The number of the hop in its task, from 1.
    let hop: Int
    let kind: Kind
}
