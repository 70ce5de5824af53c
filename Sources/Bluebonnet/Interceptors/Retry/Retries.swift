import FoundationEssentials
import HTTPTypes
import NIOCore
import Synchronization

/// Sends requests again after a failure: the outermost of the built-in steps, around the redirects.
///
/// ``RetryPolicy`` and the ``Retrier``s decide. Whatever they say, nothing is sent again
///
/// - for a task that was stopped;
/// - after a response that no server has sent now, because it was stored;
/// - where the server can resume the upload: that continues by itself (``ResumableUpload``);
/// - where the body was sent, and its source can be read only once.
final class Retries: Sendable {
    /// Sends a request, and follows its redirects.
    typealias Send = (Request) async throws -> TransportResponse

    /// The most times that retriers can have a request sent again.
    static let mostRetries = 100

    private let policy: RetryPolicy?
    private let retriers: [any Retrier]
    /// Nil where the session has no budget.
    private let account: Mutex<RetryAccount?>
    private let timing: RetryTiming
    /// Whether the session sends any request again.
    private let isOn: Bool

    init(_ configuration: SessionConfiguration) {
        policy = configuration.retryPolicy
        retriers = configuration.retriers
        account = Mutex(configuration.retryBudget.map { RetryAccount($0) })
        timing = configuration.retryTiming
        isOn = policy != nil || !retriers.isEmpty
    }

    /// Whether a request may have to be sent again.
    func concerns(_ request: Request) -> Bool { isOn || request.hasRetries }

    /// The request with an idempotency key, where its policy wants one.
    func keyed(_ request: Request) -> Request {
        guard (request.retryPolicy ?? policy)?.usesIdempotencyKeys == true else { return request }
        var request = request
        request.addIdempotencyKey()
        return request
    }

    /// Sends a request, once or several times.
    ///
    /// - Parameters:
    ///   - request: The request as the interceptors have left it.
    ///   - context: Its context.
    ///   - send: Sends it.
    /// - Returns: The last response.
    /// - Throws: What `send` throws, ``NetworkingError/Code/requestBodyNotReplayable``, and the
    ///   error of a retrier.
    @inline(never)
    func send(_ request: Request, _ context: ExchangeContext, _ send: Send) async throws -> TransportResponse {
        let deciders = Deciders(
            policy: request.retryPolicy ?? policy,
            retriers: request.hasRetries ? request.retriers + retriers : retriers
        )
        guard deciders.mayRetry else { return try await send(request) }
        account.withLock { $0?.payIn(at: timing.now()) }
        var request = request
        /// The times that it was sent again, by this step and by the engine.
        var (retries, repeats) = (0, 0)
        while true {
            let (hop, startedAt) = (context.call.lastHop, timing.now())
            let result: Result<TransportResponse, any Error>
            do {
                result = .success(try await collected(try await send(request), deciders, context))
            } catch {
                result = .failure(error)
            }
            let attempt = RetriedAttempt(
                number: retries + 1,
                request: request,
                result: result,
                hop: hop,
                duration: timing.now().since(startedAt)
            )
            repeats += attempt.repeats(context)
            switch try await step(after: attempt, deciders, context) {
            case .end(let refusal):
                return try attempt.end(retries: retries + repeats, refusal)
            case .fail(let error):
                await attempt.discard()
                throw error
            case .retry(let next, let retry):
                // As after a redirect: a short body is read so that its connection serves again.
                await attempt.discard()
                try await context.tell(retry)
                try await sleep(retry.delay, after: attempt, context)
                // The engine does not send for a task that is suspended; other transports might.
                if context.isSuspended { try await context.waitWhileSuspended() }
                try context.checkStopped()
                request = next
                retries += 1
            }
        }
    }

    /// Those who decide about one request.
    private struct Deciders {
        let policy: RetryPolicy?
        let retriers: [any Retrier]

        var mayRetry: Bool { !retriers.isEmpty || policy.map { $0.maximumRetries > 0 } ?? false }

        /// The request of the next attempt, which may ask for the rest of what this one brought.
        func continuing(_ request: Request, after attempt: RetriedAttempt) -> Request {
            guard case .failure(let error) = attempt.result else { return request }
            return retriers.lazy.compactMap { $0 as? any ContinuingRetrier }.reduce(request) {
                $1.continuing($0, after: NetworkingError.wrapping(error))
            }
        }
    }

