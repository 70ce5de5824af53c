import HTTPTypes
import Testing

@testable import Bluebonnet

/// Which requests may be sent again after a failure without a response.
@Suite struct RepeatableErrorTests {
    private static let methods: [HTTPRequest.Method] = [.get, .head, .options, .trace, .put, .delete, .post, .patch]

    @Test func `only idempotent methods are repeated after a stale connection`() {
        let error = RepeatableError(reason: .stale, cause: nil)
        #expect(Self.methods.filter(error.allows) == [.get, .head, .options, .trace, .put, .delete])
    }

    @Test func `a request that the server has not processed is repeated with any method`() {
        let error = RepeatableError(reason: .notProcessed, cause: nil)
        #expect(Self.methods.allSatisfy(error.allows))
    }

    // MARK: The number of repetitions

    private static func failure(_ reason: RepeatableError.Reason) -> NetworkingError {
        RepeatableError.marking(NetworkingError(.connectionLost, "closed"), reason)
    }

    @Test func `a request is sent again once over a connection that may be stale`() {
        var retries = RepeatableError.Retries()
        let allowed = (0..<2).map { _ in retries.allow(.get, after: Self.failure(.stale)) }
        #expect(allowed == [true, false])
        #expect(retries.count == 1 && retries.wasStale)
    }

    @Test func `a request that was not processed is sent again five times`() {
        var retries = RepeatableError.Retries()
        let allowed = (0..<6).map { _ in retries.allow(.post, after: Self.failure(.notProcessed)) }
        #expect(allowed == [true, true, true, true, true, false])
    }

    @Test func `a request that was not processed may meet a stale connection once, before or after`() {
        var retries = RepeatableError.Retries()
        let reasons: [RepeatableError.Reason] = [.notProcessed, .stale, .notProcessed, .stale]
        let allowed = reasons.map { retries.allow(.put, after: Self.failure($0)) }
        #expect(allowed == [true, true, true, false])
        #expect(retries.count == 3 && retries.wasStale)
    }

    @Test func `a failure of another kind, or of another method, is not repeated`() {
        var retries = RepeatableError.Retries()
        let unmarked = retries.allow(.get, after: NetworkingError(.connectionLost, "closed"))
        let stale = retries.allow(.post, after: Self.failure(.stale))
        #expect(!unmarked && !stale)
        #expect(retries.count == 0 && !retries.wasStale)
    }

    @Test func `marking an error as repeatable keeps its cause`() {
        let cause = NetworkingError(.connectionLost, "reset")
        let failure = NetworkingError(.connectionLost, "closed before the response", underlying: cause)
        let marked = RepeatableError.marking(failure, .stale)
        #expect(marked.message == failure.message)
        #expect(((marked.underlying as? RepeatableError)?.cause as? NetworkingError)?.message == "reset")
    }
}
