/// The token of an ``AuthenticationInterceptor``, as a value: its generations, and the refreshes
/// that made them.
struct TokenState<Token: Sendable>: Sendable {
    /// A token as a request takes it.
    struct Held: Sendable {
        let token: Token
        let generation: Int
        /// The refreshes that had failed when it was taken.
        let failures: Int
        /// Whether it was being refreshed.
        let isBeingRefreshed: Bool
    }

    /// What becomes of the wish for a refresh.
    enum Beginning {
        case begins
        /// There is a newer token already.
        case isNewer
        /// There were too many of late.
        case isTooMany
    }

    private(set) var token: Token?
    private var generation = 0
    private var failures = 0
    private var lastFailure: NetworkingError?
    /// The generation that is being refreshed, or will be when an earlier refresh has ended.
    private var refreshing: Int?
    /// The times of the last refreshes.
    private var refreshes: [ContinuousClock.Instant] = []
    private let limit: RefreshLimit?

    init(_ token: Token?, _ limit: RefreshLimit?) {
        self.token = token
        self.limit = limit
    }

    /// The token that there is now.
    var held: Held? {
        token.map {
            Held(
                token: $0,
                generation: generation,
                failures: failures,
                isBeingRefreshed: refreshing == generation
            )
        }
    }

    /// Sets another token, from outside.
    ///
    /// - Returns: The generation whose refresh nobody needs any more; nil for none.
    mutating func set(_ token: Token?) -> Int? {
        defer { refreshing = nil }
        self.token = token
        generation += 1
        refreshes = []
        return refreshing
    }

    /// Whether a request that was refused with a token has to wait for a refresh: nobody has
    /// refreshed the token since, and no refresh has failed that would have been for this one, too.
    func needsRefresh(after held: Held) -> Bool {
        held.generation == generation && held.failures == failures
    }

    /// The error of a refresh that has failed since the token was taken.
    func failure(after held: Held) -> NetworkingError? {
        held.generation == generation && held.failures != failures ? lastFailure : nil
    }

    /// Begins and counts a refresh.
    mutating func beginRefresh(of generation: Int, at now: ContinuousClock.Instant) -> Beginning {
        guard generation == self.generation else { return .isNewer }
        if let limit {
            refreshes.removeAll { $0 + limit.interval <= now }
            guard refreshes.count < limit.count else { return .isTooMany }
            refreshes.append(now)
        }
        refreshing = generation
        return .begins
    }

    /// Whether the refresh of a generation is needed still.
    func isRefreshing(_ generation: Int) -> Bool { refreshing == generation }

    /// Takes what a refresh has brought, unless the token was set meanwhile.
    ///
    /// - Returns: The outcome for those who wait: success where there is a newer token.
    mutating func endRefresh(
        _ result: Result<Token, NetworkingError>,
        of generation: Int
    ) -> Result<Void, NetworkingError> {
        guard generation == self.generation else { return .success(()) }
        refreshing = nil
        switch result {
        case .success(let token):
            self.token = token
            self.generation += 1
            lastFailure = nil
        case .failure(let error):
            failures += 1
            lastFailure = error
        }
        return result.map { _ in }
    }
}