    private enum Step {
        case end(RetryPolicy.Refusal?)
        case fail(any Error)
        case retry(Request, TaskRetry)
    }

    /// The response with its whole body, where the task collects it: one that breaks off has failed
    /// as the request has. Nothing of it has reached anybody.
    ///
    /// The body of a response that is likely to be repeated is not waited for.
    private func collected(
        _ response: TransportResponse,
        _ deciders: Deciders,
        _ context: ExchangeContext
    ) async throws -> TransportResponse {
        guard let wholeBody = context.wholeBody, WholeBody.isComing(response),
            deciders.policy?.concerns(.response(response.statusCode)) != true
        else { return response }
        return try await wholeBody.collected(response, context)
    }

    /// Waits; where there is no path to the host, only until there is one.
    private func sleep(
        _ time: Duration,
        after attempt: RetriedAttempt,
        _ context: ExchangeContext
    ) async throws {
        let request = attempt.request
        let mayLackPath = time > .zero && attempt.response == nil
        let hasPath = mayLackPath ? context.knownPath(to: request) : true
        guard hasPath != true else { return try await timing.sleep(context, time) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [timing] in try await timing.sleep(context, time) }
            group.addTask { try await context.waitForReturnOfPath(to: request, isMissing: hasPath == false) }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    private func step(
        after attempt: RetriedAttempt,
        _ deciders: Deciders,
        _ context: ExchangeContext
    ) async throws -> Step {
        guard context.call.error == nil, !Task.isCancelled, context.call.uploadOffer?.hasHadResource != true,
            !deciders.retriers.isEmpty || deciders.policy?.concerns(attempt.outcome) == true,
            let facts = attempt.facts(context, now: timing.date())
        else { return .end(nil) }
        let wait: Duration
        switch try await decision(after: attempt, facts, deciders, context) {
        case .byPolicy:
            switch deciders.policy?.decision(after: facts, retries: attempt.number - 1, random: timing.random) {
            case .retry(let time)?: wait = time
            case .end(let refusal)?: return .end(refusal)
            case nil: return .end(nil)
            }
        case .retryNow: wait = .zero
        case .retry(let time): wait = max(time, .zero)
        case .doNotRetry: return .end(nil)
        case .fail(let error): return .fail(error)
        }
        guard attempt.number <= Self.mostRetries else { return .end(.tooMany) }
        if let end = context.endsAt, timing.now().advanced(by: wait) >= end { return .end(.deadline) }
        guard let next = try await repeatable(attempt, context) else { return .end(.body) }
        // At last: what is taken out is used.
        guard account.withLock({ $0?.takeOut(at: timing.now()) ?? true }) else { return .end(.budget) }
        let shown = attempt.shown(facts, context)
        let continuing = deciders.continuing(next, after: attempt)
        return .retry(continuing, TaskRetry(taskIdentifier: context.taskIdentifier, attempt: shown, delay: wait))
    }

    /// The decision of the retriers. They are code of the user's, which may wait.
    private func decision(
        after attempt: RetriedAttempt,
        _ facts: RetryPolicy.Facts,
        _ deciders: Deciders,
        _ context: ExchangeContext
    ) async throws -> RetryDecision {
        let retriers = deciders.retriers
        guard !retriers.isEmpty else { return .byPolicy }
        let shown = attempt.shown(facts, context)
        do {
            return try await StoppableCall.run(for: attempt.request, context, .here) {
                for retrier in retriers {
                    let decision = await retrier.decision(after: shown, context: context)
                    if case .byPolicy = decision { continue }
                    return decision
                }
                return .byPolicy
            }
        } catch {
            // One that was stopped has decided nothing.
            try context.checkStopped()
            throw error
        }
    }

    /// The request with a body that can be sent; nil where its body was sent and is there no more.
    private func repeatable(_ attempt: RetriedAttempt, _ context: ExchangeContext) async throws -> Request? {
        guard let body = attempt.request.body, !body.isReplayable, !attempt.isBodyUntouched else {
            return attempt.request
        }
        guard let newBody = try await context.newBody() else { return nil }
        var request = attempt.request
        request.body = newBody
        return request
    }
}
