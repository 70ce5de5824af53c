/// The most retries of a session, as a part of its requests: a server that fails gets little more
/// load than one that works, however many clients retry.
///
/// Within each ``window`` there are at most so many retries as ``ratio`` of the requests and
/// ``minimumPerSecond`` allow. A request that would exceed that is not sent again: its response or
/// its error goes to the caller. Requests count that a ``RetryPolicy`` or a ``Retrier`` is for.
///
/// No counterpart in AFNetworking or Alamofire; after the retry budgets of Finagle and the retry
/// throttling of gRPC.
public struct RetryBudget: Sendable, Hashable {
    /// The retries for each request. Default: 0.1, one retry for ten requests. Less than zero
    /// counts as zero, more than 1000 as 1000.
    public var ratio = 0.1

    /// The retries for each second, so that a session with few requests has some too. Default: 10.
    /// Less than zero counts as zero, more than a million as a million.
    public var minimumPerSecond = 10.0

    /// The time over which both are counted. Default: 10 seconds. From 1 second to a day.
    public var window = Duration.seconds(10)

    /// Makes the default budget.
    public init() {}

    /// Makes a budget.
    ///
    /// - Parameters:
    ///   - ratio: The retries for each request.
    ///   - minimumPerSecond: The retries for each second. Default: 10.
    ///   - window: The time over which both are counted. Default: 10 seconds.
    public init(ratio: Double, minimumPerSecond: Double = 10, window: Duration = .seconds(10)) {
        self.ratio = ratio
        self.minimumPerSecond = minimumPerSecond
        self.window = window
    }
}
