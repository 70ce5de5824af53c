import NIOCore
import Testing

@testable import Bluebonnet

struct RetryBackoffTests {
    private func waits(_ backoff: RetryBackoff, random: Double = 1) -> [Duration] {
        (1...7).map { backoff.wait(before: $0) { random } }
    }

    @Test func `waits double up to the longest one`() {
        let backoff = RetryBackoff(first: .milliseconds(500), factor: 2, longest: .seconds(10), isRandom: false)
        #expect(waits(backoff, random: 0) == [0.5, 1, 2, 4, 8, 10, 10].map { .seconds($0) })
    }

    @Test func `a random wait is a part of its time, from nothing to the whole`() {
        let backoff = RetryBackoff(first: .seconds(1), factor: 2, longest: .seconds(16))
        #expect(waits(backoff, random: 0) == Array(repeating: .zero, count: 7))
        #expect(waits(backoff, random: 0.5) == [0.5, 1, 2, 4, 8, 8, 8].map { .seconds($0) })
        #expect(waits(backoff, random: 0.25) == [0.25, 0.5, 1, 2, 4, 4, 4].map { .seconds($0) })
    }

    @Test func `the defaults of Alamofire are half a second and one second`() {
        let backoff = RetryPolicy.alamofire.backoff
        #expect(waits(backoff, random: 0) == [0.5, 1, 2, 4, 8, 16, 32].map { .seconds($0) })
        #expect(RetryPolicy.alamofire.maximumRetries == 2)
    }

    @Test(arguments: [0, -3, .nan, -.infinity, 1, 0.5])
    func `a factor that would make waits shorter leaves them as they are`(factor: Double) {
        let backoff = RetryBackoff(first: .seconds(2), factor: factor, longest: .seconds(5), isRandom: false)
        #expect(waits(backoff) == Array(repeating: .seconds(2), count: 7))
    }

    @Test func `no wait is below zero, or too long to be counted`() {
        let negative = RetryBackoff(first: .seconds(-1), factor: 2, longest: .seconds(5), isRandom: false)
        #expect(waits(negative) == Array(repeating: .zero, count: 7))
        let none = RetryBackoff(first: .seconds(1), factor: 2, longest: .seconds(-5), isRandom: false)
        #expect(waits(none) == Array(repeating: .zero, count: 7))
        let infinite = RetryBackoff(first: .seconds(Int64.max), factor: .infinity, longest: nil, isRandom: false)
        for wait in waits(infinite) {
            #expect(wait > .seconds(1_000_000_000))
            // It can be waited for without an overflow.
            #expect(wait.timeAmount.nanoseconds > 0)
        }
        let many = RetryBackoff(first: .seconds(1), factor: 3, longest: nil, isRandom: false)
        #expect(many.wait(before: .max) { 1 } > .seconds(1_000_000_000))
    }
}
