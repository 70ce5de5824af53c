import Testing

@testable import Bluebonnet

/// The hooks of a session, whose calls come one after the other.
@Suite(.timeLimit(.minutes(5)))
struct SessionHooksCallsTests {
    /// A hook that is lost in the moment in which the worker ends fails this on most runs, not on
    /// each: the moment is shorter than any wait.
    @Test func `a hook that is due while the one before it ends is called`() async throws {
        let count = Counter()
        var hooks = SessionHooks()
        hooks.sessionDidFinishTransfers = { count.increment() }
        let calls = try #require(SessionHooks.Calls(hooks))
        let post = try #require(calls.whenTransfersFinish)
        let rounds = 60_000
        for round in 1...rounds {
            post()
            // The next one comes a little later after each, while this one ends.
            var yields = 0
            while count.value < round, yields < 1000 {
                await Task.yield()
                yields += 1
            }
            if yields == 1000 { try await until("hook \(round) was called") { count.value == round } }
            for _ in 0..<(round &* 7919 % 2000) { _ = count.value }
        }
        calls.finish()
        await calls.waitUntilEnded()
        #expect(count.value == rounds)
    }
}
