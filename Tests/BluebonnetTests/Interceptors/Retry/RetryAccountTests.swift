import NIOCore
import Testing

@testable import Bluebonnet

struct RetryAccountTests {
    private func at(_ seconds: Double) -> NIODeadline { .uptimeNanoseconds(1 << 50 + UInt64(seconds * 1e9)) }

    /// The number of retries that can be taken out.
    private func rest(of account: inout RetryAccount, at now: NIODeadline) -> Int {
        var count = 0
        while account.takeOut(at: now) { count += 1 }
        return count
    }

    @Test func `a part of the requests may be repeated`() {
        var account = RetryAccount(RetryBudget(ratio: 0.25, minimumPerSecond: 0))
        #expect(rest(of: &account, at: at(0)) == 0)
        for _ in 0..<10 { account.payIn(at: at(0)) }
        #expect(rest(of: &account, at: at(0)) == 2)
        for _ in 0..<2 { account.payIn(at: at(0)) }
        #expect(rest(of: &account, at: at(1)) == 1)
    }

    @Test func `there are some without a request, and again in the next window`() {
        var account = RetryAccount(RetryBudget(ratio: 0, minimumPerSecond: 2, window: .seconds(10)))
        #expect(rest(of: &account, at: at(0)) == 20)
        #expect(rest(of: &account, at: at(8.9)) == 0)
        #expect(rest(of: &account, at: at(10)) == 20)
    }

    @Test func `what was paid in is forgotten after the window, slot by slot`() {
        var account = RetryAccount(RetryBudget(ratio: 1, minimumPerSecond: 0, window: .seconds(10)))
        for second in 0..<10 { account.payIn(at: at(Double(second))) }
        var copy = account
        #expect((9...10).contains(rest(of: &copy, at: at(9.5))))
        copy = account
        #expect((3...5).contains(rest(of: &copy, at: at(15.5))))
        copy = account
        #expect(rest(of: &copy, at: at(30)) == 0)
        #expect(rest(of: &account, at: at(1_000_000)) == 0)
    }

    @Test func `a clock that stands still or goes back changes nothing`() {
        var account = RetryAccount(RetryBudget(ratio: 1, minimumPerSecond: 0))
        account.payIn(at: at(100))
        #expect(rest(of: &account, at: at(50)) == 1)
        #expect(rest(of: &account, at: at(100)) == 0)
    }

    @Test(arguments: [
        RetryBudget(ratio: .nan, minimumPerSecond: .nan, window: .zero),
        RetryBudget(ratio: -1, minimumPerSecond: -.infinity, window: .seconds(-1)),
    ])
    func `a budget that is none has no retries`(budget: RetryBudget) {
        var account = RetryAccount(budget)
        account.payIn(at: at(0))
        #expect(rest(of: &account, at: at(0)) == 0)
    }

    @Test func `a budget without a measure has its limits`() {
        var account = RetryAccount(
            RetryBudget(ratio: .infinity, minimumPerSecond: .infinity, window: .seconds(Int64.max))
        )
        account.payIn(at: .distantFuture)
        let isAllowed = account.takeOut(at: .distantFuture)
        #expect(isAllowed)
    }

    @Test func `a storm of failures gets no more than the budget in any window`() {
        let budget = RetryBudget(ratio: 0.1, minimumPerSecond: 1, window: .seconds(10))
        var account = RetryAccount(budget)
        var generator = SeededGenerator(seed: 7)
        var (requests, retries): ([Double], [Double]) = ([], [])
        var now = 0.0
        for _ in 0..<20_000 {
            now += Double.random(in: 0..<0.02, using: &generator)
            if Bool.random(using: &generator) {
                requests.append(now)
                account.payIn(at: at(now))
            } else if account.takeOut(at: at(now)) {
                retries.append(now)
            }
        }
        #expect(retries.count > 500)
        for start in stride(from: 0, to: now, by: 1) {
            // What is remembered reaches back over nine slots at least.
            let window = start..<(start + 9)
            let allowed = 0.1 * Double(requests.count { (start - 1..<start + 9).contains($0) }) + 10
            #expect(Double(retries.count { window.contains($0) }) <= allowed + 1)
        }
    }
}
