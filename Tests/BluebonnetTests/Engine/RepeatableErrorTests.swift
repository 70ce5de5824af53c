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

    @Test func `marking an error as repeatable keeps its cause`() {
        let cause = NetworkingError(.connectionLost, "reset")
        let failure = NetworkingError(.connectionLost, "closed before it answered", underlying: cause)
        let marked = RepeatableError.marking(failure, .stale)
        #expect(marked.message == failure.message)
        #expect(((marked.underlying as? RepeatableError)?.cause as? NetworkingError)?.message == "reset")
    }
}
